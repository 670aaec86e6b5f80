// Architectures of other authors with weights of ours: methods as soon as a model of that name is installed.
#include <fmt/format.h>

#include "causcale/discover.h"
#include "causcale/error.h"
#include "core/installed.h"
#include "core/option_names.h"
#include "discover/loaded_model.h"
#include "learn/baselines/neural_methods.h"
#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

MethodResult run_pretrained(Architecture architecture, const Dataset& dataset, const MethodOptions& options) {
  DiscoverOptions chosen;
  chosen.model = architecture_name(architecture);
  chosen.seed = options.seed;
  chosen.threads = options.threads;
  chosen.knowledge = options.knowledge;
  chosen.progress = [&](const std::string& stage, double share) { report_progress(options, stage, share); };
  if (const auto device = options.settings.find("device"); device != options.settings.end())
    chosen.device = choice_named(kDeviceNames, device->second, "device");
  const LoadedModel loaded = load_for_discover(chosen);
  if (loaded.card->config.architecture != architecture)
    throw InputError(fmt::format("{}: its architecture is {}, the method {} needs weights of its own",
                                 find_model(chosen.model).string(),
                                 architecture_name(loaded.card->config.architecture), chosen.model));
  const DiscoverResult found = discover(dataset, chosen, loaded);
  MethodResult result;
  result.scores = found.probabilities;
  result.graph = with_opposites_joined(found.graph);
  result.log.push_back(fmt::format("model {}, SHA-256 {}", found.model_name, found.model_sha256));
  for (const Remark& remark : found.applicability) result.log.push_back(remark.message);
  return result;
}

MethodResult run_avici(const Dataset& dataset, const MethodOptions& options) {
  return run_pretrained(Architecture::kAvici, dataset, options);
}

MethodResult run_sea(const Dataset& dataset, const MethodOptions& options) {
  return run_pretrained(Architecture::kSea, dataset, options);
}

}  // namespace

Method avici_method() {
  return {
      "avici",
      "a network trained on simulated data that attends over variables and observations in turn",
      "data like those it was trained on (causcale models)",
      "used",
      GraphClass::kDirected,
      "O(m n (m + n))",
      "Lorch, Sussex, Rothfuss, Krause, Schoelkopf: Amortized Inference for Causal Structure Learning, 2022",
      {device_setting()},
      run_avici};
}

Method sea_method() {
  return {
      "sea",
      "classical estimates of small sets of variables, put together by a network trained on simulated data",
      "data like those it was trained on (causcale models)",
      "used",
      GraphClass::kDirected,
      "O(n^3)",
      "Wu, Bao, Barzilay, Jaakkola: Sample, Estimate, Aggregate: A Recipe for Causal Discovery Foundation "
      "Models, 2025",
      {device_setting()},
      run_sea};
}

}  // namespace causcale
