// Does a predicted graph hold directed cycles, and how much of it is tangled up in them?
#pragma once

#include <cstddef>

#include "causcale/graph.h"

namespace causcale {

struct Cyclicity {
  bool cyclic = false;
  int nodes_on_cycles = 0;
  std::size_t edges_on_cycles = 0;
  bool operator==(const Cyclicity&) const = default;
};

Cyclicity cyclicity(const Digraph& graph);

}  // namespace causcale
