#include "learn/baselines/neural_methods.h"

#include <algorithm>
#include <vector>

#include "core/installed.h"

namespace causcale {

std::span<const Method> neural_methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> found = {notears_mlp_method(), diffan_method()};
    const std::vector<InstalledModel> models = installed_models();
    for (const Method& method : {avici_method(), sea_method()})
      if (std::ranges::find(models, method.name, &InstalledModel::name) != models.end())
        found.push_back(method);
    return found;
  }();
  return all;
}

}  // namespace causcale
