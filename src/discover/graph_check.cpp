#include "discover/graph_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/random.h"
#include "base/shuffle.h"
#include "causcale/error.h"
#include "data/value_range.h"
#include "graph/cpdag.h"
#include "graph/order.h"
#include "graph/reachability.h"
#include "methods/constraint/choose_test.h"

namespace causcale {
namespace {

constexpr std::size_t kFewestObservational = 100;
// More rows do not change the answer and make tests of discrete columns slow.
constexpr std::size_t kMostRows = 10000;
constexpr std::size_t kFewestClaims = 5;
constexpr double kSignificant = 0.05;

struct Claim {
  int x, y;
};

// One claim for every pair without an edge: the one that is no ancestor of the other (the one with fewer
// parents, where neither is) against the other, given its parents. They imply all others.
std::vector<Claim> claims_of(const Digraph& dag) {
  const BitMatrix below = descendant_sets(dag);
  std::vector<Claim> claims;
  for (int a = 0; a < dag.nodes(); ++a)
    for (int b = a + 1; b < dag.nodes(); ++b) {
      if (dag.has_edge(a, b) || dag.has_edge(b, a)) continue;
      const bool a_first = test_bit(below.row(a), b), b_first = test_bit(below.row(b), a);
      const bool later_b = a_first || (!b_first && dag.parents(b).size() < dag.parents(a).size());
      claims.push_back(later_b ? Claim{b, a} : Claim{a, b});
    }
  return claims;
}

Digraph permuted(const Digraph& dag, RandomStream& random) {
  std::vector<int> name(dag.nodes());
  std::iota(name.begin(), name.end(), 0);
  shuffle(name, random);
  std::vector<Edge> edges;
  for (const Edge& edge : dag.edges()) edges.push_back({name[edge.source], name[edge.target]});
  return Digraph(dag.nodes(), std::move(edges));
}

// A random order, and as many of its pairs as there are to be edges.
Digraph random_dag(int nodes, std::size_t edge_count, RandomStream& random) {
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  std::vector<Edge> edges;
  std::size_t left = static_cast<std::size_t>(nodes) * (nodes - 1) / 2, wanted = edge_count;
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b, --left)
      if (random.uniform() * static_cast<double>(left) < static_cast<double>(wanted)) {
        edges.push_back({order[a], order[b]});
        --wanted;
      }
  return Digraph(nodes, std::move(edges));
}

class GraphTester {
 public:
  GraphTester(const IndependenceTest& test, const GraphCheckOptions& options)
      : test_(test), options_(options) {}

  // `number` gives every graph random numbers of its own. With `found`, what was violated is listed there.
  ClaimCounts run(const Digraph& dag, std::uint32_t number, GraphCheck* found) const {
    std::vector<Claim> claims = claims_of(dag);
    if (claims.size() > options_.tests) {
      RandomStream random(options_.seed, 0, Purpose::kCheckClaims, number);
      for (std::size_t k = 0; k < options_.tests; ++k)
        std::swap(claims[k], claims[k + random.below(static_cast<std::uint32_t>(claims.size() - k))]);
      claims.resize(options_.tests);
    }
    ClaimCounts counts;
    for (const auto& [x, y] : claims) {
      const auto given = dag.parents(x);
      if (static_cast<int>(given.size()) > test_.largest_set()) continue;
      const double strength = test_.strength(x, y, given);
      if (!std::isfinite(strength)) continue;
      ++counts.tested;
      if (strength <= 1.0) continue;
      ++counts.violated;
      if (found) found->violations.push_back({x, y, {given.begin(), given.end()}, strength});
    }
    if (!found) return counts;
    std::vector<int> others;
    for (const Edge& edge : dag.edges()) {
      others.assign(dag.parents(edge.target).begin(), dag.parents(edge.target).end());
      std::erase(others, edge.source);
      if (static_cast<int>(others.size()) > test_.largest_set()) continue;
      const double strength = test_.strength(edge.source, edge.target, others);
      if (!std::isfinite(strength)) continue;
      ++counts.edges;
      if (strength > 1.0) continue;
      ++counts.unsupported;
      found->unsupported.push_back(edge);
    }
    std::ranges::stable_sort(found->violations, std::greater{}, &TestedClaim::strength);
    return counts;
  }

 private:
  const IndependenceTest& test_;
  const GraphCheckOptions& options_;
};

Table rows_to_test(const Dataset& dataset, std::vector<std::string>& notes) {
  const Table& table = dataset.table;
  std::vector<std::size_t> rows, observational;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    rows.push_back(r);
    const auto& regime = dataset.interventions.regime_of_row;
    if (regime.empty() || dataset.interventions.regimes[regime[r]].empty()) observational.push_back(r);
  }
  if (observational.size() < rows.size()) {
    if (observational.size() >= kFewestObservational) {
      notes.push_back(fmt::format("the {} rows without an intervention are used", observational.size()));
      rows = std::move(observational);
    } else {
      notes.push_back(
          "too few rows are without an intervention: all are pooled, which can violate claims that hold");
    }
  }
  if (rows.size() > kMostRows) {
    std::vector<std::size_t> spaced(kMostRows);
    for (std::size_t k = 0; k < kMostRows; ++k) spaced[k] = rows[k * rows.size() / kMostRows];
    rows = std::move(spaced);
    notes.push_back(fmt::format("{} evenly spaced rows are used", kMostRows));
  }
  Table chosen{.names = table.names,
               .values = Matrix<double>(rows.size(), table.cols()),
               .kinds = table.kinds,
               .levels = table.levels};
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::ranges::copy(table.values.row(rows[k]), chosen.values.row(k).begin());
  return chosen;
}

double share_p(double own, const std::vector<double>& others) {
  const auto as_good = std::ranges::count_if(others, [&](double share) { return share <= own; });
  return (1.0 + static_cast<double>(as_good)) / (1.0 + static_cast<double>(others.size()));
}

CheckVerdict judge(const GraphCheck& check, double alpha) {
  if (check.graph.tested < kFewestClaims || check.permuted.empty()) return CheckVerdict::kUnclear;
  if (check.permuted_p <= kSignificant) return CheckVerdict::kFits;
  // More violations than tests of true claims would show by chance, three standard errors and more.
  const double tested = static_cast<double>(check.graph.tested);
  const double chance = alpha + 3.0 * std::sqrt(alpha * (1.0 - alpha) / tested);
  return check.graph.violated_share() > chance ? CheckVerdict::kRejected : CheckVerdict::kUnclear;
}

}  // namespace

std::string verdict_name(CheckVerdict verdict) {
  return verdict == CheckVerdict::kFits       ? "fits"
         : verdict == CheckVerdict::kRejected ? "rejected"
                                              : "unclear";
}

GraphCheck check_graph(const Dataset& dataset, const Digraph& dag, const GraphCheckOptions& options) {
  if (static_cast<std::size_t>(dag.nodes()) != dataset.table.cols())
    throw InputError(
        fmt::format("the graph has {} variables, the table {} columns", dag.nodes(), dataset.table.cols()));
  if (!is_acyclic(dag)) throw InputError("the graph has a directed cycle: it implies no independences");
  require_value_range(dataset.table);
  GraphCheck check;
  const Table table = rows_to_test(dataset, check.notes);
  check.rows = table.rows();
  MethodOptions settings;
  settings.settings = {{"alpha", fmt::format("{}", options.alpha)}, {"test", options.test}};
  settings.seed = options.seed;
  settings.threads = options.threads;
  const ChosenTest chosen = choose_test(table, settings);
  check.notes.insert(check.notes.end(), chosen.log.begin(), chosen.log.end());
  if (chosen.log.empty()) check.notes.push_back("test fisher-z: all columns are continuous");

  const GraphTester tester(*chosen.test, options);
  check.graph = tester.run(dag, 0, &check);
  const Cpdag own_class = cpdag_of(dag);
  check.permuted.resize(options.permutations);
  check.random.resize(options.random_graphs);
  std::vector<char> same(options.permutations, 0);
  const std::size_t all = check.permuted.size() + check.random.size();
  parallel_for(all, options.threads, [&](std::size_t k) {
    const bool is_permutation = k < check.permuted.size();
    const auto item = static_cast<std::uint32_t>(is_permutation ? k : k - check.permuted.size());
    RandomStream random(options.seed, 0,
                        is_permutation ? Purpose::kCheckPermutation : Purpose::kCheckRandomGraph, item);
    const Digraph other =
        is_permutation ? permuted(dag, random) : random_dag(dag.nodes(), dag.edge_count(), random);
    const double share = tester.run(other, static_cast<std::uint32_t>(k + 1), nullptr).violated_share();
    (is_permutation ? check.permuted : check.random)[item] = share;
    if (is_permutation) same[item] = cpdag_of(other) == own_class;
  });
  if (!same.empty())
    check.same_class = static_cast<double>(std::ranges::count(same, 1)) / static_cast<double>(same.size());
  std::ranges::sort(check.permuted);
  std::ranges::sort(check.random);
  check.permuted_p = share_p(check.graph.violated_share(), check.permuted);
  check.random_p = share_p(check.graph.violated_share(), check.random);
  check.verdict = judge(check, options.alpha);
  return check;
}

}  // namespace causcale
