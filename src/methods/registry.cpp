#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "causcale/error.h"
#include "methods/method.h"

namespace causcale {

std::span<const Method> methods() {
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
#ifdef CAUSCALE_WITH_TORCH
      notears_mlp_method(),
      sdcd_method(),
      diffan_method(),
#endif
  };
  return all;
}

const Method& method_named(const std::string& name) {
  const auto all = methods();
  const auto found = std::ranges::find(all, name, &Method::name);
  if (found != all.end()) return *found;
  std::vector<std::string> accepted;
  for (const Method& method : all) accepted.push_back(method.name);
  throw UsageError(
      fmt::format("there is no method \"{}\"; accepted are: {}", name, fmt::join(accepted, ", ")));
}

}  // namespace causcale
