#include "samples/moved_sets.h"

#include <algorithm>

#include "causcale/error.h"
#include "graph/order.h"

namespace causcale {
namespace {

// Bit i of word k becomes bit k of word i.
void transpose(std::span<std::uint64_t, 64> words) {
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (int step = 32; step != 0; step >>= 1, mask ^= mask << step)
    for (int k = 0; k < 64; k = (k + step + 1) & ~step) {
      const std::uint64_t exchanged = ((words[k] >> step) ^ words[k + step]) & mask;
      words[k] ^= exchanged << step;
      words[k + step] ^= exchanged;
    }
}

}  // namespace

MovedSets::MovedSets(const GraphSamples& samples, int first, int width)
    : first_(first), nodes_(static_cast<std::size_t>(samples.nodes)), words_(words_of(samples)) {
  bits_.resize(static_cast<std::size_t>(width) * nodes_ * words_);
  // Of 64 samples: per node and sample a word that has a bit for each of the variables above the node.
  std::vector<std::uint64_t> above(nodes_ * 64);
  for (std::size_t word = 0; word < words_; ++word) {
    std::fill(above.begin(), above.end(), 0);
    for (std::size_t s = 0; s < 64 && word * 64 + s < samples.graphs.size(); ++s) {
      const Digraph& graph = samples.graphs[word * 64 + s];
      const auto order = topological_order(graph);
      if (!order) throw InputError("a sample has a directed cycle");
      for (const int node : *order) {
        std::uint64_t variables =
            node >= first && node < first + width ? std::uint64_t{1} << (node - first) : 0;
        for (const int parent : graph.parents(node))
          variables |= above[static_cast<std::size_t>(parent) * 64 + s];
        above[static_cast<std::size_t>(node) * 64 + s] = variables;
      }
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
      const std::span<std::uint64_t, 64> samples_of_node(above.data() + node * 64, 64);
      transpose(samples_of_node);
      for (int v = 0; v < width; ++v)
        bits_[(static_cast<std::size_t>(v) * nodes_ + node) * words_ + word] = samples_of_node[v];
    }
  }
}

}  // namespace causcale
