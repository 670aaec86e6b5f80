// A model's metadata, one "key=value" per line (a value ends at the next line that has a key): whatever they
// say, the card holds numbers within its promises, or there is an InputError.
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "causcale/error.h"
#include "core/card.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  std::map<std::string, std::string> metadata = ModelConfig().to_metadata();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (const std::size_t at = line.find('='); at != line.npos)
      metadata[std::string(line.substr(0, at))] = line.substr(at + 1);
  }
  try {
    const ModelCard card = parse_card(metadata, "fuzz");
    const auto positive = [](double value) {
      if (!(value > 0.0) || !std::isfinite(value)) std::abort();
    };
    if (card.usual_rows < 2 || card.views < 1 || card.views > kMostViews) std::abort();
    for (const AnswerScales* scales : {&card.scales, &card.feedback, &card.confounded})
      for (const int passes : {1, 2, card.views}) {
        positive(scales->of(passes).temperature);
        if (!std::isfinite(scales->of(passes).offset)) std::abort();
      }
    if (card.config.blocks < 1 || card.config.embed_dim < 1 || card.config.heads < 1 ||
        card.config.embed_dim % card.config.heads != 0)
      std::abort();
  } catch (const InputError&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {
      "",
      "prior_scale=raw\ntransform=log1p\nusual_rows=5000\nviews=4\n",
      "temperature=0.9\nmean_of=4\nmean_temperature=0.8\nmean_offset=-0.25\n",
      "outputs=feedback,confounded\nfeedback_temperature=1.2\nfeedback_offset=-0.5\nconfounded_mean_of=4\n",
      "trained_columns=3 77\ntrained_rows=20 1000\ntraining_minutes=a remark\n",
      "blocks=3\nembed_dim=64\nheads=8\nffn_dim=256\n"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"views=",       "usual_rows=",
          "temperature=", "mean_of=",
          "mean_offset=", "prior_scale=",
          "transform=",   "trained_columns=",
          "blocks=",      "heads=",
          "outputs=",     "feedback_",
          "confounded_",  "feedback,confounded",
          "embed_dim=",   "pooling=",
          "1e999",        "-1",
          "nan",          "inf",
          "1,000",        "9223372036854775808",
          "\n",           "="};
}
