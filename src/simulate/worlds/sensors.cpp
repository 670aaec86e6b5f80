// Rows in time order, as sensors write them: what is not explained by the causes changes slowly.
#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const RuleDraw rules(draw);
  const SettingRange autocorrelation = draw.range("autocorrelation");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const double common = autocorrelation.draw(random);
  const bool alike = random.coin();
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    ContinuousRule rule = rules.draw(own);
    rule.autocorrelation = alike ? common : autocorrelation.draw(own);
    fill_by_rule(rule, system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World sensors_world() {
  return {"sensors", "rows in time order with noise that changes slowly; effects are at once",
          join_settings({number_setting_of(
                            "autocorrelation", SettingKind::kOdds, "0.3:0.99", 0, 0.9999,
                            "of noise and roots from row to row; one for all variables or each its own")},
                        {rule_settings(), graph_settings(), hidden_settings(), treatment_settings(),
                         unit_settings(), missing_settings()}),
          make};
}

}  // namespace causcale
