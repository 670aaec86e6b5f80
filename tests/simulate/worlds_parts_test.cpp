// The parts that worlds are made of: labels, interventions, missing cells, shapes.
#include <gtest/gtest.h>

#include "simulate/worlds/categorical.h"
#include "simulate/worlds/marginals.h"
#include "simulate/worlds/parent_function.h"
#include "simulate/worlds/projection.h"
#include "simulate/worlds/treatments.h"
#include "world_checks.h"

namespace causcale {
namespace {

// Walks of any length by brute force: does one lead from `from` to `to` with only hidden nodes between?
bool reaches(const Digraph& graph, const std::vector<std::uint8_t>& hidden, int from, int to, int steps) {
  if (steps == 0) return false;
  for (const int next : graph.children(from)) {
    if (next == to) return true;
    if (hidden[next] && reaches(graph, hidden, next, to, steps - 1)) return true;
  }
  return false;
}

TEST(LatentProjection, IsWhatWalksOverHiddenNodesSay) {
  RandomStream random(7, 0, 98);
  int edges = 0, pairs = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int nodes = 2 + static_cast<int>(random.below(6));
    const bool cyclic = trial % 2 == 1;
    std::vector<Edge> list;
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j)
        if (i != j && (cyclic || i < j) && random.coin(0.35)) list.push_back({i, j});
    const Digraph graph(nodes, list);
    std::vector<std::uint8_t> hidden(nodes);
    for (std::uint8_t& flag : hidden) flag = random.coin(0.4) ? 1 : 0;
    const LatentProjection found = latent_projection(graph, hidden);
    EXPECT_EQ(hidden_common_causes(graph, found.visible), found.confounded);
    for (std::size_t a = 0; a < found.visible.size(); ++a)
      for (std::size_t b = 0; b < found.visible.size(); ++b) {
        const int i = found.visible[a], j = found.visible[b];
        bool common = false;
        for (int h = 0; h < nodes && i != j; ++h)
          common |= hidden[h] && reaches(graph, hidden, h, i, nodes) && reaches(graph, hidden, h, j, nodes);
        EXPECT_EQ(found.adjacency(a, b) != 0, i != j && reaches(graph, hidden, i, j, nodes));
        EXPECT_EQ(found.confounded(a, b) != 0, common);
        edges += found.adjacency(a, b);
        pairs += found.confounded(a, b);
      }
  }
  EXPECT_GT(edges, 100);
  EXPECT_GT(pairs, 100);
}

struct Treated {
  std::vector<double> natural, measured, seen;
};

// Rows 20 to 39 of 60 are treated.
Treated treat(TreatmentEffect effect, int states, std::uint32_t item, bool reversed = false) {
  TreatmentPlan plan;
  plan.hits.push_back({{0, effect}});
  plan.named.push_back({0});
  plan.regime_of_row.assign(60, 0);
  std::fill(plan.regime_of_row.begin() + 20, plan.regime_of_row.begin() + 40, 1);
  Treated result;
  for (int r = 0; r < 60; ++r) result.natural.push_back(states > 0 ? r % states : 0.1 * r);
  if (reversed) std::reverse(result.natural.begin(), result.natural.end());
  result.measured = result.seen = result.natural;
  apply_treatments(plan, plan.rows_of_regimes(), 0, states, RandomStream(1, 0, 97, item), result.measured,
                   result.seen);
  return result;
}

TEST(Treatments, ChangeWhatTheyPromiseAndNoOtherRow) {
  for (const int states : {0, 4})
    for (std::uint32_t item = 0; item < 40; ++item)
      for (const TreatmentEffect effect : {TreatmentEffect::kHard, TreatmentEffect::kSoft,
                                           TreatmentEffect::kIncomplete, TreatmentEffect::kDrug}) {
        const Treated one = treat(effect, states, item), other = treat(effect, states, item, true);
        for (int r = 0; r < 60; ++r) {
          const bool inside = r >= 20 && r < 40;
          if (!inside || effect == TreatmentEffect::kDrug) {
            EXPECT_EQ(one.measured[r], one.natural[r]);
          }
          if (!inside) {
            EXPECT_EQ(one.seen[r], one.natural[r]);
          }
          if (effect != TreatmentEffect::kDrug) {
            EXPECT_EQ(one.seen[r], one.measured[r]);
          }
          // A hard intervention does not know what the node would have done.
          if (inside && effect == TreatmentEffect::kHard) {
            EXPECT_NEAR(one.measured[r], other.measured[r], 1e-9);
          }
          if (states > 0) {
            EXPECT_TRUE(one.seen[r] >= 0 && one.seen[r] < states && one.seen[r] == std::round(one.seen[r]));
          }
        }
        if (states == 0 && effect == TreatmentEffect::kSoft)  // causes still act: damped and shifted
          for (int r = 21; r < 40; ++r) {
            const double slope = (one.measured[r] - one.measured[r - 1]) / 0.1;
            EXPECT_GT(slope, 0.04);
            EXPECT_LT(slope, 0.71);
          }
        if (states == 0 && effect == TreatmentEffect::kIncomplete) {
          int kept = 0;
          for (int r = 20; r < 40; ++r) kept += one.measured[r] == one.natural[r];
          EXPECT_LT(kept, 20);
        }
      }
}

TEST(Treatments, UnknownTargetsAreNotNamedAndOffTargetsAreHit) {
  int unnamed = 0, more_hits = 0, shuffled = 0;
  for (std::uint32_t index = 0; index < 20; ++index) {
    const World world = nothing_world();
    const std::vector<int> candidates{0, 1, 2, 3, 4, 5};
    for (const char* kind : {"unknown", "off_target"}) {
      const WorldOptions options{
          6, 100, {{"interventions", kind}, {"treated", "1"}, {"rows_per_target", "5"}}};
      WorldDraw draw(world, options, 4, index);
      const TreatmentPlan plan = plan_treatments(draw, candidates, 100);
      for (std::size_t k = 1; k < plan.hits.size(); ++k) {
        if (std::string(kind) == "unknown")
          unnamed += plan.named[k].empty();
        else
          more_hits += plan.hits[k].size() > plan.named[k].size();
        EXPECT_EQ(std::ranges::count(plan.regime_of_row, static_cast<int>(k)), 5);
      }
      shuffled += !std::ranges::is_sorted(plan.regime_of_row);
    }
  }
  EXPECT_GT(unnamed, 20);
  EXPECT_GT(more_hits, 60);
  EXPECT_EQ(shuffled, 40);
}

TEST(MissingCells, HaveTheirShareAndTheirReason) {
  for (const char* kind : {"random", "others", "itself", "blocks"}) {
    double missing = 0, cells = 0, gap = 0;
    for (std::uint32_t index = 0; index < 12; ++index) {
      const test::Settings plain{{"interventions", "none"}, {"scheme", "explained"}};
      test::Settings holes = plain;
      holes["missing"] = "0.3";
      holes["missing_kind"] = kind;
      const WorldSample full = test::sample_of("linear_gaussian", 6, 300, plain, index);
      const WorldSample part = test::sample_of("linear_gaussian", 6, 300, holes, index);
      for (std::size_t c = 0; c < 6; ++c) {
        std::vector<double> gone, whole = test::column_of(full, c);
        for (std::size_t r = 0; r < 300; ++r)
          if (std::isnan(part.dataset.table.values(r, c))) gone.push_back(whole[r]);
        missing += static_cast<double>(gone.size());
        cells += 300;
        if (!gone.empty())
          gap += std::abs(test::mean_of(gone) - test::mean_of(whole)) /
                 std::sqrt(test::covariance_of(whole, whole));
      }
    }
    EXPECT_NEAR(missing / cells, 0.3, 0.02) << kind;
    // A normal column whose high values go missing most.
    if (std::string(kind) == "itself") {
      EXPECT_GT(gap / 72, 0.5);
    }
    if (std::string(kind) == "random") {
      EXPECT_LT(gap / 72, 0.15);
    }
  }
}

TEST(Shapes, HaveTheirMoments) {
  constexpr int kRows = 40000;
  std::vector<double> column(kRows);
  const auto third = [&] {
    double sum = 0;
    for (const double x : column) sum += x * x * x;
    return sum / kRows;
  };
  for (int shape = 0; shape < kNoiseShapes; ++shape) {
    RandomStream random(1, 2, 96, shape);
    fill_noise(static_cast<Shape>(shape), random, column);
    EXPECT_NEAR(test::mean_of(column), 0, 1e-9);
    EXPECT_NEAR(test::covariance_of(column, column), 1, 1e-9);
    if (static_cast<Shape>(shape) == Shape::kNormal) {
      EXPECT_NEAR(third(), 0, 0.05);
    }
    if (static_cast<Shape>(shape) == Shape::kExponential) {
      EXPECT_NEAR(third(), 2, 0.2);
    }
  }
  RandomStream random(1, 3, 96);
  double sum = 0;
  for (int k = 0; k < kRows; ++k) sum += draw_gamma(0.4, random);
  EXPECT_NEAR(sum / kRows, 0.4, 0.02);
  fill_shape(Shape::kRareBinary, random, column);
  const double ones = test::mean_of(column);
  EXPECT_TRUE(ones > 0.003 && ones < 0.17);
}

TEST(Categories, DirichletRowsSumToOneAtEveryConcentration) {
  RandomStream random(1, 4, 96);
  for (const double concentration : {1e-3, 0.02, 1.0, 1000.0}) {
    double largest = 0;
    for (int k = 0; k < 300; ++k) {
      const std::vector<double> row = draw_dirichlet(5, concentration, random);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
      largest += *std::max_element(row.begin(), row.end()) / 300;
    }
    if (concentration < 0.01) {
      EXPECT_GT(largest, 0.99);
    }
    if (concentration > 100) {
      EXPECT_LT(largest, 0.25);
    }
  }
}

TEST(ParentFunctions, DependOnEveryInput) {
  for (const auto& [kind, name] : kFunctionNames)
    for (int inputs = 1; inputs <= 7; ++inputs)
      for (std::uint32_t trial = 0; trial < 10; ++trial) {
        RandomStream random(1, trial, 95, inputs);
        const ParentFunction function = draw_parent_function(kind, inputs, random);
        std::vector<std::uint8_t> matters(inputs, 0);
        for (int probe = 0; probe < 400; ++probe) {
          std::vector<double> x(inputs);
          for (double& value : x) value = 1.5 * random.normal();
          const double before = function(x);
          ASSERT_TRUE(std::isfinite(before));
          const auto i = static_cast<std::size_t>(probe % inputs);
          x[i] = 1.5 * random.normal();
          if (function(x) != before) matters[i] = 1;
        }
        EXPECT_EQ(std::count(matters.begin(), matters.end(), 1), inputs) << name;
      }
}

}  // namespace
}  // namespace causcale
