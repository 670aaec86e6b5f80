// Rows that are in the table because of their values: patients who came, products that passed.
#include <algorithm>
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const RuleDraw rules(draw);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    fill_by_rule(rules.draw(own), system.graph, node, seen, own, out);
  };
  system.surplus = draw.whole("surplus");
  const int reasons = std::min(draw.whole("reasons"), system.nodes());
  const double sharpness = draw.number("sharpness");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const std::vector<int> order = random_permutation(system.nodes(), random);
  system.score = [&](const Columns& measured) {
    std::vector<double> score(measured[0].size(), 0.0);
    for (int k = 0; k < reasons; ++k) {
      std::vector<double> reason = measured[order[k]];
      standardise(reason);
      const double sign = random.coin() ? sharpness : -sharpness;
      for (std::size_t r = 0; r < score.size(); ++r) score[r] += sign * reason[r];
    }
    // The largest of scores with Gumbel noise are a draw in proportion to exp(score).
    for (double& s : score) s -= std::log(random.exponential());
    return score;
  };
  return sample_system(draw, system);
}

}  // namespace

World selection_world() {
  std::vector<WorldSetting> rules = rule_settings();
  rules[0].fallback = "linear,linear,linear,saturating,polynomial,network,steps";
  return {"selection", "rows that were chosen by their values; labels as if they had not been",
          join_settings({number_setting_of("surplus", SettingKind::kWhole, "2:8", 2, 100,
                                           "one of so many rows is kept"),
                         number_setting_of("reasons", SettingKind::kWhole, "1:3", 1, 100,
                                           "variables by which rows are chosen"),
                         number_setting_of("sharpness", SettingKind::kFactor, "0.5:5", 0, 100,
                                           "log odds of being kept per deviation of such a variable")},
                        {rules, graph_settings(), hidden_settings(), treatment_settings(), unit_settings(),
                         missing_settings()}),
          make};
}

}  // namespace causcale
