// Our tables against tables made by an independent implementation from the same distributions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "simulate/names.h"
#include "simulate/synthetic.h"
#include "support/golden.h"

namespace causcale {
namespace {

struct Reference {
  std::string mechanism;
  Digraph graph;
  Matrix<double> data;
  std::vector<int> target_of_row;
};

std::vector<std::string> reference_names(const std::string& prefix) {
  std::vector<std::string> names;
  for (const std::string& path : test::golden_list("synthetic/" + prefix)) {
    const std::string end = "_data.npy";
    if (path.ends_with(end)) names.push_back(path.substr(0, path.size() - end.size()));
  }
  return names;
}

Reference load(const std::string& name) {
  Reference reference;
  reference.data = test::golden_matrix(name + "_data.npy");
  const Matrix<double> dag = test::golden_matrix(name + "_dag.npy");
  Matrix<std::uint8_t> adjacency(dag.rows(), dag.cols());
  std::copy(dag.values().begin(), dag.values().end(), adjacency.values().begin());
  reference.graph = Digraph::from_adjacency(adjacency);
  for (const double target : test::golden_npy(name + "_targets.npy").values)
    reference.target_of_row.push_back(static_cast<int>(target));
  const std::size_t degree = name.find("_deg"), begin = name.find('_', degree + 1) + 1;
  reference.mechanism = name.substr(begin, name.rfind("_g") - begin);
  return reference;
}

TEST(SyntheticReference, RowsPerRegimeFollowTheSameRule) {
  const std::vector<std::string> names = reference_names("");
  if (names.empty()) GTEST_SKIP() << "no reference tables";
  for (const std::string& name : names) {
    const Reference reference = load(name);
    std::vector<int> sizes;  // of the blocks in order
    for (std::size_t r = 0; r < reference.target_of_row.size(); ++r) {
      if (r == 0 || reference.target_of_row[r] != reference.target_of_row[r - 1]) sizes.push_back(0);
      ++sizes.back();
    }
    SyntheticOptions options;
    options.rows = static_cast<int>(reference.data.rows());
    const Simulation ours = simulate_synthetic(options, reference.graph, 1, 0);
    const Interventions& interventions = ours.dataset.interventions;
    ASSERT_EQ(interventions.regimes.size(), sizes.size()) << name;
    std::vector<int> our_sizes(sizes.size(), 0);
    for (const int regime : interventions.regime_of_row) ++our_sizes[regime];
    EXPECT_EQ(our_sizes, sizes) << name;
    EXPECT_TRUE(std::is_sorted(interventions.regime_of_row.begin(), interventions.regime_of_row.end()));
    EXPECT_EQ(interventions.regimes.back().empty(), reference.target_of_row.back() == -1) << name;
  }
}

struct Statistics {
  double log_deviation = 0;  // mean over nodes with parents of the log deviation
  double offset = 0;         // ... of |mean| / deviation
  double correlation = 0;    // mean over edges of |correlation|
  double kurtosis = 0;       // mean over nodes with parents of the log of the fourth standardized moment
  static constexpr int kCount = 4;
  double operator[](int i) const {
    const double all[] = {log_deviation, offset, correlation, kurtosis};
    return all[i];
  }
};

Statistics describe_table(const Matrix<double>& data, const Digraph& graph) {
  const std::size_t rows = data.rows(), nodes = data.cols();
  std::vector<double> mean(nodes, 0), deviation(nodes), fourth(nodes, 0);
  std::vector<std::vector<double>> columns(nodes, std::vector<double>(rows));
  for (std::size_t c = 0; c < nodes; ++c) {
    for (std::size_t r = 0; r < rows; ++r) mean[c] += columns[c][r] = data(r, c);
    mean[c] /= static_cast<double>(rows);
    double squares = 0;
    for (const double x : columns[c]) squares += (x - mean[c]) * (x - mean[c]);
    deviation[c] = std::sqrt(squares / static_cast<double>(rows));
    for (double& x : columns[c]) {
      x = (x - mean[c]) / deviation[c];
      fourth[c] += x * x * x * x / static_cast<double>(rows);
    }
  }
  Statistics result;
  int children = 0;
  for (int node = 0; node < graph.nodes(); ++node) {
    if (graph.parents(node).empty()) continue;
    result.log_deviation += std::log(deviation[node]);
    result.offset += std::abs(mean[node]) / deviation[node];
    result.kurtosis += std::log(fourth[node]);
    ++children;
  }
  for (const Edge& edge : graph.edges())
    result.correlation +=
        std::abs(std::inner_product(columns[edge.source].begin(), columns[edge.source].end(),
                                    columns[edge.target].begin(), 0.0)) /
        static_cast<double>(rows);
  result.log_deviation /= children;
  result.offset /= children;
  result.kurtosis /= children;
  result.correlation /= static_cast<double>(graph.edge_count());
  return result;
}

// On the reference's own graph we draw many tables; if ours have the reference's distribution, the rank of
// its statistic among ours is uniform. Over k tables the mean rank has deviation sqrt(1 / 12 k); four are
// allowed. A wrong formula sends ranks to 0 or 1.
double worst_rank_score(const std::string& prefix, const std::string& mechanism, const SyntheticOptions& base,
                        int draws) {
  double rank_sum[Statistics::kCount] = {};
  int tables = 0;
  for (const std::string& name : reference_names(prefix)) {
    const Reference reference = load(name);
    if (reference.mechanism != mechanism || reference.graph.nodes() > 200) continue;
    SyntheticOptions options = base;
    options.rows = static_cast<int>(reference.data.rows());
    const Statistics truth = describe_table(reference.data, reference.graph);
    double rank[Statistics::kCount] = {};
    for (int i = 0; i < draws; ++i) {
      const Simulation ours =
          simulate_synthetic(options, reference.graph, 123, static_cast<std::uint32_t>(i));
      const Statistics statistics = describe_table(ours.dataset.table.values, reference.graph);
      for (int s = 0; s < Statistics::kCount; ++s) rank[s] += statistics[s] < truth[s] ? 1.0 / draws : 0.0;
    }
    for (int s = 0; s < Statistics::kCount; ++s) rank_sum[s] += rank[s];
    ++tables;
  }
  double worst = 0;
  for (const double sum : rank_sum)
    if (tables > 0) worst = std::max(worst, std::abs(sum / tables - 0.5) * std::sqrt(12.0 * tables));
  return worst;
}

class SyntheticReferenceMechanism : public testing::TestWithParam<const char*> {};

TEST_P(SyntheticReferenceMechanism, StatisticsLieWithinOurs) {
  if (reference_names("er_").empty()) GTEST_SKIP() << "no reference tables";
  SyntheticOptions options;
  options.mechanism = choice_named(kMechanismNames, GetParam(), "mechanism");
  EXPECT_LT(worst_rank_score("er_", GetParam(), options, 60), 4.0);
}

INSTANTIATE_TEST_SUITE_P(Paper, SyntheticReferenceMechanism,
                         testing::Values("linear", "nn", "nn_add", "sigmoid_add", "polynomial"));

// The comparison above must be able to tell: another size of noise, and one mechanism passed off as another.
TEST(SyntheticReference, TheRankScoreSeesWrongDistributions) {
  if (reference_names("er_").size() < 45) GTEST_SKIP() << "needs the full set of reference tables";
  SyntheticOptions loud;
  loud.noise_scale = 0.6;
  EXPECT_GT(worst_rank_score("er_", "linear", loud, 40), 4.0);
  SyntheticOptions mistaken;
  mistaken.mechanism = Mechanism::kPolynomial;
  EXPECT_GT(worst_rank_score("er_", "sigmoid_add", mistaken, 40), 4.0);
}

TEST(SyntheticReference, RootsAndTargetsAreUniformThereAndHere) {
  const std::vector<std::string> names = reference_names("er_n10_");
  if (names.empty()) GTEST_SKIP() << "no reference tables";
  const auto worst_gap =
      [](std::vector<double> values) {  // Kolmogorov-Smirnov against U(-1, 1), times sqrt(n)
        std::sort(values.begin(), values.end());
        double gap = 0;
        const double n = static_cast<double>(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          gap = std::max(gap, std::abs((values[i] + 1) / 2 - (static_cast<double>(i) + 0.5) / n));
        return gap * std::sqrt(n);
      };
  std::vector<double> theirs, ours;
  std::uint32_t index = 0;
  for (const std::string& name : names) {
    const Reference reference = load(name);
    SyntheticOptions options;
    options.rows = static_cast<int>(reference.data.rows());
    const Simulation simulation = simulate_synthetic(options, reference.graph, 9, index++);
    const Interventions& interventions = simulation.dataset.interventions;
    for (std::size_t r = 0; r < reference.data.rows(); ++r)
      for (int node = 0; node < reference.graph.nodes(); ++node) {
        const bool root = reference.graph.parents(node).empty();
        const auto& targets = interventions.regimes[interventions.regime_of_row[r]];
        if (root || reference.target_of_row[r] == node) theirs.push_back(reference.data(r, node));
        if (root || (!targets.empty() && targets[0] == node))
          ours.push_back(simulation.dataset.table.values(r, node));
      }
  }
  EXPECT_LT(worst_gap(theirs), 2.0);  // exceeded with probability 7e-4
  EXPECT_LT(worst_gap(ours), 2.0);
}

}  // namespace
}  // namespace causcale
