#include "graph/optimal_acyclic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "causcale/error.h"
#include "graph/components.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "graph/order_search.h"

namespace causcale {
namespace {

constexpr int kMostExactNodes = 24;
constexpr double kSurest = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A strongly connected component with its own numbering of nodes.
struct Problem {
  int nodes = 0;
  std::vector<WeightedEdge> edges;  // finite weights: one that must be kept outweighs all others together
  std::vector<std::size_t> index;   // of each edge in the whole graph
};

// f(S) = the heaviest forward edges of an order of S. The last node v of the order takes in all edges that
// lead to it from the others, so f(S) = max over v in S of f(S - v) + weight(S -> v).
std::vector<int> best_order(const Problem& problem) {
  const int k = problem.nodes, low_bits = k / 2, high_bits = k - low_bits;
  // weight(S -> v) for all v at once is the sum of two rows: one for the lower half of S, one for the upper.
  const auto weights_into = [&](int first, int bits) {
    std::vector<double> single(static_cast<std::size_t>(bits) * k, 0.0);
    for (const WeightedEdge& edge : problem.edges)
      if (edge.source >= first && edge.source < first + bits)
        single[static_cast<std::size_t>(edge.source - first) * k + edge.target] += edge.weight;
    std::vector<double> rows((std::size_t{1} << bits) * k, 0.0);
    for (std::size_t set = 1; set < std::size_t{1} << bits; ++set) {
      const std::size_t lowest = std::countr_zero(set), rest = set & (set - 1);
      for (int v = 0; v < k; ++v) rows[set * k + v] = rows[rest * k + v] + single[lowest * k + v];
    }
    return rows;
  };
  const std::vector<double> low = weights_into(0, low_bits), high = weights_into(low_bits, high_bits);

  const std::size_t sets = std::size_t{1} << k, low_mask = (std::size_t{1} << low_bits) - 1;
  std::vector<double> best(sets, 0.0);
  std::vector<std::uint8_t> last(sets, 0);
  for (std::size_t set = 1; set < sets; ++set) {
    const double* from_low = low.data() + (set & low_mask) * k;
    const double* from_high = high.data() + (set >> low_bits) * k;
    double heaviest = -kInfinity;
    for (std::size_t left = set; left; left &= left - 1) {
      const int v = std::countr_zero(left);
      const double weight = best[set ^ (std::size_t{1} << v)] + from_low[v] + from_high[v];
      if (weight <= heaviest) continue;
      heaviest = weight;
      last[set] = static_cast<std::uint8_t>(v);
    }
    best[set] = heaviest;
  }
  std::vector<int> order(k);
  for (std::size_t set = sets - 1; set; set ^= std::size_t{1} << last[set])
    order[std::popcount(set) - 1] = last[set];
  return order;
}

// Components of at least two nodes, in the order of their numbers.
std::vector<Problem> split(const Digraph& graph, std::span<const double> weights) {
  const Components components = strongly_connected_components(graph);
  std::vector<int> size(components.count, 0), local(graph.nodes()), place(components.count, -1);
  for (int v = 0; v < graph.nodes(); ++v) local[v] = size[components.component_of[v]]++;
  std::vector<Problem> problems;
  for (int c = 0; c < components.count; ++c) {
    if (size[c] < 2) continue;
    place[c] = static_cast<int>(problems.size());
    problems.emplace_back().nodes = size[c];
  }
  const auto edges = graph.edges();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [source, target] = edges[e];
    const int c = components.component_of[source];
    if (c != components.component_of[target]) continue;
    problems[place[c]].edges.push_back({local[source], local[target], weights[e]});
    problems[place[c]].index.push_back(e);
  }
  for (Problem& problem : problems) {
    double all = 1.0;
    for (const WeightedEdge& edge : problem.edges)
      if (std::isfinite(edge.weight)) all += edge.weight;
    for (WeightedEdge& edge : problem.edges)
      if (!std::isfinite(edge.weight)) edge.weight = all;
  }
  return problems;
}

double backward_weight(const Problem& problem, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[order[p]] = static_cast<int>(p);
  double sum = 0;
  for (const WeightedEdge& edge : problem.edges)
    if (place[edge.source] > place[edge.target]) sum += edge.weight;
  return sum;
}

// An order of the component's nodes in which the kept edges lead forward.
std::vector<int> order_of(const Problem& problem, const std::vector<char>& kept) {
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < problem.edges.size(); ++k)
    if (kept[problem.index[k]]) edges.push_back({problem.edges[k].source, problem.edges[k].target});
  return *topological_order(Digraph(problem.nodes, std::move(edges)));
}

// Four searches, whose results are compared in their order: the number of threads does not matter.
std::vector<int> search_from_starts(const Problem& problem, const std::vector<int>& greedy,
                                    const AcyclicSearch& search, std::int64_t effort, std::uint32_t number) {
  std::vector<std::vector<int>> orders = {greedy, order_by_surplus(problem.nodes, problem.edges), greedy,
                                          random_order(problem.nodes, search.seed, number)};
  std::vector<double> lost(orders.size());
  parallel_for(orders.size(), search.threads, [&](std::size_t s) {
    const auto stream = static_cast<std::uint32_t>(number * orders.size() + s);
    orders[s] = search_order(std::move(orders[s]), problem.edges, effort, search.seed, stream);
    lost[s] = backward_weight(problem, orders[s]);
  });
  return orders[std::ranges::min_element(lost) - lost.begin()];
}

void check_weights(const Digraph& graph, std::span<const double> weights) {
  const auto edges = graph.edges();
  if (weights.size() != edges.size())
    throw InputError(fmt::format("{} weights given for {} edges", weights.size(), edges.size()));
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (!(weights[e] >= 0))
      throw InputError(fmt::format("the weight of edge {} -> {} is {}; expected 0 or more", edges[e].source,
                                   edges[e].target, weights[e]));
}

}  // namespace

double edge_log_odds(double probability, double threshold) {
  const auto odds = [](double p) {
    p = std::clamp(p, kSurest, 1.0 - kSurest);
    return std::log(p / (1.0 - p));
  };
  return std::max(0.0, odds(probability) - odds(std::min(threshold, 0.5)));
}

OptimalAcyclic optimal_acyclic(const Digraph& graph, std::span<const double> weights,
                               const AcyclicSearch& search) {
  check_weights(graph, weights);
  const auto edges = graph.edges();
  OptimalAcyclic result;
  std::vector<char> kept(edges.size(), 1);
  for (const ScoredEdge& removed : break_cycles(graph, weights).removed) {
    if (std::isinf(removed.score))
      throw InputError(fmt::format("the edges that must be kept form a cycle through {} -> {}",
                                   removed.edge.source, removed.edge.target));
    kept[std::ranges::lower_bound(edges, removed.edge) - edges.begin()] = 0;
    result.greedy_removed_weight += removed.score;
  }

  const std::vector<Problem> problems = split(graph, weights);
  const int exact_nodes = std::min(search.exact_nodes, kMostExactNodes);
  std::int64_t large_nodes = 0;
  std::vector<std::size_t> small, large;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    (problems[k].nodes <= exact_nodes ? small : large).push_back(k);
    if (problems[k].nodes > exact_nodes) large_nodes += problems[k].nodes;
  }
  result.exact = large.empty();
  std::vector<std::vector<int>> orders(problems.size());
  parallel_for(small.size(), search.threads,
               [&](std::size_t k) { orders[small[k]] = best_order(problems[small[k]]); });
  for (const std::size_t k : large)
    orders[k] =
        search_from_starts(problems[k], order_of(problems[k], kept), search,
                           search.effort * problems[k].nodes / large_nodes, static_cast<std::uint32_t>(k));

  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Problem& problem = problems[k];
    double greedy_lost = 0;
    for (std::size_t e = 0; e < problem.edges.size(); ++e)
      if (!kept[problem.index[e]]) greedy_lost += problem.edges[e].weight;
    if (backward_weight(problem, orders[k]) >= greedy_lost) continue;
    std::vector<int> place(problem.nodes);
    for (int p = 0; p < problem.nodes; ++p) place[orders[k][p]] = p;
    for (std::size_t e = 0; e < problem.edges.size(); ++e)
      kept[problem.index[e]] = place[problem.edges[e].source] < place[problem.edges[e].target];
  }

  // A last pass puts back what closes no cycle: edges of weight zero, and what a search has overlooked.
  std::vector<double> scores(weights.begin(), weights.end());
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (kept[e]) scores[e] = kInfinity;
  CycleBreaking broken = break_cycles(graph, scores);
  result.graph = std::move(broken.graph);
  result.removed = std::move(broken.removed);
  for (const ScoredEdge& removed : result.removed) result.removed_weight += removed.score;
  return result;
}

}  // namespace causcale
