#include "simulate/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/parallel.h"
#include "causcale/error.h"
#include "graph/order.h"
#include "simulate/hidden.h"
#include "simulate/names.h"

namespace causcale {
namespace {

SyntheticOptions small() {
  SyntheticOptions options;
  options.nodes = 12;
  options.edges_per_node = 2;
  options.rows = 300;
  return options;
}

bool same(const Simulation& a, const Simulation& b) {
  return a.dataset.table.values == b.dataset.table.values && a.dataset.table.names == b.dataset.table.names &&
         a.dataset.interventions.regimes == b.dataset.interventions.regimes &&
         a.dataset.interventions.regime_of_row == b.dataset.interventions.regime_of_row && a.graph == b.graph;
}

std::vector<double> column_of(const Simulation& simulation, int column) {
  std::vector<double> values;
  for (std::size_t r = 0; r < simulation.dataset.table.rows(); ++r)
    values.push_back(simulation.dataset.table.values(r, column));
  return values;
}

const std::vector<int>& targets_of_row(const Simulation& simulation, std::size_t row) {
  const Interventions& interventions = simulation.dataset.interventions;
  return interventions.regimes[interventions.regime_of_row[row]];
}

TEST(Synthetic, SameSeedAndIndexSameBitsOnAnyNumberOfThreads) {
  for (const auto& [mechanism, name] : kMechanismNames) {
    SyntheticOptions options = small();
    options.mechanism = mechanism;
    constexpr std::size_t kSets = 8;
    std::vector<Simulation> alone(kSets), together(kSets);
    for (std::size_t i = kSets; i-- > 0;)
      alone[i] = simulate_synthetic(options, 5, static_cast<std::uint32_t>(i));
    parallel_for(kSets, 4, [&](std::size_t i) {
      together[i] = simulate_synthetic(options, 5, static_cast<std::uint32_t>(i));
    });
    for (std::size_t i = 0; i < kSets; ++i) EXPECT_TRUE(same(alone[i], together[i])) << name;
    EXPECT_FALSE(same(alone[0], alone[1])) << name;
    EXPECT_FALSE(same(alone[0], simulate_synthetic(options, 6, 0))) << name;
  }
}

TEST(Synthetic, EveryCombinationIsFiniteAcyclicAndNotConstant) {
  std::uint32_t index = 0;
  for (const auto& [mechanism, mechanism_name] : kMechanismNames)
    for (const auto& [noise, noise_name] : kNoiseNames)
      for (const auto& [coupling, coupling_name] : kCouplingNames)
        for (const auto& [roots, root_name] : kRootNames) {
          SyntheticOptions options = small();
          options.mechanism = mechanism;
          options.noise = noise;
          options.coupling = coupling;
          options.roots = roots;
          options.graph_model = kGraphModelNames[index % kGraphModelNames.size()].first;
          options.interventions.effect = kInterventionNames[index % kInterventionNames.size()].first;
          const Simulation simulation = simulate_synthetic(options, 1, index++);
          ASSERT_TRUE(is_acyclic(simulation.graph));
          for (int c = 0; c < options.nodes; ++c) {
            const std::vector<double> values = column_of(simulation, c);
            for (const double x : values)
              ASSERT_TRUE(std::isfinite(x)) << mechanism_name << " " << noise_name;
            ASSERT_NE(*std::min_element(values.begin(), values.end()),
                      *std::max_element(values.begin(), values.end()));
          }
        }
}

TEST(Synthetic, PerfectInterventionsCutTheTargetOff) {
  SyntheticOptions options = small();
  options.rows = 2600;
  options.mechanism = Mechanism::kLinear;
  const Simulation simulation = simulate_synthetic(options, 2, 0);
  double sum = 0, squares = 0;
  int count = 0;
  for (std::size_t r = 0; r < simulation.dataset.table.rows(); ++r)
    for (const int target : targets_of_row(simulation, r)) {
      const double x = simulation.dataset.table.values(r, target);
      ASSERT_LE(std::abs(x), 1.0);
      sum += x, squares += x * x, ++count;
    }
  ASSERT_EQ(count, 2400);
  EXPECT_NEAR(sum / count, 0, 5 * std::sqrt(1.0 / 3 / count));
  EXPECT_NEAR(squares / count, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / count));
}

// Least squares on the true parents, rows under other regimes: weights come back in their range and the
// residual variance averages 0.16 * 1.5 per node.
TEST(Synthetic, LinearNodesAreTheirParentsPlusNoiseOfTheStatedSize) {
  SyntheticOptions options = small();
  options.nodes = 40;
  options.edges_per_node = 1;
  options.rows = 8200;
  double residual_variance = 0;
  int children = 0, weights = 0, positive = 0;
  for (std::uint32_t index = 0; index < 6; ++index) {
    const Simulation simulation = simulate_synthetic(options, 3, index);
    for (int node = 0; node < options.nodes; ++node) {
      const auto parents = simulation.graph.parents(node);
      if (parents.size() != 1) continue;
      double xx = 0, xy = 0, yy = 0;
      int rows = 0;
      for (std::size_t r = 0; r < simulation.dataset.table.rows(); ++r) {
        if (targets_of_row(simulation, r) == std::vector<int>{node}) continue;
        const double x = simulation.dataset.table.values(r, parents[0]),
                     y = simulation.dataset.table.values(r, node);
        xx += x * x, xy += x * y, yy += y * y, ++rows;
      }
      const double weight = xy / xx;
      EXPECT_GT(std::abs(weight), 0.25 - 5 * 0.5 / std::sqrt(xx));
      EXPECT_LT(std::abs(weight), 1.00 + 5 * 0.5 / std::sqrt(xx));
      ++weights, positive += weight > 0;
      residual_variance += (yy - weight * xy) / rows;
      ++children;
    }
  }
  ASSERT_GT(children, 40);
  EXPECT_NEAR(residual_variance / children, 0.24, 0.003);
  EXPECT_NEAR(positive, weights / 2.0, 4 * std::sqrt(weights / 4.0));
}

// One noise scale per node and regime: within a regime the variance is constant, between regimes it varies
// over [0.16, 0.32].
TEST(Synthetic, NoiseScaleIsDrawnAnewInEveryRegime) {
  SyntheticOptions options;
  options.nodes = 2;
  options.rows = 60000;
  const Digraph pair(2, {{0, 1}});
  std::vector<double> variances;
  for (std::uint32_t index = 0; index < 30; ++index) {
    const Simulation simulation = simulate_synthetic(options, pair, 4, index);
    for (std::size_t regime = 0; regime < 3; ++regime) {
      if (simulation.dataset.interventions.regimes[regime] == std::vector<int>{1}) continue;
      double xx = 0, xy = 0, yy = 0, count = 0;
      for (std::size_t r = 0; r < 60000; ++r) {
        if (simulation.dataset.interventions.regime_of_row[r] != static_cast<int>(regime)) continue;
        const double x = simulation.dataset.table.values(r, 0), y = simulation.dataset.table.values(r, 1);
        xx += x * x, xy += x * y, yy += y * y, ++count;
      }
      variances.push_back((yy - xy * xy / xx) / count);
    }
  }
  ASSERT_EQ(variances.size(), 60u);
  const auto [low, high] = std::minmax_element(variances.begin(), variances.end());
  EXPECT_GT(*low, 0.16 * 0.96);
  EXPECT_LT(*high, 0.32 * 1.04);
  EXPECT_LT(*low, 0.18);
  EXPECT_GT(*high, 0.30);
  int differing = 0;
  for (std::size_t i = 0; i < variances.size(); i += 2)
    differing += std::abs(variances[i] - variances[i + 1]) > 0.01;
  EXPECT_GT(differing, 15);
}

TEST(Synthetic, RegimesCoverTheAskedShareWithTheAskedTargets) {
  SyntheticOptions options = small();
  options.interventions.coverage = 0.5;
  options.interventions.targets_per_regime = 3;
  const Simulation simulation = simulate_synthetic(options, 7, 0);
  const auto& regimes = simulation.dataset.interventions.regimes;
  ASSERT_EQ(regimes.size(), 7u);
  std::set<int> covered;
  for (std::size_t i = 0; i + 1 < regimes.size(); ++i) {
    EXPECT_EQ(regimes[i].size(), 3u);
    EXPECT_TRUE(std::is_sorted(regimes[i].begin(), regimes[i].end()));
    EXPECT_EQ(std::set<int>(regimes[i].begin(), regimes[i].end()).size(), 3u);
    covered.insert(regimes[i].begin(), regimes[i].end());
  }
  EXPECT_EQ(covered.size(), 6u);
  EXPECT_TRUE(regimes.back().empty());
  for (std::size_t r = 0; r < simulation.dataset.table.rows(); ++r)
    for (const int target : targets_of_row(simulation, r))
      ASSERT_LE(std::abs(simulation.dataset.table.values(r, target)), 1.0);

  options.interventions.effect = InterventionEffect::kNone;
  const Simulation observed = simulate_synthetic(options, 7, 0);
  EXPECT_TRUE(observed.dataset.interventions.observational());
  EXPECT_EQ(observed.dataset.interventions.regimes.size(), 1u);
}

// Same random numbers, another kind of intervention: only targets and their descendants may change.
TEST(Synthetic, InterventionsReachTheTargetAndItsDescendantsOnly) {
  SyntheticOptions options = small();
  options.nodes = 3;
  options.rows = 400;
  const Digraph chain(3, {{0, 1}, {1, 2}});
  options.interventions.effect = InterventionEffect::kPerfect;
  const Simulation perfect = simulate_synthetic(options, chain, 8, 0);
  for (const InterventionEffect effect : {InterventionEffect::kSoft, InterventionEffect::kMechanismChange}) {
    options.interventions.effect = effect;
    const Simulation other = simulate_synthetic(options, chain, 8, 0);
    ASSERT_EQ(other.dataset.interventions.regime_of_row, perfect.dataset.interventions.regime_of_row);
    for (std::size_t r = 0; r < 400; ++r) {
      const std::vector<int>& targets = targets_of_row(other, r);
      const int first = targets.empty() ? 3 : targets[0];
      for (int node = 0; node < 3; ++node) {
        const double a = perfect.dataset.table.values(r, node), b = other.dataset.table.values(r, node);
        if (node < first) {
          ASSERT_EQ(a, b) << "node " << node << " lies above the target";
        } else {
          ASSERT_NE(a, b) << "node " << node << " lies at or below the target";
        }
      }
    }
  }
}

// A soft or changed mechanism still listens to its parent, a perfect intervention does not.
TEST(Synthetic, OnlyPerfectInterventionsEndTheParentsInfluence) {
  SyntheticOptions options;
  options.nodes = 2;
  options.rows = 3000;
  const Digraph pair(2, {{0, 1}});
  for (const InterventionEffect effect :
       {InterventionEffect::kPerfect, InterventionEffect::kSoft, InterventionEffect::kMechanismChange}) {
    options.interventions.effect = effect;
    const Simulation simulation = simulate_synthetic(options, pair, 9, 1);
    double x1 = 0, y1 = 0, xx = 0, yy = 0, xy = 0, count = 0;
    for (std::size_t r = 0; r < 3000; ++r) {
      if (targets_of_row(simulation, r) != std::vector<int>{1}) continue;
      const double x = simulation.dataset.table.values(r, 0), y = simulation.dataset.table.values(r, 1);
      x1 += x, y1 += y, xx += x * x, yy += y * y, xy += x * y, ++count;
    }
    const double covariance = xy - x1 * y1 / count;
    const double correlation =
        std::abs(covariance / std::sqrt((xx - x1 * x1 / count) * (yy - y1 * y1 / count)));
    if (effect == InterventionEffect::kPerfect)
      EXPECT_LT(correlation, 5 / std::sqrt(count));
    else
      EXPECT_GT(correlation, 0.2);
  }
}

// An inhibitor: the target's own column shows nothing, its children no longer follow it, its parents never
// notice.
TEST(Synthetic, BlockedNodesLookAsEverAndActOtherwise) {
  SyntheticOptions options;
  options.nodes = 3;
  options.rows = 4000;
  const Digraph chain(3, {{0, 1}, {1, 2}});
  options.interventions.effect = InterventionEffect::kBlocked;
  const Simulation blocked = simulate_synthetic(options, chain, 11, 0);
  options.interventions.effect = InterventionEffect::kSoft;  // the same rows, regimes and random numbers
  const Simulation soft = simulate_synthetic(options, chain, 11, 0);
  ASSERT_EQ(blocked.dataset.interventions.regime_of_row, soft.dataset.interventions.regime_of_row);
  std::vector<double> x[2], y[2];  // node 1 and its child, otherwise and under the block of node 1
  std::size_t child_differs = 0;
  for (std::size_t r = 0; r < 4000; ++r) {
    const std::vector<int>& targets = targets_of_row(blocked, r);
    const auto value = [&](const Simulation& from, int node) { return from.dataset.table.values(r, node); };
    if (targets.empty()) {
      for (int node = 0; node < 3; ++node) ASSERT_EQ(value(blocked, node), value(soft, node));
    }
    if (targets == std::vector<int>{1}) {
      ASSERT_EQ(value(blocked, 0), value(soft, 0));
      ASSERT_NE(value(blocked, 1), value(soft, 1));
      child_differs += value(blocked, 2) != value(soft, 2);
    }
    const bool here = targets == std::vector<int>{1};
    x[here].push_back(value(blocked, 1));
    y[here].push_back(value(blocked, 2));
  }
  EXPECT_GT(child_differs, 900u);
  const auto slope = [](const std::vector<double>& a, const std::vector<double>& b) {
    double mean_a = 0, mean_b = 0, ab = 0, aa = 0;
    for (std::size_t i = 0; i < a.size(); ++i) mean_a += a[i] / a.size(), mean_b += b[i] / b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
      ab += (a[i] - mean_a) * (b[i] - mean_b);
      aa += (a[i] - mean_a) * (a[i] - mean_a);
    }
    return std::abs(ab / aa);
  };
  EXPECT_LT(slope(x[1], y[1]), 0.35 * slope(x[0], y[0]) + 0.05);
}

TEST(Synthetic, HiddenNodesLeaveTheInducedGraphAndTheSameValues) {
  SyntheticOptions options = small();
  options.interventions.effect = InterventionEffect::kNone;
  const Simulation all = simulate_synthetic(options, 10, 0);
  options.hidden = 4;
  const Simulation some = simulate_synthetic(options, 10, 0);
  EXPECT_EQ(some.full_graph, all.graph);
  EXPECT_EQ(some.visible, visible_nodes(all.graph, 4));
  EXPECT_EQ(some.graph, induced_subgraph(all.graph, some.visible));
  ASSERT_EQ(some.dataset.table.cols(), 8u);
  for (int c = 0; c < 8; ++c) {
    EXPECT_EQ(column_of(some, c), column_of(all, some.visible[c]));
    EXPECT_EQ(some.dataset.table.names[c], all.dataset.table.names[some.visible[c]]);
  }
  options.interventions.effect = InterventionEffect::kPerfect;
  const Simulation intervened = simulate_synthetic(options, 10, 0);
  EXPECT_EQ(intervened.dataset.interventions.regimes.size(), 9u);
  for (std::size_t r = 0; r < intervened.dataset.table.rows(); ++r)
    for (const int target : targets_of_row(intervened, r))
      ASSERT_LE(std::abs(intervened.dataset.table.values(r, target)), 1.0);
}

TEST(Synthetic, ObservationChangesTheTableAndNotTheSystem) {
  SyntheticOptions options = small();
  options.rows = 2000;
  const Simulation plain = simulate_synthetic(options, 11, 0);

  options.observation = {.output_scale = 10.0};
  const Simulation scaled = simulate_synthetic(options, 11, 0);
  for (int c = 0; c < options.nodes; ++c) {  // an affine map with a factor in [0.1, 10]
    const std::vector<double> a = column_of(plain, c), b = column_of(scaled, c);
    const double factor = (b[1] - b[0]) / (a[1] - a[0]);
    EXPECT_GT(factor, 0.099);
    EXPECT_LT(factor, 10.1);
    for (std::size_t r = 2; r < a.size(); ++r)
      ASSERT_NEAR(b[r] - b[0], factor * (a[r] - a[0]), 1e-3 * (1 + factor));
  }

  options.observation = {.mirrored_share = 0.5};
  const Simulation mirrored = simulate_synthetic(options, 11, 0);
  int turned = 0;
  for (int c = 0; c < options.nodes; ++c) {
    const std::vector<double> a = column_of(plain, c), b = column_of(mirrored, c);
    const double sign = a[0] == b[0] ? 1.0 : -1.0;
    turned += sign < 0;
    for (std::size_t r = 0; r < a.size(); ++r) ASSERT_EQ(b[r], sign * a[r]);
  }
  EXPECT_GT(turned, 0);
  EXPECT_LT(turned, options.nodes);

  options.observation = {.ordinal_share = 1.0};
  const Simulation ordinal = simulate_synthetic(options, 11, 0);
  options.observation = {.count_share = 1.0};
  const Simulation counts = simulate_synthetic(options, 11, 0);
  options.observation = {.rounded_share = 1.0};
  const Simulation rounded = simulate_synthetic(options, 11, 0);
  options.observation = {.zero_inflated_share = 1.0};
  const Simulation zeros = simulate_synthetic(options, 11, 0);
  options.observation = {.outlier_rate = 0.01};
  const Simulation outliers = simulate_synthetic(options, 11, 0);
  int moved = 0;
  for (int c = 0; c < options.nodes; ++c) {
    const std::vector<double> before = column_of(plain, c), levels = column_of(ordinal, c),
                              count = column_of(counts, c);
    const std::set<double> distinct(levels.begin(), levels.end());
    EXPECT_GE(distinct.size(), 2u);
    EXPECT_LE(distinct.size(), 7u);
    EXPECT_EQ(*distinct.begin(), 0.0);
    EXPECT_EQ(*distinct.rbegin(), static_cast<double>(distinct.size() - 1));
    for (std::size_t i = 1; i < levels.size(); ++i) {  // order is kept
      if (before[i] < before[0]) {
        ASSERT_LE(levels[i], levels[0]);
      }
    }
    for (const double x : count) ASSERT_TRUE(x >= 0 && x == std::floor(x));
    const std::vector<double> coarse = column_of(rounded, c);
    EXPECT_LT(std::set<double>(coarse.begin(), coarse.end()).size(), 200u);
    const std::vector<double> inflated = column_of(zeros, c);
    const double share = std::count(inflated.begin(), inflated.end(), 0.0) / 2000.0;
    EXPECT_GT(share, 0.06);
    EXPECT_LT(share, 0.55);
    const std::vector<double> thrown = column_of(outliers, c);
    for (std::size_t i = 0; i < thrown.size(); ++i) moved += thrown[i] != before[i];
  }
  EXPECT_NEAR(moved, 240, 5 * std::sqrt(240.0));

  options.observation = {.measurement_error = 0.5};
  const Simulation noisy = simulate_synthetic(options, 11, 0);
  for (int c = 0; c < options.nodes; ++c) {
    const std::vector<double> a = column_of(plain, c), b = column_of(noisy, c);
    const double mean = std::accumulate(a.begin(), a.end(), 0.0) / 2000;
    double spread = 0, error = 0;
    for (std::size_t r = 0; r < 2000; ++r)
      spread += std::pow(a[r] - mean, 2), error += std::pow(b[r] - a[r], 2);
    EXPECT_NEAR(error / spread, 0.25, 5 * 0.25 * std::sqrt(2.0 / 2000));
  }
}

TEST(Synthetic, MixedMechanismsDifferFromEachAlone) {
  SyntheticOptions options = small();
  options.mixed_mechanisms = {Mechanism::kLinear, Mechanism::kPolynomial};
  const Simulation mixed = simulate_synthetic(options, 12, 0);
  for (const double x : mixed.dataset.table.values.values()) ASSERT_TRUE(std::isfinite(x));
}

TEST(Synthetic, NonsenseIsRefused) {
  const auto refuse = [](auto change) {
    SyntheticOptions options = small();
    change(options);
    EXPECT_THROW(simulate_synthetic(options, 0, 0), UsageError);
  };
  refuse([](SyntheticOptions& o) { o.rows = 0; });
  refuse([](SyntheticOptions& o) { o.nodes = 0; });
  refuse([](SyntheticOptions& o) { o.hidden = 12; });
  refuse([](SyntheticOptions& o) { o.noise_scale = -1; });
  refuse([](SyntheticOptions& o) { o.interventions.coverage = 1.5; });
  refuse([](SyntheticOptions& o) { o.interventions.targets_per_regime = 0; });
  refuse([](SyntheticOptions& o) { o.observation.ordinal_share = 0.7, o.observation.count_share = 0.7; });
  refuse([](SyntheticOptions& o) { o.observation.output_scale = 0.5; });
  refuse([](SyntheticOptions& o) { o.observation.mirrored_share = 1.5; });
  EXPECT_THROW(simulate_synthetic(small(), Digraph(2, {{0, 1}, {1, 0}}), 0, 0), InputError);
}

TEST(Synthetic, TinySizesWork) {
  SyntheticOptions options;
  options.nodes = 1;
  options.rows = 1;
  EXPECT_EQ(simulate_synthetic(options, 0, 0).dataset.table.values.size(), 1u);
  options.nodes = 30;
  options.rows = 7;  // fewer rows than nodes: one row for each of seven targets
  const Simulation simulation = simulate_synthetic(options, 0, 0);
  EXPECT_EQ(simulation.dataset.interventions.regimes.size(), 7u);
  for (const auto& regime : simulation.dataset.interventions.regimes) EXPECT_EQ(regime.size(), 1u);
}

}  // namespace
}  // namespace causcale
