// What is known about the graph before looking at the data.
#pragma once

#include <string>
#include <vector>

#include "causcale/export.h"
#include "causcale/graph.h"

namespace causcale {

struct CAUSCALE_API Knowledge {
  std::vector<Edge> required;
  std::vector<Edge> forbidden;
  // tier_of[v] >= 0: no edge may lead from a later tier to an earlier one; -1: not restricted. Empty: no
  // tiers.
  std::vector<int> tier_of;
  // Tiers within which no edge may run at all (Tetrad's "*").
  std::vector<int> closed_tiers;

  bool empty() const { return required.empty() && forbidden.empty() && tier_of.empty(); }
  bool forbids(Edge edge) const;
  // Throws InputError naming the edges when the statements contradict each other: an edge both required and
  // forbidden (directly or by tiers), required in both directions, or required edges forming a cycle.
  void check(const std::vector<std::string>& names) const;
};

}  // namespace causcale
