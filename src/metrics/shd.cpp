#include "metrics/shd.h"

#include <fmt/format.h>

#include "causcale/error.h"

namespace causcale {

std::size_t structural_hamming_distance(const Digraph& truth, const Digraph& guess) {
  if (truth.nodes() != guess.nodes())
    throw InputError(
        fmt::format("the true graph has {} nodes, the predicted one {}", truth.nodes(), guess.nodes()));
  std::size_t missing = 0, extra = 0, reversed = 0;
  for (const auto& [source, target] : truth.edges()) {
    if (guess.has_edge(source, target)) continue;
    ++missing;
    // One missing and one extra edge make a reversal when the pair is joined the other way round only in the
    // guess.
    if (guess.has_edge(target, source) && !truth.has_edge(target, source)) ++reversed;
  }
  for (const auto& [source, target] : guess.edges())
    if (!truth.has_edge(source, target)) ++extra;
  return missing + extra - reversed;
}

}  // namespace causcale
