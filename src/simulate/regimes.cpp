#include "simulate/regimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "causcale/error.h"
#include "simulate/graph_model.h"

namespace causcale {
namespace {

// Every covered node leads one regime; further targets of a regime are any other covered nodes.
std::vector<std::vector<int>> draw_targets(std::span<const int> covered, int per_regime,
                                           RandomStream& random) {
  const int count = static_cast<int>(covered.size());
  const int others = std::min(per_regime, count) - 1;
  std::vector<std::vector<int>> targets;
  std::vector<int> pool(count);
  for (int lead = 0; lead < count; ++lead) {
    std::vector<int> regime{covered[lead]};
    if (others > 0) {
      std::iota(pool.begin(), pool.end(), 0);
      std::swap(pool[lead], pool.back());
      for (int k = 0; k < others; ++k) {
        std::swap(pool[k], pool[k + random.below(count - 1 - k)]);
        regime.push_back(covered[pool[k]]);
      }
      std::sort(regime.begin(), regime.end());
    }
    targets.push_back(std::move(regime));
  }
  return targets;
}

}  // namespace

RegimePlan plan_regimes(const InterventionDesign& design, std::span<const int> candidates, int rows,
                        RandomStream& random) {
  if (!(design.coverage >= 0 && design.coverage <= 1))
    throw UsageError(
        fmt::format("share of nodes intervened on is {}, but must lie in [0, 1]", design.coverage));
  if (design.targets_per_regime < 1)
    throw UsageError(
        fmt::format("number of targets at once is {}, but must be at least 1", design.targets_per_regime));
  const auto finite_size = [](double value, const char* what) {
    if (!(value >= 0) || !std::isfinite(value))
      throw UsageError(fmt::format("{} of intervention values is {}, but must be 0 or more", what, value));
  };
  finite_size(design.value_spread, "spread");
  finite_size(design.value_shift, "shift");

  std::vector<std::vector<int>> targets;
  if (design.effect != InterventionEffect::kNone) {
    const int nodes = static_cast<int>(candidates.size());
    std::vector<int> covered = random_permutation(nodes, random);
    covered.resize(std::lround(design.coverage * nodes));
    for (int& node : covered) node = candidates[node];
    targets = draw_targets(covered, design.targets_per_regime, random);
  }
  targets.emplace_back();  // observational

  const int blocks = static_cast<int>(targets.size());
  RegimePlan plan;
  plan.interventions.regime_of_row.reserve(rows);
  plan.first_row.push_back(0);
  for (int block = 0; block < blocks; ++block) {
    const int size = rows / blocks + (block < rows % blocks ? 1 : 0);
    if (size == 0) break;
    const int regime = static_cast<int>(plan.interventions.regimes.size());
    plan.interventions.regimes.push_back(std::move(targets[block]));
    plan.interventions.regime_of_row.insert(plan.interventions.regime_of_row.end(), size, regime);
    plan.first_row.push_back(plan.first_row.back() + size);
  }
  return plan;
}

}  // namespace causcale
