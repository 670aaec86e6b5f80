// Effects where some causes were not measured. What the graph says is held against linear models whose
// covariances are known exactly: the number that a set, mediators or an instrument give has to be the effect.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>

#include "base/random.h"
#include "effects/pag_adjustment.h"
#include "effects/total_effect.h"
#include "methods/constraint/fci_search.h"
#include "methods/separation_oracle.h"
#include "metrics/adjustment.h"
#include "report/total_effect_report.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

// x = Bx + e with independent e of variance 1 and random coefficients.
class LinearModel {
 public:
  LinearModel(const Digraph& dag, std::uint32_t number) {
    RandomStream random(31, number, 0);
    const int n = dag.nodes();
    Eigen::MatrixXd coefficients = Eigen::MatrixXd::Zero(n, n);
    for (const Edge& edge : dag.edges())
      coefficients(edge.target, edge.source) = (random.coin(0.5) ? 1.0 : -1.0) * (0.4 + random.uniform());
    total_ = (Eigen::MatrixXd::Identity(n, n) - coefficients).inverse();
    covariance_ = total_ * total_.transpose();
  }

  double effect(int cause, int outcome) const { return total_(outcome, cause); }

  // Coefficient of the first of `on` in the regression of y on all of them.
  double coefficient(int y, const std::vector<int>& on) const { return coefficients(y, on)[0]; }
  Eigen::VectorXd coefficients(int y, const std::vector<int>& on) const {
    return covariance_(on, on).ldlt().solve(covariance_(on, std::vector<int>{y}).col(0));
  }

 private:
  Eigen::MatrixXd total_, covariance_;
};

std::vector<int> with_first(int first, std::vector<int> rest) {
  rest.insert(rest.begin(), first);
  return rest;
}

Dataset no_rows(int columns) {
  Dataset dataset;
  for (int v = 0; v < columns; ++v) dataset.table.names.push_back("V" + std::to_string(v));
  dataset.table.values = Matrix<double>(0, static_cast<std::size_t>(columns));
  return dataset;
}

std::vector<std::string> names_of(int nodes) {
  return no_rows(nodes).table.names;
}

constexpr double kTolerance = 1e-8;

void expect_sets_right(const TotalEffect& answer, const LinearModel& model, std::uint32_t number) {
  const int x = answer.cause, y = answer.outcome;
  std::vector<std::vector<int>> sets = answer.minimal_sets;
  EXPECT_FALSE(sets.empty());
  sets.push_back(answer.optimal);
  for (const std::vector<int>& set : sets)
    EXPECT_NEAR(model.coefficient(y, with_first(x, set)), model.effect(x, y), kTolerance) << number;
}

bool any_valid_set(const Digraph& dag, int measured, int x, int y) {
  AdjustmentSearch search(dag);
  search.set_treatment(x);
  for (unsigned choice = 0; choice < 1u << measured; ++choice) {
    if (choice >> x & 1u || choice >> y & 1u) continue;
    std::vector<int> set;
    for (int v = 0; v < measured; ++v)
      if (choice >> v & 1u) set.push_back(v);
    if (search.is_valid(y, set)) return true;
  }
  return false;
}

TEST(HiddenCauses, WhatTheGraphIdentifiesIsTheEffect) {
  constexpr int kMeasured = 5, kNodes = 8;
  std::map<Identification, int> seen;
  for (std::uint32_t number = 0; number < 300; ++number) {
    const Digraph dag = test::random_dag(kNodes, 0.3, number);
    const LinearModel model(dag, number);
    for (int x = 0; x < kMeasured; ++x)
      for (int y = 0; y < kMeasured; ++y) {
        if (x == y) continue;
        const TotalEffect answer = total_effect_with_hidden(no_rows(kMeasured), dag, names_of(kNodes), x, y);
        ++seen[answer.identification];
        const double truth = model.effect(x, y);
        switch (answer.identification) {
          case Identification::kZero:
            EXPECT_NEAR(truth, 0.0, kTolerance);
            break;
          case Identification::kAdjustment:
            expect_sets_right(answer, model, number);
            break;
          case Identification::kFrontDoor: {
            EXPECT_FALSE(any_valid_set(dag, kMeasured, x, y));
            std::vector<int> on = answer.front_door;
            on.push_back(x);
            const Eigen::VectorXd onto = model.coefficients(y, on);
            double product = 0.0;
            for (std::size_t k = 0; k + 1 < on.size(); ++k)
              product += model.coefficient(on[k], {x}) * onto[static_cast<Eigen::Index>(k)];
            EXPECT_NEAR(product, truth, kTolerance) << number;
            break;
          }
          case Identification::kInstrument:
            EXPECT_FALSE(any_valid_set(dag, kMeasured, x, y));
            for (const Instrument& instrument : answer.instruments) {
              const std::vector<int> on = with_first(instrument.variable, instrument.given);
              EXPECT_NEAR(model.coefficient(y, on) / model.coefficient(x, on), truth, 1e-6) << number;
            }
            break;
          default:
            EXPECT_FALSE(any_valid_set(dag, kMeasured, x, y)) << number;
            EXPECT_FALSE(answer.reason.empty());
        }
      }
  }
  EXPECT_GT(seen[Identification::kZero], 1000);
  EXPECT_GT(seen[Identification::kAdjustment], 500);
  EXPECT_GT(seen[Identification::kFrontDoor], 5);
  EXPECT_GT(seen[Identification::kInstrument], 10);
  EXPECT_GT(seen[Identification::kNone], 100);
}

TEST(HiddenCauses, WhatAPagIdentifiesIsTheEffect) {
  constexpr int kMeasured = 6, kNodes = 8;
  std::map<Identification, int> seen;
  std::vector<int> measured;
  for (int v = 0; v < kMeasured; ++v) measured.push_back(v);
  FciOptions options;
  options.skeleton.threads = 1;
  for (std::uint32_t number = 0; number < 300; ++number) {
    const Digraph dag = test::random_dag(kNodes, 0.3, number);
    const LinearModel model(dag, number);
    const MixedGraph pag = fci_search(test::DagOracle(dag, measured), {}, options).graph;
    for (int x = 0; x < kMeasured; ++x)
      for (int y = 0; y < kMeasured; ++y) {
        if (x == y) continue;
        const TotalEffect answer = total_effect(no_rows(kMeasured), pag, GraphClass::kPag, x, y);
        ++seen[answer.identification];
        if (answer.identification == Identification::kZero)
          EXPECT_NEAR(model.effect(x, y), 0.0, kTolerance) << number;
        else if (answer.identification == Identification::kAdjustment)
          expect_sets_right(answer, model, number);
        else
          EXPECT_EQ(answer.identification, Identification::kNone);
      }
  }
  EXPECT_GT(seen[Identification::kZero], 1000);
  EXPECT_GT(seen[Identification::kAdjustment], 50);
  EXPECT_GT(seen[Identification::kNone], 500);
}

TEST(HiddenCauses, AVisibleArrowIsOneThatSomethingElsePointsAt) {
  enum { a, b, x, y };
  MixedGraph graph(4);
  graph.set(x, y, Mark::kTail, Mark::kArrow);
  EXPECT_FALSE(is_visible(graph, x, y));
  graph.set(a, x, Mark::kCircle, Mark::kArrow);
  EXPECT_TRUE(is_visible(graph, x, y));
  graph.set(a, y, Mark::kTail, Mark::kArrow);  // now a is adjacent to y
  EXPECT_FALSE(is_visible(graph, x, y));
  graph.set(a, x, Mark::kArrow, Mark::kArrow);  // b *-> a <-> x with a -> y
  graph.set(b, a, Mark::kCircle, Mark::kArrow);
  EXPECT_TRUE(is_visible(graph, x, y));
  EXPECT_FALSE(is_visible(graph, y, x));
}

template <class Make>
Dataset table_of(std::vector<std::string> names, Make make, std::uint32_t number) {
  RandomStream random(12, number, 0);
  Dataset dataset;
  dataset.table.values = Matrix<double>(4000, names.size());
  dataset.table.names = std::move(names);
  for (std::size_t r = 0; r < dataset.table.rows(); ++r) make(random, dataset.table.values.row(r));
  return dataset;
}

TEST(HiddenCauses, MediatorsAndInstrumentsAreUsed) {
  enum { z, x, m, y, u };
  // u -> x and u -> y, not measured: regression of y on x would give 0.6 and more in place of 0.5.
  const auto make = [](double through) {
    return [through](RandomStream& random, std::span<double> row) {
      const double hidden = random.normal();
      row[z] = random.normal();
      row[x] = row[z] + hidden + random.normal();
      row[m] = row[x] + random.normal();
      row[y] = through * row[m] + (0.5 - through) * row[x] + hidden + random.normal();
    };
  };
  const std::vector<std::string> names{"z", "x", "m", "y", "u"};
  const TotalEffect front =
      total_effect_with_hidden(table_of({"z", "x", "m", "y"}, make(0.5), 1),
                               Digraph(5, {{z, x}, {x, m}, {m, y}, {u, x}, {u, y}}), names, x, y);
  EXPECT_EQ(front.identification, Identification::kFrontDoor);
  EXPECT_EQ(front.front_door, std::vector<int>{m});
  EXPECT_NE(front.reason.find("goes through m"), std::string::npos) << front.reason;
  ASSERT_FALSE(front.estimates.empty());
  EXPECT_EQ(front.estimates.front().estimator, "front_door");
  EXPECT_NEAR(front.estimates.front().size, 0.5, 0.08);
  EXPECT_TRUE(front.parents.empty() && front.optimal.empty() && front.negative_controls.empty());

  const TotalEffect instrument =
      total_effect_with_hidden(table_of({"z", "x", "m", "y"}, make(0.2), 2),
                               Digraph(5, {{z, x}, {x, m}, {m, y}, {x, y}, {u, x}, {u, y}}), names, x, y);
  EXPECT_EQ(instrument.identification, Identification::kInstrument);
  ASSERT_FALSE(instrument.estimates.empty());
  const EffectEstimate& estimate = instrument.estimates.front();
  EXPECT_EQ(estimate.estimator, "instrument");
  EXPECT_EQ(estimate.adjustment, std::vector<int>{z});
  EXPECT_NEAR(estimate.size, 0.5, 0.1);
  EXPECT_LT(estimate.low, 0.5);
  EXPECT_GT(estimate.high, 0.5);
  EXPECT_TRUE(estimate.note.empty());
  const std::string text = format_total_effect(instrument, names);
  EXPECT_NE(text.find("moved by z"), std::string::npos) << text;
  EXPECT_NE(format_total_effect_json(instrument, names).find("\"identification\": \"instrument\""),
            std::string::npos);
}

TEST(HiddenCauses, AWeakInstrumentIsSaidToBeOne) {
  enum { z, x, y, u };
  const Dataset dataset = table_of(
      {"z", "x", "y"},
      [](RandomStream& random, std::span<double> row) {
        const double hidden = random.normal();
        row[z] = random.normal();
        row[x] = 0.01 * row[z] + hidden + random.normal();
        row[y] = row[x] + hidden + random.normal();
      },
      3);
  const TotalEffect effect = total_effect_with_hidden(dataset, Digraph(4, {{z, x}, {x, y}, {u, x}, {u, y}}),
                                                      {"z", "x", "y", "u"}, x, y);
  ASSERT_EQ(effect.identification, Identification::kInstrument);
  EXPECT_NE(effect.estimates.front().note.find("weak"), std::string::npos);
}

// 90 % of the intervals hold the truth, of either way.
TEST(HiddenCauses, IntervalsHoldTheTruthNineTimesInTen) {
  enum { z, x, m, y, u };
  const std::vector<std::string> names{"z", "x", "m", "y", "u"};
  const Digraph graph(5, {{z, x}, {x, m}, {m, y}, {u, x}, {u, y}}),
      direct(5, {{z, x}, {x, m}, {m, y}, {x, y}, {u, x}, {u, y}});
  int front = 0, instrument = 0;
  constexpr int kTables = 200;
  for (std::uint32_t k = 0; k < kTables; ++k) {
    RandomStream random(13, k, 0);
    Dataset dataset;
    dataset.table.names = {"z", "x", "m", "y"};
    dataset.table.values = Matrix<double>(300, 4);
    for (std::size_t r = 0; r < 300; ++r) {
      const std::span<double> row = dataset.table.values.row(r);
      const double hidden = random.normal();
      row[z] = random.normal();
      row[x] = row[z] + hidden + random.normal();
      row[m] = row[x] + random.normal();
      row[y] = 0.5 * row[m] + hidden + random.normal();
    }
    const auto holds = [&](const Digraph& assumed) {
      const EffectEstimate estimate =
          total_effect_with_hidden(dataset, assumed, names, x, y).estimates.front();
      return estimate.low <= 0.5 && 0.5 <= estimate.high;
    };
    front += holds(graph);
    instrument += holds(direct);
  }
  // 180 expected, standard deviation 4.2.
  for (const int held : {front, instrument}) {
    EXPECT_GE(held, 165);
    EXPECT_LE(held, 194);
  }
}

}  // namespace
}  // namespace causcale
