// Columns of every shape without or nearly without causes among them: what tells a model that uniform
// columns, row numbers, rare events and heavy tails are no evidence of an effect.
#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  if (draw.word("empty") == "yes") system.graph = Digraph(system.nodes());
  const SettingRange explained = draw.range("explained");
  const std::vector<std::string> allowed = draw.words("shapes");
  // All columns of one shape, or each its own.
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const bool alike = random.coin(0.3);
  std::vector<Shape> shapes(system.nodes());
  std::string names;
  bool numbered = false;
  for (int node = 0; node < system.nodes(); ++node) {
    shapes[node] = alike && node > 0 ? shapes[0] : draw_choice(kShapeNames, allowed, random);
    // Two row numbers would depend on each other.
    if (shapes[node] == Shape::kRowNumber && numbered) shapes[node] = Shape::kUniform;
    numbered |= shapes[node] == Shape::kRowNumber;
    names += (names.empty() ? "" : ",") + name_of(kShapeNames, shapes[node]);
    const bool root = system.graph.parents(node).empty();
    if (root) system.kinds[node] = kind_of(shapes[node]);
    if (system.kinds[node] != ColumnKind::kContinuous) system.states[node] = kOwnValues;
  }
  draw.note("node_shapes", names);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    if (system.graph.parents(node).empty()) return fill_shape(shapes[node], own, out);
    ContinuousRule rule;
    rule.function = static_cast<FunctionKind>(own.below(kFunctionNames.size()));
    rule.noise = static_cast<Shape>(own.below(kNoiseShapes));
    rule.explained = explained.draw(own);
    fill_by_rule(rule, system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World nothing_world() {
  return {
      "nothing", "empty and nearly empty graphs, columns of every shape",
      join_settings(
          {word_setting_of("empty", "yes,no", {"yes", "no"}, "yes: no edge at all"),
           number_setting_of("edges_per_node", SettingKind::kNumber, "0:0.5", 0, 1000,
                             "expected number of edges per variable"),
           word_setting_of("graph", "er", {"er"}, "graph model"),
           word_setting_of("shapes",
                           "normal,uniform,student,laplace,exponential,lognormal,gamma,beta,bimodal,"
                           "row_number,zero_inflated,poisson,binary,rare_binary,discretised,doses,constant",
                           all_names(kShapeNames), "of columns without causes; at most one is a row number"),
           number_setting_of("explained", SettingKind::kOdds, "0.1:0.95", 0, 1,
                             "share of a variable's variance that its causes explain, per variable")},
          {graph_settings(), hidden_settings(), treatment_settings(), unit_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
