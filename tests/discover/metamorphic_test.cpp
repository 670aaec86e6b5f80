// What must not change an answer, or may change it in one way only. No test here knows the right answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <locale>
#include <span>

#include "base/random.h"
#include "causcale/discover.h"
#include "data/reader.h"
#include "data/standardize.h"
#include "discover/bootstrap.h"
#include "discover/estimate.h"
#include "discover/loaded_model.h"
#include "discover/settings.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

// One model for all, with the arithmetic that has the least noise.
const LoadedModel& model() {
  static const LoadedModel loaded = load_for_discover({.precision = Precision::kFloat32});
  return loaded;
}

DiscoverResult answer(const Dataset& dataset, const DiscoverOptions& options = {}) {
  return discover(dataset, options, model());
}

Dataset simulated(int nodes = 6, int rows = 120) {
  SyntheticOptions options;
  options.nodes = nodes;
  options.rows = rows;
  options.edges_per_node = 1.5;
  return simulate_synthetic(options, 21, 0).dataset;
}

// Independent columns, each drawn by draw(random).
template <class Draw>
Dataset independent(int columns, int rows, std::uint32_t number, Draw draw) {
  Dataset dataset;
  dataset.table.values = Matrix<double>(rows, columns);
  for (int j = 0; j < columns; ++j) {
    dataset.table.names.push_back("v" + std::to_string(j));
    RandomStream random(31, number, static_cast<std::uint32_t>(j));
    for (int r = 0; r < rows; ++r) dataset.table.values(r, j) = draw(random);
  }
  return dataset;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  return largest;
}

// Four tables of ten pairs each. Evidence lets a fifth of what it keeps be false, and on null tables all is.
TEST(Metamorphic, NullTablesGiveHardlyAnEdge) {
  const auto normal = [](RandomStream& random) { return random.normal(); };
  const auto uniform = [](RandomStream& random) { return random.uniform(); };
  const auto rare = [](RandomStream& random) { return random.uniform() < 0.1 ? 1.0 : 0.0; };
  const auto tails = [](RandomStream& random) {
    double squares = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double z = random.normal();
      squares += z * z;
    }
    return random.normal() / std::sqrt(squares / 3);
  };
  const std::size_t edges = answer(independent(5, 400, 0, normal)).graph.edge_count() +
                            answer(independent(5, 400, 10, uniform)).graph.edge_count() +
                            answer(independent(5, 400, 20, rare)).graph.edge_count() +
                            answer(independent(5, 400, 30, tails)).graph.edge_count();
  EXPECT_LE(edges, 2u);
}

TEST(Metamorphic, NamesAreOnlyNames) {
  Dataset dataset = simulated();
  const DiscoverResult before = answer(dataset);
  for (std::size_t j = 0; j < dataset.table.cols(); ++j)
    dataset.table.names[j] = std::string(1 + j % 3, 'z') + " \"" + std::to_string(100 - j);
  const DiscoverResult after = answer(dataset);
  EXPECT_EQ(before.probabilities, after.probabilities);
  EXPECT_EQ(before.graph, after.graph);
  EXPECT_EQ(after.names, dataset.table.names);
}

TEST(Metamorphic, UnitsAndOriginsDoNotMatter) {
  const Dataset dataset = simulated();
  Dataset other = dataset;
  for (std::size_t j = 0; j < other.table.cols(); ++j)
    for (std::size_t r = 0; r < other.table.rows(); ++r) {
      double& value = other.table.values(r, j);
      value = std::ldexp(value, static_cast<int>(j)) + 16.0 * static_cast<double>(j);
    }
  DiscoverOptions options;
  options.prior_units = PriorUnits::kStandardized;
  const DiscoverResult plain = answer(dataset, options), moved = answer(other, options);
  EXPECT_LT(largest_difference(plain.probabilities, moved.probabilities), 1e-3);
  EXPECT_EQ(plain.evidence.size(), moved.evidence.size());
}

// The rows are put into one order first, whatever order and regimes' numbers they came with.
TEST(Metamorphic, OrderOfRowsAndOfRegimesDoesNotMatter) {
  const Dataset dataset = simulated();
  const std::size_t rows = dataset.table.rows();
  std::vector<std::size_t> backwards;
  for (std::size_t r = rows; r > 0; --r) backwards.push_back(r - 1);
  Dataset other = take_rows(dataset, backwards);
  std::vector<std::vector<int>>& regimes = other.interventions.regimes;
  std::ranges::reverse(regimes);
  for (int& regime : other.interventions.regime_of_row)
    regime = static_cast<int>(regimes.size()) - 1 - regime;
  EXPECT_EQ(answer(dataset).probabilities, answer(other).probabilities);
}

TEST(Metamorphic, LowerThresholdsAndMoreEdgesOnlyAdd) {
  const Dataset dataset = simulated(7, 100);
  const auto graph = [&](double threshold, std::size_t top) {
    DiscoverOptions options;
    options.threshold = threshold;
    options.top = top;
    options.evidence = EvidenceRule::kOff;
    return answer(dataset, options).graph;
  };
  const auto within = [](const Digraph& small, const Digraph& large) {
    return std::ranges::all_of(small.edges(),
                               [&](const Edge& e) { return large.has_edge(e.source, e.target); });
  };
  const Digraph few = graph(0.9, 0), many = graph(1e-6, 0), three = graph(0.5, 3), seven = graph(0.5, 7);
  EXPECT_TRUE(within(few, many));
  EXPECT_LT(few.edge_count(), many.edge_count());
  EXPECT_TRUE(within(three, seven));
  EXPECT_EQ(three.edge_count(), 3u);
}

// (p - p_both) / (1 - p_forbidden) for what is left of a pair, 1 and 0 where an edge is required, and not a
// bit elsewhere.
TEST(Metamorphic, KnowledgeOfAPairChangesThatPairAlone) {
  const Dataset dataset = simulated();
  DiscoverOptions options;
  options.max_samples = 40;
  options.ensemble = 3;
  const DiscoverResult unbound = answer(dataset, options);
  const Matrix<double>& free = unbound.probabilities;
  const Matrix<double>& both = unbound.feedback;
  options.knowledge.forbidden = {{0, 1}, {4, 2}};
  options.knowledge.required = {{3, 5}};
  const Matrix<double> bound = answer(dataset, options).probabilities;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      const auto is = [&](std::size_t a, std::size_t b) { return i == a && j == b; };
      const double expected = is(0, 1) || is(4, 2) || is(5, 3) ? 0.0
                              : is(3, 5)                       ? 1.0
                              : is(1, 0) ? (free(1, 0) - both(1, 0)) / (1.0 - free(0, 1))
                              : is(2, 4) ? (free(2, 4) - both(2, 4)) / (1.0 - free(4, 2))
                                         : free(i, j);
      EXPECT_DOUBLE_EQ(bound(i, j), expected) << i << " " << j;
    }
}

// Every repetition is a table of its own to which the rule applies; the figures are those of the repetitions.
TEST(Metamorphic, KnowledgeHoldsInEveryRepetitionOfTheBootstrap) {
  const Dataset dataset = simulated();
  DiscoverOptions options;
  options.bootstrap = 3;
  options.evidence = EvidenceRule::kOff;
  options.knowledge.tier_of = {0, 0, 1, 1, 1, 2};
  options.knowledge.required = {{2, 3}};
  options.knowledge.forbidden = {{0, 1}};
  const DiscoverResult bound = answer(dataset, options);
  DiscoverOptions free = options;
  free.knowledge = {};
  const Dataset ordered = take_rows(dataset, canonical_row_order(dataset));
  const std::size_t rows = ordered.table.rows();
  const Settings settings = settle(free, model(), rows, ordered.table.cols());
  Matrix<double> mean(6, 6);
  for (std::uint32_t k = 0; k < 3; ++k) {
    const Dataset drawn = take_rows(ordered, resample_rows(ordered.interventions, rows, free.seed, k));
    const Estimate told = estimate(settings, free, std::span(&drawn, 1), [](double) {}).front();
    Matrix<double> p = told.probabilities;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = i + 1; j < 6; ++j) {
        const bool no_forward = options.knowledge.forbids({static_cast<int>(i), static_cast<int>(j)});
        const bool no_reverse = options.knowledge.forbids({static_cast<int>(j), static_cast<int>(i)});
        const double forward = p(i, j), reverse = p(j, i), both = told.feedback(i, j);
        if (no_forward) p(i, j) = 0.0, p(j, i) = no_reverse ? 0.0 : (reverse - both) / (1.0 - forward);
        if (no_reverse) p(j, i) = 0.0, p(i, j) = no_forward ? 0.0 : (forward - both) / (1.0 - reverse);
      }
    p(2, 3) = 1.0, p(3, 2) = 0.0;
    for (std::size_t c = 0; c < p.size(); ++c) mean.data()[c] += p.data()[c] / 3;
  }
  EXPECT_LT(largest_difference(bound.bootstrap_mean, mean), 1e-6);
  EXPECT_EQ(bound.bootstrap_mean(3, 0), 0.0);
  EXPECT_EQ(bound.selection_frequency(2, 3), 1.0);
}

// A second copy of a column depends on it wholly; nothing tells which is the cause, and the rest is not lost.
TEST(Metamorphic, ACopyOfAColumnIsNamedAndNothingFails) {
  Dataset dataset = simulated();
  Dataset copied = dataset;
  const std::size_t n = dataset.table.cols();
  copied.table.names.push_back("copy");
  copied.table.values = Matrix<double>(dataset.table.rows(), n + 1);
  for (std::size_t r = 0; r < dataset.table.rows(); ++r) {
    for (std::size_t j = 0; j < n; ++j) copied.table.values(r, j) = dataset.table.values(r, j);
    copied.table.values(r, n) = dataset.table.values(r, 0);
  }
  const DiscoverResult found = answer(copied);
  for (const double p : found.probabilities.values()) EXPECT_TRUE(p >= 0.0 && p <= 1.0);
  // To exchange the copy and its original is to exchange their rows and columns of the answer, but for what
  // interventions say of the original. The second stage is not held to it: the best graph has one of two
  // equal columns.
  copied.interventions = {};
  DiscoverOptions options;
  options.stacking = StackingRule::kOff;
  options.views = 1;  // which columns a view mirrors is chosen for each, be they equal or not
  const Matrix<double> p = answer(copied, options).probabilities;
  for (std::size_t j = 1; j < n; ++j) {
    EXPECT_NEAR(p(0, j), p(n, j), 2e-3);
    EXPECT_NEAR(p(j, 0), p(j, n), 2e-3);
  }
  EXPECT_NEAR(p(0, n), p(n, 0), 2e-3);
}

TEST(Determinism, ThreadsDoNotMatter) {
  const Dataset dataset = simulated(7, 100);
  DiscoverOptions options;
  options.bootstrap = 2;
  options.threads = 1;
  const DiscoverResult one = answer(dataset, options);
  options.threads = 2;
  const DiscoverResult two = answer(dataset, options);
  EXPECT_EQ(one.probabilities, two.probabilities);
  EXPECT_EQ(one.bootstrap_mean, two.bootstrap_mean);
  EXPECT_EQ(one.bootstrap_deviation, two.bootstrap_deviation);
}

// Numbers as some countries write them: 1.234,5.
class CommaNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Determinism, TheLocaleOfTheProgramDoesNotMatter) {
  const test::TempFolder folder;
  const auto file = folder.write("table.csv", "a,b,c\n1.5,2000.25,3\n-2.5e3,4,1\n3,1.125,2\n4,3,5.75\n");
  const auto found = [&] {
    Dataset dataset = read_dataset(file, {});
    return std::pair(dataset.table.values,
                     discover(dataset, {.precision = Precision::kFloat32}).probabilities);
  };
  const auto before = found();
  const std::locale old = std::locale::global(std::locale(std::locale(), new CommaNumbers));
  const auto after = found();
  std::locale::global(old);
  EXPECT_EQ(before.first(0, 1), 2000.25);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace causcale
