// Hidden causes: variables of the graph that are not measured, or further common causes of a few variables.
#include <algorithm>
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

// Measured variables with a graph of their own, and hidden roots with two to four children each.
System with_confounders(WorldDraw& draw, int hidden) {
  const SampledGraph measured = draw_world_graph(draw, draw.nodes());
  RandomStream random = draw.stream(Purpose::kWorldHidden);
  std::vector<Edge> edges(measured.graph.edges().begin(), measured.graph.edges().end());
  std::vector<int> order;
  for (int h = 0; h < hidden; ++h) {
    const int node = draw.nodes() + h;
    order.push_back(node);
    const std::vector<int> children = random_permutation(draw.nodes(), random);
    const int count = std::min(draw.nodes(), 2 + static_cast<int>(random.below(3)));
    for (int k = 0; k < count; ++k) edges.push_back({node, children[k]});
  }
  order.insert(order.end(), measured.order.begin(), measured.order.end());
  System system(SampledGraph{Digraph(draw.nodes() + hidden, std::move(edges)), std::move(order)});
  for (int h = 0; h < hidden; ++h) system.hidden[draw.nodes() + h] = 1;
  return system;
}

WorldSample make(WorldDraw& draw) {
  const int hidden = std::max(1, static_cast<int>(std::lround(draw.number("hidden") * draw.nodes())));
  System system =
      draw.word("hidden_as") == "confounders" ? with_confounders(draw, hidden) : draw_system(draw);
  const RuleDraw rules(draw);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    fill_by_rule(rules.draw(own), system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World hidden_world() {
  std::vector<WorldSetting> rules = rule_settings();
  rules[0].fallback = "linear,linear,linear,saturating,polynomial,network,steps";
  return {"hidden", "hidden causes; labels say what they make of the measured variables",
          join_settings(
              {number_setting_of("hidden", SettingKind::kNumber, "0.1:0.5", 0, 1,
                                 "hidden variables per measured variable"),
               word_setting_of(
                   "hidden_as", "any,confounders", {"any", "confounders"},
                   "any: variables of the graph; confounders: further roots with two to four children")},
              {rules, graph_settings(), treatment_settings(), unit_settings(), missing_settings()}),
          make};
}

}  // namespace causcale
