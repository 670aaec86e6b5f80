#include "report/layout_ranks.h"

#include <algorithm>
#include <numeric>

#include "graph/order.h"

namespace causcale {
namespace {

constexpr int kTighteningSweeps = 8;
constexpr int kOrderingSweeps = 24;
constexpr int kSweepsWithoutGain = 6;
constexpr int kPlacementSweeps = 12;
// Swapping neighbours one by one pays in small drawings only.
constexpr std::size_t kMostVerticesToSwap = 1500;

std::vector<int> positions_in_layers(const LayerNetwork& network) {
  std::vector<int> position(network.vertices.size());
  for (const auto& layer : network.layers)
    for (std::size_t k = 0; k < layer.size(); ++k) position[layer[k]] = static_cast<int>(k);
  return position;
}

// Inversions of the sequence, by a Fenwick tree over its values.
std::size_t count_inversions(std::span<const int> sequence, std::size_t values) {
  std::vector<int> tree(values + 1, 0);
  std::size_t inversions = 0, seen = 0;
  for (int value : sequence) {
    std::size_t not_greater = 0;
    for (int at = value + 1; at > 0; at -= at & -at) not_greater += tree[at];
    inversions += seen - not_greater;
    for (std::size_t at = value + 1; at <= values; at += at & -at) ++tree[at];
    ++seen;
  }
  return inversions;
}

std::vector<int> sorted_positions(std::span<const int> vertices, std::span<const int> position) {
  std::vector<int> result;
  for (int vertex : vertices) result.push_back(position[vertex]);
  std::ranges::sort(result);
  return result;
}

std::size_t crossings_below(const LayerNetwork& network, std::size_t layer, std::span<const int> position) {
  std::vector<int> sequence;
  for (int vertex : network.layers[layer]) {
    const auto targets = sorted_positions(network.vertices[vertex].below, position);
    sequence.insert(sequence.end(), targets.begin(), targets.end());
  }
  return count_inversions(sequence, network.layers[layer + 1].size());
}

// Sorts one layer by the mean position of the neighbours on one side; vertices without any stay in place.
void sort_layer(LayerNetwork& network, std::size_t at, bool by_above, std::vector<int>& position) {
  auto& layer = network.layers[at];
  std::vector<std::pair<double, int>> keyed;
  std::vector<std::size_t> free_slots;
  for (std::size_t k = 0; k < layer.size(); ++k) {
    const auto& vertex = network.vertices[layer[k]];
    const auto& neighbours = by_above ? vertex.above : vertex.below;
    if (neighbours.empty()) continue;
    double sum = 0;
    for (int neighbour : neighbours) sum += position[neighbour];
    keyed.emplace_back(sum / static_cast<double>(neighbours.size()), layer[k]);
    free_slots.push_back(k);
  }
  std::ranges::stable_sort(keyed, {}, [](const auto& entry) { return entry.first; });
  for (std::size_t k = 0; k < keyed.size(); ++k) layer[free_slots[k]] = keyed[k].second;
  for (std::size_t k = 0; k < layer.size(); ++k) position[layer[k]] = static_cast<int>(k);
}

// Crossings between the links of two neighbours of a layer when `left` stands left of `right`.
std::size_t crossings_of_pair(std::span<const int> left, std::span<const int> right,
                              std::span<const int> position) {
  const auto a = sorted_positions(left, position), b = sorted_positions(right, position);
  std::size_t crossings = 0, smaller = 0;
  for (int value : a) {
    while (smaller < b.size() && b[smaller] < value) ++smaller;
    crossings += smaller;
  }
  return crossings;
}

void swap_neighbours(LayerNetwork& network, std::vector<int>& position) {
  for (bool improved = true; improved;) {
    improved = false;
    for (auto& layer : network.layers)
      for (std::size_t k = 0; k + 1 < layer.size(); ++k) {
        const auto &left = network.vertices[layer[k]], &right = network.vertices[layer[k + 1]];
        const std::size_t now = crossings_of_pair(left.above, right.above, position) +
                                crossings_of_pair(left.below, right.below, position);
        const std::size_t swapped = crossings_of_pair(right.above, left.above, position) +
                                    crossings_of_pair(right.below, left.below, position);
        if (swapped >= now) continue;
        std::swap(layer[k], layer[k + 1]);
        std::swap(position[layer[k]], position[layer[k + 1]]);
        improved = true;
      }
  }
}

// The nearest places to the wished ones (weighted squares) that keep the order and the distances: after
// subtracting the distances this is monotone regression, solved by pooling neighbours that violate the order.
void place_layer(const LayerNetwork& network, const std::vector<int>& layer, std::span<const double> wish,
                 std::span<const double> weight, std::vector<double>& x) {
  struct Pool {
    double mean, weight;
    std::size_t members;
  };
  std::vector<Pool> pools;
  std::vector<double> offset(layer.size(), 0.0);
  for (std::size_t k = 0; k < layer.size(); ++k) {
    if (k > 0)
      offset[k] =
          offset[k - 1] + network.vertices[layer[k - 1]].half_width + network.vertices[layer[k]].half_width;
    pools.push_back({wish[k] - offset[k], weight[k], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& pool = pools.back();
      pool.mean = (pool.mean * pool.weight + last.mean * last.weight) / (pool.weight + last.weight);
      pool.weight += last.weight;
      pool.members += last.members;
    }
  }
  std::size_t k = 0;
  for (const Pool& pool : pools)
    for (std::size_t member = 0; member < pool.members; ++member, ++k) x[layer[k]] = pool.mean + offset[k];
}

}  // namespace

std::vector<int> assign_layers(const Digraph& graph) {
  const std::vector<int> order = topological_order(graph).value();
  std::vector<int> layer(graph.nodes(), 0);
  for (int node : order)
    for (int parent : graph.parents(node)) layer[node] = std::max(layer[node], layer[parent] + 1);
  // The longest path leaves causes far above their effects: a node with more effects than causes shortens its
  // edges by moving down as far as its effects allow.
  for (int sweep = 0; sweep < kTighteningSweeps; ++sweep) {
    bool moved = false;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const auto children = graph.children(*at);
      if (children.size() <= graph.parents(*at).size()) continue;
      int lowest = layer[children[0]] - 1;
      for (int child : children) lowest = std::min(lowest, layer[child] - 1);
      moved |= lowest != layer[*at];
      layer[*at] = lowest;
    }
    if (!moved) break;
  }
  return layer;
}

void split_wide_layers(const Digraph& graph, std::size_t most, std::vector<int>& layer) {
  std::vector<std::vector<int>> members(1 + *std::ranges::max_element(layer));
  for (int node = 0; node < graph.nodes(); ++node)
    if (!graph.children(node).empty() || !graph.parents(node).empty()) members[layer[node]].push_back(node);
  int added = 0;
  for (std::size_t at = 0; at < members.size(); ++at) {
    auto& nodes = members[at];
    std::ranges::stable_sort(nodes, {}, [&](int node) { return graph.children(node).size(); });
    const std::size_t parts = std::max<std::size_t>(1, (nodes.size() + most - 1) / most);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      layer[nodes[k]] = static_cast<int>(at + added + k * parts / nodes.size());
    added += static_cast<int>(parts) - 1;
  }
}

int LayerNetwork::add(int layer, double half_width, bool is_bend) {
  const int vertex = static_cast<int>(vertices.size());
  vertices.push_back({layer, half_width, is_bend, {}, {}});
  if (layers.size() <= static_cast<std::size_t>(layer)) layers.resize(layer + 1);
  layers[layer].push_back(vertex);
  return vertex;
}

void LayerNetwork::link(int upper, int lower) {
  vertices[upper].below.push_back(lower);
  vertices[lower].above.push_back(upper);
}

std::size_t count_crossings(const LayerNetwork& network) {
  const auto position = positions_in_layers(network);
  std::size_t crossings = 0;
  for (std::size_t layer = 0; layer + 1 < network.layers.size(); ++layer)
    crossings += crossings_below(network, layer, position);
  return crossings;
}

void reduce_crossings(LayerNetwork& network) {
  std::vector<int> position = positions_in_layers(network);
  std::size_t fewest = count_crossings(network);
  auto best = network.layers;
  const std::size_t layers = network.layers.size();
  int without_gain = 0;
  for (int sweep = 0; sweep < kOrderingSweeps && without_gain < kSweepsWithoutGain && fewest > 0; ++sweep) {
    if (sweep % 2 == 0)
      for (std::size_t layer = 1; layer < layers; ++layer) sort_layer(network, layer, true, position);
    else
      for (std::size_t layer = layers - 1; layer-- > 0;) sort_layer(network, layer, false, position);
    if (network.vertices.size() <= kMostVerticesToSwap) swap_neighbours(network, position);
    const std::size_t crossings = count_crossings(network);
    ++without_gain;
    if (crossings < fewest) {
      fewest = crossings;
      best = network.layers;
      without_gain = 0;
    }
  }
  network.layers = std::move(best);
}

std::vector<double> place_vertices(const LayerNetwork& network) {
  std::vector<double> x(network.vertices.size(), 0.0), wish, weight;
  for (const auto& layer : network.layers) {
    wish.assign(layer.size(), 0.0);
    weight.assign(layer.size(), 1.0);
    place_layer(network, layer, wish, weight, x);
  }
  const auto pull = [&](const std::vector<int>& neighbours, bool is_bend, double& sum, double& total) {
    for (int other : neighbours) {
      // Between two bends a link should be straight; a crooked first or last piece disturbs less.
      const double strength = is_bend && network.vertices[other].is_bend ? 8 : is_bend ? 2 : 1;
      sum += strength * x[other];
      total += strength;
    }
  };
  const std::size_t layers = network.layers.size();
  for (int sweep = 0; sweep < kPlacementSweeps; ++sweep) {
    const bool down = sweep % 2 == 0, both = sweep >= kPlacementSweeps / 2;
    for (std::size_t step = 0; step < layers; ++step) {
      const auto& layer = network.layers[down ? step : layers - 1 - step];
      wish.clear();
      weight.clear();
      for (int at : layer) {
        const auto& vertex = network.vertices[at];
        double sum = 0, total = 0;
        if (both || down) pull(vertex.above, vertex.is_bend, sum, total);
        if (both || !down) pull(vertex.below, vertex.is_bend, sum, total);
        wish.push_back(total > 0 ? sum / total : x[at]);
        weight.push_back(total > 0 ? total : 0.1);
      }
      place_layer(network, layer, wish, weight, x);
    }
  }
  return x;
}

}  // namespace causcale
