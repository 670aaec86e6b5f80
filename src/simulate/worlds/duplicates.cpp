// The same thing measured twice: a column that is another one with error, or two readings of a variable that
// is not in the table itself.
#include <algorithm>
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

WorldSample make(WorldDraw& draw) {
  const int copies =
      std::clamp(static_cast<int>(std::lround(draw.number("copies") * draw.nodes())), 1, draw.nodes() / 2);
  const int originals = draw.nodes() - copies;
  const bool twins = draw.word("form") == "twins";
  const int nodes = originals + copies * (twins ? 2 : 1);
  const SampledGraph base = draw_world_graph(draw, originals);
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  // Nodes get numbers at random: a place in the table must not tell what is a copy.
  const std::vector<int> number = random_permutation(nodes, random),
                         copied = random_permutation(originals, random);
  std::vector<Edge> edges;
  for (const Edge& edge : base.graph.edges()) edges.push_back({number[edge.source], number[edge.target]});
  std::vector<int> order;
  for (const int node : base.order) order.push_back(number[node]);
  std::vector<std::uint8_t> reading(nodes, 0);
  for (int k = originals; k < nodes; ++k) {
    edges.push_back({number[copied[(k - originals) % copies]], number[k]});
    order.push_back(number[k]);
    reading[number[k]] = 1;
  }
  System system(SampledGraph{Digraph(nodes, std::move(edges)), std::move(order)});
  if (twins)
    for (int k = 0; k < copies; ++k) system.hidden[number[copied[k]]] = 1;
  const RuleDraw rules(draw);
  const SettingRange error = draw.range("error");
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    ContinuousRule rule = rules.draw(own);
    if (reading[node]) {
      const double size = error.draw(own);
      rule = {};
      rule.explained = 1 / (1 + size * size);
    }
    fill_by_rule(rule, system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World duplicates_world() {
  return {
      "duplicates", "columns that measure the same thing twice, with error",
      join_settings(
          {number_setting_of("copies", SettingKind::kNumber, "0.05:0.4", 0, 0.5,
                             "share of the columns that are copies"),
           word_setting_of(
               "form", "copy,twins", {"copy", "twins"},
               "copy: of a measured column (an edge leads to it); twins: two readings of a hidden variable"),
           number_setting_of("error", SettingKind::kFactor, "0.01:1", 0, 100,
                             "deviation of the error relative to what is measured")},
          {rule_settings(), graph_settings(), treatment_settings(), unit_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
