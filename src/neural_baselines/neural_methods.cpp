#include "neural_baselines/neural_methods.h"

#include <vector>

namespace causcale {

std::span<const Method> neural_methods() {
  static const std::vector<Method> all = {notears_mlp_method(), sdcd_method(), diffan_method()};
  return all;
}

}  // namespace causcale
