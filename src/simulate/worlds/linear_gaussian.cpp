// Linear systems with Gaussian noise, in which only colliders and interventions tell a direction: variances,
// shares of explained variance and shapes of roots are drawn so that none of them follows the causal order.
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

// Weights as they are, noise of random size: what a variable varies by grows with its depth until units hide
// it.
void fill_plain(const Digraph& graph, int node, const Columns& seen, double noise, RandomStream& random,
                std::span<double> out) {
  const double size = noise * random.uniform(0.5, 2.0);
  for (double& x : out) x = size * random.normal();
  for (const int parent : graph.parents(node)) {
    const double weight = random.uniform(0.3, 1.5) * (random.coin() ? 1 : -1);
    for (std::size_t r = 0; r < out.size(); ++r) out[r] += weight * seen[parent][r];
  }
}

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const std::string scheme = draw.word("scheme");
  const double noise = scheme == "plain" || scheme == "standardised" ? draw.number("noise") : 0.0;
  const double common = scheme == "common" ? draw.number("explained") : 0.0;
  const SettingRange explained = draw.range("explained");
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    if (scheme == "plain" || scheme == "standardised") {
      fill_plain(system.graph, node, seen, noise, own, out);
      if (scheme == "standardised") standardise(out);
      return;
    }
    ContinuousRule rule;
    rule.explained = scheme == "common" ? common : explained.draw(own);
    fill_by_rule(rule, system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World linear_gaussian_world() {
  return {
      "linear_gaussian", "linear and Gaussian: directions that cannot be known from observation",
      join_settings(
          {word_setting_of(
               "scheme", "explained,explained,common,standardised,plain",
               {"explained", "common", "standardised", "plain"},
               "explained: every variable has its own share of explained variance; common: all the "
               "same; standardised: weights and noise, every variable divided by its deviation as it "
               "is made; plain: weights and noise alone"),
           number_setting_of("explained", SettingKind::kOdds, "0.1:0.95", 0, 1,
                             "share of a variable's variance that its causes explain"),
           number_setting_of("noise", SettingKind::kFactor, "0.3:2", 0, 1000,
                             "plain, standardised: size of the noise")},
          {graph_settings(), hidden_settings(), treatment_settings(), unit_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
