#include "causcale/knowledge.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "graph/order.h"

namespace causcale {
namespace {

std::string arrow(Edge edge, const std::vector<std::string>& names) {
  return fmt::format("{} -> {}", names[edge.source], names[edge.target]);
}

bool against_tiers(const Knowledge& knowledge, Edge edge) {
  if (knowledge.tier_of.empty()) return false;
  const int from = knowledge.tier_of[edge.source], to = knowledge.tier_of[edge.target];
  if (from < 0 || to < 0) return false;
  if (from > to) return true;
  return from == to && std::ranges::find(knowledge.closed_tiers, from) != knowledge.closed_tiers.end();
}

}  // namespace

bool Knowledge::forbids(Edge edge) const {
  return std::ranges::find(forbidden, edge) != forbidden.end() || against_tiers(*this, edge);
}

void Knowledge::check(const std::vector<std::string>& names) const {
  for (const Edge& edge : required) {
    if (std::ranges::find(forbidden, edge) != forbidden.end())
      throw InputError(fmt::format("knowledge: {} is both required and forbidden", arrow(edge, names)));
    if (against_tiers(*this, edge))
      throw InputError(fmt::format(
          "knowledge: the required edge {} is against the tiers ({} is in tier {}, {} in tier {})",
          arrow(edge, names), names[edge.source], tier_of[edge.source], names[edge.target],
          tier_of[edge.target]));
    if (std::ranges::find(required, Edge{edge.target, edge.source}) != required.end())
      throw InputError(fmt::format("knowledge: {} is required in both directions", arrow(edge, names)));
  }
  std::vector<Edge> unique = required;
  std::ranges::sort(unique);
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  if (!is_acyclic(Digraph(static_cast<int>(names.size()), unique)))
    throw InputError("knowledge: the required edges form a cycle");
}

}  // namespace causcale
