#include "methods/edge_rules.h"

namespace causcale {

EdgeRules::EdgeRules(const Knowledge& knowledge, int nodes) : tier_(knowledge.tier_of) {
  if (knowledge.empty()) return;
  forbidden_ = Matrix<std::uint8_t>(nodes, nodes);
  required_ = Matrix<std::uint8_t>(nodes, nodes);
  if (!tier_.empty()) {
    Knowledge tiers = knowledge;
    tiers.forbidden.clear();
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < nodes; ++b) forbidden_(a, b) = a != b && tiers.forbids({a, b});
  }
  for (const Edge& edge : knowledge.forbidden) forbidden_(edge.source, edge.target) = 1;
  for (const Edge& edge : knowledge.required) {
    required_(edge.source, edge.target) = 1;
    forbidden_(edge.target, edge.source) = 1;
  }
}

Knowledge renumbered(const Knowledge& knowledge, const std::vector<int>& position) {
  Knowledge result = knowledge;
  for (auto* list : {&result.required, &result.forbidden})
    for (Edge& edge : *list) edge = {position[edge.source], position[edge.target]};
  for (std::size_t k = 0; k < knowledge.tier_of.size(); ++k)
    result.tier_of[position[k]] = knowledge.tier_of[k];
  return result;
}

}  // namespace causcale
