#include "core/card.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "causcale/error.h"
#include "core/option_names.h"

namespace causcale {
namespace {

constexpr std::size_t kMostRows = 1'000'000'000;

// The entries of one file; where a key is absent, the value stays as it is.
class Entries {
 public:
  Entries(const std::map<std::string, std::string>& metadata, const std::string& file)
      : metadata_(metadata), file_(file) {}

  template <class Whole>
  void whole(const std::string& key, Whole& value, Whole least, Whole most) const {
    const std::string* text = find(key);
    if (!text) return;
    Whole found{};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), found);
    if (error != std::errc() || end != text->data() + text->size() || found < least || found > most)
      refuse(key, *text, fmt::format("a whole number from {} to {}", least, most));
    value = found;
  }

  void number(const std::string& key, double& value, double above, const char* accepted) const {
    const std::string* text = find(key);
    if (!text) return;
    double found = 0.0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), found);
    if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(found) ||
        !(found > above))
      refuse(key, *text, accepted);
    value = found;
  }

  // The table's first entry stands for "as the model says": no answer here.
  template <class Choice, std::size_t N>
  void choice(const char* key, const NameTable<Choice, N>& names, Choice& value) const {
    const std::string* text = find(key);
    if (!text) return;
    const std::optional<Choice> found = find_choice(names, *text);
    if (!found || *found == names.front().first) {
      std::string accepted;
      for (std::size_t k = 1; k < N; ++k)
        accepted += fmt::format("{}'{}'", k == 1 ? "" : " or ", names[k].second);
      refuse(key, *text, accepted);
    }
    value = *found;
  }

 private:
  const std::string* find(const std::string& key) const {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? nullptr : &found->second;
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& text,
                           const std::string& accepted) const {
    throw InputError(fmt::format("{}: metadata key '{}' is '{}', expected {}", file_, key, text, accepted));
  }

  const std::map<std::string, std::string>& metadata_;
  const std::string& file_;
};

// `name` is that of an output with a "_" behind it, or nothing: of edges.
void read_means(const Entries& entries, const std::string& name, AnswerScales& scales) {
  entries.number(name + "temperature", scales.temperature, 0.0, "a positive number");
  scales.mean.temperature = scales.temperature;
  entries.number(name + "mean_temperature", scales.mean.temperature, 0.0, "a positive number");
  entries.number(name + "mean_offset", scales.mean.offset, -std::numeric_limits<double>::infinity(),
                 "a number");
  entries.whole(name + "mean_of", scales.mean_of, 1, kMostViews);
}

void read_output(const Entries& entries, PairOutput output, AnswerScales& scales) {
  const std::string name = name_of(kPairOutputNames, output) + "_";
  entries.number(name + "offset", scales.offset, -std::numeric_limits<double>::infinity(), "a number");
  scales.mean.offset = scales.offset;
  read_means(entries, name, scales);
}

}  // namespace

const AnswerScales& scales_of(const ModelCard& card, PairOutput output) {
  return output == PairOutput::kFeedback ? card.feedback : card.confounded;
}

ModelCard parse_card(const std::map<std::string, std::string>& metadata, const std::string& file) {
  const Entries entries(metadata, file);
  ModelCard card;
  card.metadata = metadata;
  card.config = ModelConfig::from_metadata(metadata, file);
  entries.choice("prior_scale", kPriorUnitNames, card.prior_units);
  entries.choice("transform", kTransformNames, card.transform);
  entries.whole<std::size_t>("usual_rows", card.usual_rows, 2, kMostRows);
  entries.whole("views", card.views, 1, kMostViews);
  read_means(entries, "", card.scales);
  read_output(entries, PairOutput::kFeedback, card.feedback);
  read_output(entries, PairOutput::kConfounded, card.confounded);
  card.ranges = training_ranges(metadata, file);
  return card;
}

}  // namespace causcale
