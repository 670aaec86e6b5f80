#include "stored_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "suggest.h"

namespace causcale::cli {

StoredResult read_probabilities(const std::string& path) {
  StoredResult stored = read_result(path);
  if (stored.result.score_kind == "ranking")
    throw InputError(fmt::format(
        "{}: the scores of {} rank edges and are no probabilities: graphs cannot be drawn in proportion to "
        "them. Take a result of the network (discover without --method)",
        path, stored.by_method ? "method " + stored.method : "this result"));
  return stored;
}

int variable_named(const std::vector<std::string>& names, const std::string& name,
                   const std::string& option) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const std::string near = nearest_word(name, names);
  throw UsageError(fmt::format("{} {}: there is no such variable{}", option, name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

std::string describe_samples(const GraphSamples& samples) {
  std::string text =
      fmt::format("{} acyclic graph{}, ", samples.graphs.size(), samples.graphs.size() == 1 ? "" : "s");
  if (samples.exact) return text + fmt::format("drawn exactly ({}).\n", samples.method);
  text += fmt::format("drawn by {} Markov chains, worth about {:.0f} independent ones.\n", samples.chains,
                      samples.effective);
  if (samples.scale_reduction > 1.1)
    text += fmt::format(
        "The chains disagree (scale reduction {:.2f}): shares may be off; other seeds show how far.\n",
        samples.scale_reduction);
  return text;
}

std::size_t shown_length(const std::string& text) {
  return std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, shown_length(text)), ' ');
}

}  // namespace causcale::cli
