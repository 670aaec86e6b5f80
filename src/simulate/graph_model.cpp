#include "simulate/graph_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/shuffle.h"
#include "causcale/error.h"

namespace causcale {
namespace {

// Everywhere below nodes are positions in a causal order: an edge leads from the lower to the higher.
using Edges = std::vector<Edge>;

double pair_count(int nodes) {
  return 0.5 * nodes * (nodes - 1.0);
}

double edge_probability(const GraphOptions& options) {
  if (options.nodes < 2) return 0.0;
  return std::min(1.0, 2.0 * options.edges_per_node / (options.nodes - 1.0));
}

// Visits each index in [0, count) independently with the probability, jumping over the gaps.
template <class Visit>
void visit_with_probability(std::int64_t count, double probability, RandomStream& random, Visit visit) {
  if (probability <= 0) return;
  if (probability >= 1) {
    for (std::int64_t i = 0; i < count; ++i) visit(i);
    return;
  }
  const double log_miss = std::log1p(-probability);
  double position = -1;
  while (true) {
    position += 1 + std::floor(std::log(random.uniform()) / log_miss);
    if (position >= static_cast<double>(count)) return;
    visit(static_cast<std::int64_t>(position));
  }
}

Edges erdos_renyi(const GraphOptions& options, RandomStream& random) {
  Edges edges;
  const double probability = edge_probability(options);
  for (int target = 1; target < options.nodes; ++target)
    visit_with_probability(target, probability, random, [&](std::int64_t source) {
      edges.push_back({static_cast<int>(source), target});
    });
  return edges;
}

// Last node first, each chooses a binomial number of parents among its predecessors, preferring those that
// have many children already.
Edges scale_free(const GraphOptions& options, RandomStream& random) {
  Edges edges;
  const double probability = edge_probability(options);
  std::vector<int> out_degree(options.nodes, 0);
  std::vector<double> weight(options.nodes, 1.0);
  for (int target = options.nodes - 1; target > 0; --target) {
    int wanted = 0;
    visit_with_probability(target, probability, random, [&](std::int64_t) { ++wanted; });
    double total = std::accumulate(weight.begin(), weight.begin() + target, 0.0);
    std::vector<char> chosen(target, 0);
    for (int k = 0; k < wanted; ++k) {
      double remaining = random.uniform() * total;
      int parent = -1;
      for (int i = 0; i < target; ++i) {
        if (chosen[i]) continue;
        parent = i;  // also the answer when rounding lets `remaining` outlast the weights
        remaining -= weight[i];
        if (remaining < 0) break;
      }
      chosen[parent] = 1;
      total -= weight[parent];
      edges.push_back({parent, target});
    }
    for (int i = 0; i < target; ++i)
      if (chosen[i]) weight[i] = std::pow(++out_degree[i] + 1.0, options.attachment_power);
  }
  return edges;
}

Edges stochastic_block(const GraphOptions& options, RandomStream& random) {
  const int nodes = options.nodes;
  std::vector<int> block(nodes);
  for (int i = 0; i < nodes; ++i) block[i] = i % options.blocks;
  const std::vector<int> shuffle = random_permutation(nodes, random);
  std::vector<int> block_of(nodes);
  for (int i = 0; i < nodes; ++i) block_of[shuffle[i]] = block[i];

  double within = 0;
  for (int b = 0; b < options.blocks; ++b)
    within += pair_count(static_cast<int>(std::count(block.begin(), block.end(), b)));
  const double between = pair_count(nodes) - within;
  const double inside =
      std::min(1.0, options.edges_per_node * nodes / (within + options.block_damping * between));
  Edges edges;
  for (int target = 1; target < nodes; ++target)
    for (int source = 0; source < target; ++source) {
      const bool same = block_of[source] == block_of[target];
      if (random.coin(same ? inside : inside * options.block_damping)) edges.push_back({source, target});
    }
  return edges;
}

// A ring in random places of the causal order; every node is joined to its nearest neighbours on one side,
// and a share of these edges is moved to a random other end.
Edges watts_strogatz(const GraphOptions& options, RandomStream& random) {
  const int nodes = options.nodes;
  const std::vector<int> place = random_permutation(nodes, random);
  std::vector<std::vector<char>> joined(nodes, std::vector<char>(nodes, 0));
  Edges edges;
  auto join = [&](int a, int b) {
    if (a == b || joined[a][b]) return false;
    joined[a][b] = joined[b][a] = 1;
    edges.push_back({std::min(a, b), std::max(a, b)});
    return true;
  };
  // No more than all pairs there are.
  const double per_node = std::min(options.edges_per_node, 0.5 * (nodes - 1));
  const int whole = static_cast<int>(per_node);
  const double part = per_node - whole;
  for (int i = 0; i < nodes; ++i) {
    const int reach = whole + (random.coin(part) ? 1 : 0);
    for (int step = 1; step <= reach; ++step) {
      const bool moved = random.coin(options.rewiring);
      if (!moved && join(place[i], place[(i + step) % nodes])) continue;
      // A taken place sends the edge elsewhere as well, so that the number of edges is kept.
      for (int attempt = 0; attempt < 20; ++attempt)
        if (join(place[i], static_cast<int>(random.below(nodes)))) break;
    }
  }
  return edges;
}

// Points in the unit square, the nearest pairs joined: as many as the expected number of edges.
Edges geometric(const GraphOptions& options, RandomStream& random) {
  const int nodes = options.nodes;
  std::vector<double> x(nodes), y(nodes);
  for (int i = 0; i < nodes; ++i) {
    x[i] = random.uniform();
    y[i] = random.uniform();
  }
  std::vector<std::pair<double, Edge>> pairs;
  for (int target = 1; target < nodes; ++target)
    for (int source = 0; source < target; ++source) {
      const double dx = x[source] - x[target], dy = y[source] - y[target];
      pairs.push_back({dx * dx + dy * dy, {source, target}});
    }
  const auto wanted = std::min<std::size_t>(
      pairs.size(), static_cast<std::size_t>(std::lround(options.edges_per_node * nodes)));
  std::nth_element(pairs.begin(), pairs.begin() + wanted, pairs.end());
  Edges edges;
  for (std::size_t i = 0; i < wanted; ++i) edges.push_back(pairs[i].second);
  return edges;
}

Edges sample_edges(const GraphOptions& options, RandomStream& random) {
  switch (options.model) {
    case GraphModel::kErdosRenyi:
      return erdos_renyi(options, random);
    case GraphModel::kScaleFree:
      return scale_free(options, random);
    case GraphModel::kStochasticBlock:
      return stochastic_block(options, random);
    case GraphModel::kWattsStrogatz:
      return watts_strogatz(options, random);
    case GraphModel::kGeometric:
      return geometric(options, random);
  }
  throw UsageError("unknown graph model");
}

}  // namespace

void check_graph_options(const GraphOptions& options) {
  if (options.nodes < 1)
    throw UsageError(fmt::format("number of nodes is {}, but must be at least 1", options.nodes));
  if (!(options.edges_per_node >= 0) || !std::isfinite(options.edges_per_node))
    throw UsageError(fmt::format("edges per node is {}, but must be 0 or more", options.edges_per_node));
  if (options.blocks < 1)
    throw UsageError(fmt::format("number of blocks is {}, but must be at least 1", options.blocks));
  if (!(options.block_damping >= 0 && options.block_damping <= 1))
    throw UsageError(fmt::format("block damping is {}, but must lie in [0, 1]", options.block_damping));
  if (!(options.rewiring >= 0 && options.rewiring <= 1))
    throw UsageError(fmt::format("rewiring share is {}, but must lie in [0, 1]", options.rewiring));
  if (!std::isfinite(options.attachment_power))
    throw UsageError("the power of preferential attachment must be a finite number");
}

std::vector<int> random_permutation(int size, RandomStream& random) {
  std::vector<int> permutation(size);
  std::iota(permutation.begin(), permutation.end(), 0);
  shuffle(permutation, random);
  return permutation;
}

SampledGraph sample_graph(const GraphOptions& options, RandomStream& random) {
  check_graph_options(options);
  Edges edges = sample_edges(options, random);
  std::vector<int> order = random_permutation(options.nodes, random);
  for (Edge& edge : edges) {
    edge = {order[edge.source], order[edge.target]};
    if (options.reverse_edges) std::swap(edge.source, edge.target);
  }
  if (options.reverse_edges) std::reverse(order.begin(), order.end());
  return {Digraph(options.nodes, std::move(edges)), std::move(order)};
}

}  // namespace causcale
