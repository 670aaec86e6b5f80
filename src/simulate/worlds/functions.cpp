// Functions of all kinds: trees, steps, products, waves, deep random networks, with noise that adds,
// multiplies or depends on the causes.
#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const RuleDraw rules(draw);
  // All variables by one rule but for its numbers, or each its own.
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const ContinuousRule common = rules.draw(random);
  const bool alike = random.coin(0.4);
  if (alike) draw.note("function", name_of(kFunctionNames, common.function));
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    ContinuousRule rule = rules.draw(own);
    if (alike) {
      rule.function = common.function;
      rule.coupling = common.coupling;
      rule.noise = common.noise;
    }
    fill_by_rule(rule, system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World functions_world() {
  return {"functions", "trees, steps, products, waves, networks, with noise of every kind",
          join_settings(rule_settings(), {graph_settings(), hidden_settings(), treatment_settings(),
                                          unit_settings(), missing_settings()}),
          make};
}

}  // namespace causcale
