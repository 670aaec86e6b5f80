// Instruments with limits: values beyond them are given as the limit, and readings are rounded.
#include <algorithm>
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

void censor(double share, RandomStream& random, std::vector<double>& column) {
  std::vector<double> sorted = column;
  std::ranges::sort(sorted);
  const auto at = [&](double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
  };
  const std::uint32_t side = random.below(3);  // below, above, both
  const double low = side == 1 ? sorted.front() : at(side == 2 ? share / 2 : share);
  const double high = side == 0 ? sorted.back() : at(side == 2 ? 1 - share / 2 : 1 - share);
  for (double& x : column) x = std::clamp(x, low, std::max(low, high));
}

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const RuleDraw rules(draw);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    fill_by_rule(rules.draw(own), system.graph, node, seen, own, out);
  };
  const double columns = draw.number("columns"), rounded = draw.number("rounded");
  const SettingRange censored = draw.range("censored");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  system.measure = [&](Columns& measured) {
    for (std::vector<double>& column : measured) {
      if (random.coin(columns)) censor(censored.draw(random), random, column);
      if (!random.coin(rounded)) continue;
      const double step = std::exp(random.uniform(std::log(0.05), std::log(1.5)));
      for (double& x : column) x = std::round(x / step) * step;
    }
  };
  return sample_system(draw, system);
}

}  // namespace

World censoring_world() {
  return {"censoring", "values beyond a limit given as the limit, rounded readings",
          join_settings({number_setting_of("columns", SettingKind::kNumber, "0.2:1", 0, 1,
                                           "share of the columns with a limit"),
                         number_setting_of("censored", SettingKind::kNumber, "0.05:0.6", 0, 0.95,
                                           "share of a column's values that lie beyond its limits"),
                         number_setting_of("rounded", SettingKind::kNumber, "0:0.5", 0, 1,
                                           "share of the columns that are rounded")},
                        {rule_settings(), graph_settings(), hidden_settings(), treatment_settings(),
                         unit_settings(), missing_settings()}),
          make};
}

}  // namespace causcale
