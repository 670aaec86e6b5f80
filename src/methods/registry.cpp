#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "causcale/error.h"
#include "core/train_library.h"
#include "methods/method.h"

namespace causcale {

std::span<const Method> classical_methods() {
  static const std::vector<Method> all = {
      correlation_method(),
      inverse_covariance_method(),
      var_sort_regress_method(),
      r2_sort_regress_method(),
      pc_method(),
      fci_method(),
      rfci_method(),
      ges_method(),
      gies_method(),
      boss_method(),
      mean_shift_method(),
      direct_lingam_method(),
      notears_method(),
      dagma_method(),
      sdcd_method(),
  };
  return all;
}

std::span<const Method> methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> found(classical_methods().begin(), classical_methods().end());
    if (const TrainLibrary* library = find_train_library())
      found.insert(found.end(), library->methods().begin(), library->methods().end());
    return found;
  }();
  return all;
}

namespace {

// Says what a method with weights of its own lacks.
void require_model(const std::string& name) {
  if (std::ranges::find(kPretrainedMethodNames, name) == kPretrainedMethodNames.end()) return;
  train_library("the method " + name);
  throw UsageError(fmt::format(
      "the method {0} needs a model named {0}, and none is installed: train one (causcale train --config "
      "configs/{0}.json --out RUN), copy RUN/model.safetensors to {0}.safetensors, and install that "
      "(causcale "
      "models install {0}.safetensors)",
      name));
}

}  // namespace

const Method& method_named(const std::string& name) {
  // The classical ones first: the training library is large, and opened only when it is needed.
  for (const auto find : {classical_methods, methods}) {
    const std::span<const Method> all = find();
    const auto found = std::ranges::find(all, name, &Method::name);
    if (found != all.end()) return *found;
  }
  require_model(name);
  std::vector<std::string> accepted;
  for (const Method& method : methods()) accepted.push_back(method.name);
  throw UsageError(
      fmt::format("there is no method \"{}\"; accepted are: {}", name, fmt::join(accepted, ", ")));
}

}  // namespace causcale
