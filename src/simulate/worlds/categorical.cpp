#include "simulate/worlds/categorical.h"

#include <algorithm>
#include <cmath>

#include "simulate/worlds/marginals.h"

namespace causcale {

std::vector<double> draw_dirichlet(int states, double concentration, RandomStream& random) {
  std::vector<double> logs(states), weights(states);
  // Gamma draws of small shape underflow; their logarithms do not: G(a) is G(a + 1) u^(1/a).
  for (double& x : logs)
    x = std::log(draw_gamma(concentration + 1, random)) + std::log(random.uniform()) / concentration;
  const double largest = *std::ranges::max_element(logs);
  double total = 0;
  for (int s = 0; s < states; ++s) total += weights[s] = std::exp(logs[s] - largest);
  for (double& w : weights) w /= total;
  return weights;
}

void accumulate_weights(std::span<double> weights) {
  double total = 0;
  for (double& w : weights) w = total += w;
  for (double& w : weights) w /= total;
}

int state_at(std::span<const double> running_sums, double u) {
  const auto found = std::ranges::upper_bound(running_sums, u);
  return static_cast<int>(std::min<std::ptrdiff_t>(found - running_sums.begin(),
                                                   static_cast<std::ptrdiff_t>(running_sums.size()) - 1));
}

}  // namespace causcale
