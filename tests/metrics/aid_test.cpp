#include "metrics/aid.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "causcale/error.h"
#include "graph/reachability.h"
#include "metrics/shd.h"
#include "metrics/sid.h"
#include "support/golden.h"
#include "support/random_graphs.h"

namespace causcale {
namespace {

Digraph read_mtx(const std::string& name) {
  std::istringstream in(test::golden_text("aid/graphs/" + name + ".mtx"));
  std::string header;
  std::getline(in, header);
  int rows, cols, entries;
  in >> rows >> cols >> entries;
  std::vector<Edge> edges(entries);
  for (Edge& edge : edges) {
    in >> edge.source >> edge.target;
    --edge.source;
    --edge.target;
  }
  EXPECT_TRUE(in) << name;
  return Digraph(rows, std::move(edges));
}

std::vector<std::vector<std::string>> read_csv(const std::string& path) {
  std::istringstream in(test::golden_text(path));
  std::vector<std::vector<std::string>> rows;
  std::string line, cell;
  std::getline(in, line);
  while (std::getline(in, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  return rows;
}

TEST(Aid, EqualsThePublishedSnapshots) {
  const auto rows = read_csv("aid/expected_aid.csv");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0] + " against " + row[1]);
    const Digraph truth = read_mtx(row[0]), guess = read_mtx(row[1]);
    const auto expect = [&](const AdjustmentDistance& distance, int column) {
      EXPECT_DOUBLE_EQ(distance.normalised, std::stod(row[column]));
      EXPECT_EQ(distance.count, std::stoul(row[column + 1]));
    };
    expect(ancestor_aid(truth, guess), 2);
    expect(oset_aid(truth, guess), 4);
    expect(parent_aid(truth, guess), 6);
    EXPECT_EQ(structural_hamming_distance(truth, guess), std::stoul(row[9]));
  }
}

class SidOfAllPairs : public testing::TestWithParam<std::string> {};

TEST_P(SidOfAllPairs, EqualsThePublishedTable) {
  const std::string size = GetParam();
  const auto rows = read_csv("aid/SID-" + size + "-node-DAGs.csv");
  ASSERT_FALSE(rows.empty());
  std::map<std::string, Digraph> graphs;
  for (const auto& row : rows)
    for (int column : {0, 1})
      if (!graphs.count(row[column])) graphs[row[column]] = read_mtx(size + "-node-DAG-" + row[column]);
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0] + " against " + row[1]);
    EXPECT_EQ(structural_hamming_distance(graphs[row[0]], graphs[row[1]]), std::stoul(row[2]));
    EXPECT_EQ(structural_intervention_distance(graphs[row[0]], graphs[row[1]]), std::stoul(row[3]));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SidOfAllPairs, testing::Values("10", "100"));

// The definitions spelt out on small graphs: all paths are enumerated, nothing is shared with the library.
class BruteForce {
 public:
  explicit BruteForce(const Digraph& dag) : dag_(dag), below_(descendant_sets(dag)) {}

  bool descends(int from, int to) const { return from != to && test_bit(below_.row(from), to); }

  bool valid(int t, int y, const std::vector<char>& in_set) const {
    for (int v = 0; v < dag_.nodes(); ++v) {
      const bool causal = descends(t, v) && (v == y || descends(v, y));
      for (int z = 0; z < dag_.nodes(); ++z)
        if (causal && in_set[z] && (z == v || descends(v, z))) return false;
    }
    std::vector<int> path{t};
    return !open_noncausal_path(path, y, in_set);
  }

 private:
  bool open_noncausal_path(std::vector<int>& path, int y, const std::vector<char>& in_set) const {
    if (path.back() == y) return !directed(path) && open(path, in_set);
    for (int next = 0; next < dag_.nodes(); ++next) {
      if (!dag_.has_edge(path.back(), next) && !dag_.has_edge(next, path.back())) continue;
      if (std::find(path.begin(), path.end(), next) != path.end()) continue;
      path.push_back(next);
      const bool found = open_noncausal_path(path, y, in_set);
      path.pop_back();
      if (found) return true;
    }
    return false;
  }
  bool directed(const std::vector<int>& path) const {
    for (std::size_t k = 0; k + 1 < path.size(); ++k)
      if (!dag_.has_edge(path[k], path[k + 1])) return false;
    return true;
  }
  bool open(const std::vector<int>& path, const std::vector<char>& in_set) const {
    for (std::size_t k = 1; k + 1 < path.size(); ++k) {
      const int v = path[k];
      const bool collider = dag_.has_edge(path[k - 1], v) && dag_.has_edge(path[k + 1], v);
      bool opened = in_set[v];
      for (int z = 0; z < dag_.nodes(); ++z) opened |= in_set[z] && descends(v, z);
      if (collider ? !opened : in_set[v] != 0) return false;
    }
    return true;
  }

  const Digraph& dag_;
  BitMatrix below_;
};

struct Counts {
  std::size_t parent = 0, ancestor = 0, oset = 0;
};

Counts brute_force_counts(const Digraph& truth_graph, const Digraph& guess_graph) {
  const BruteForce truth(truth_graph), guess(guess_graph);
  const int n = truth_graph.nodes();
  Counts counts;
  for (int t = 0; t < n; ++t)
    for (int y = 0; y < n; ++y) {
      if (t == y) continue;
      std::vector<char> parents(n), above(n), oset(n);
      for (int z = 0; z < n; ++z) {
        parents[z] = guess_graph.has_edge(z, t);
        above[z] = guess.descends(z, t);
        const auto causal = [&](int v) { return guess.descends(t, v) && (v == y || guess.descends(v, y)); };
        for (int v = 0; v < n; ++v)
          if (causal(v) && guess_graph.has_edge(z, v) && z != t && !causal(z)) oset[z] = 1;
      }
      const bool affected = truth.descends(t, y);
      counts.parent += parents[y] ? affected : !truth.valid(t, y, parents);
      counts.ancestor += guess.descends(t, y) ? !truth.valid(t, y, above) : affected;
      counts.oset += guess.descends(t, y) ? !truth.valid(t, y, oset) : affected;
    }
  return counts;
}

TEST(Aid, EqualsTheDefinitionOnRandomGraphs) {
  for (std::uint32_t k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    const int n = 2 + k % 6;
    const double density = 0.2 + 0.15 * (k % 5);
    const Digraph truth = test::random_dag(n, density, k), guess = test::random_dag(n, density, k + 1000);
    const Counts expected = brute_force_counts(truth, guess);
    EXPECT_EQ(parent_aid(truth, guess).count, expected.parent);
    EXPECT_EQ(ancestor_aid(truth, guess).count, expected.ancestor);
    EXPECT_EQ(oset_aid(truth, guess).count, expected.oset);
  }
}

TEST(Aid, IsZeroForTheTruthAndTheSameOnAnyThreadCount) {
  const Digraph truth = test::random_dag(90, 0.05, 1), guess = test::random_dag(90, 0.05, 2);
  for (auto distance : {parent_aid, ancestor_aid, oset_aid}) {
    EXPECT_EQ(distance(truth, truth, 1).count, 0u);
    EXPECT_GT(distance(truth, guess, 1).count, 0u);
    EXPECT_EQ(distance(truth, guess, 1), distance(truth, guess, 3));
  }
}

TEST(Aid, ReversedEdgeByHand) {
  // 0 -> 1 guessed as 1 -> 0: both effects are wrong, whatever the strategy.
  const Digraph truth(2, {{0, 1}}), guess(2, {{1, 0}});
  EXPECT_EQ(parent_aid(truth, guess).count, 2u);
  EXPECT_EQ(ancestor_aid(truth, guess).count, 2u);
  EXPECT_EQ(oset_aid(truth, guess).normalised, 1.0);
  EXPECT_EQ(parent_aid(Digraph(1), Digraph(1)), AdjustmentDistance{});
  EXPECT_EQ(oset_aid(Digraph(0), Digraph(0)), AdjustmentDistance{});
}

TEST(Aid, RejectsCyclesAndOtherSizes) {
  const Digraph dag(2, {{0, 1}}), cyclic(2, {{0, 1}, {1, 0}});
  EXPECT_THROW(parent_aid(dag, cyclic), InputError);
  EXPECT_THROW(oset_aid(cyclic, dag), InputError);
  EXPECT_THROW(ancestor_aid(dag, Digraph(3)), InputError);
}

}  // namespace
}  // namespace causcale
