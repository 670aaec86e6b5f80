// Systems with cycles at equilibrium, linear or saturating.
#include <cmath>

#include "simulate/worlds/continuous_rule.h"
#include "simulate/worlds/cyclic_graph.h"
#include "simulate/worlds/feedback_system.h"

namespace causcale {
namespace {

// Hard: held at a level with or without spread; soft: the causes count less and the input is shifted.
void treat(const TreatmentPlan& plan, RandomStream& random, Columns& input, Columns& share) {
  const std::vector<std::vector<int>> rows = plan.rows_of_regimes();
  for (std::size_t regime = 1; regime < plan.hits.size(); ++regime)
    for (const TreatmentHit& hit : plan.hits[regime]) {
      const bool hard = hit.effect == TreatmentEffect::kHard;
      const double level = 2 * random.normal(), spread = random.coin(0.4) ? 0.0 : random.uniform(0.2, 1.0);
      const double left = random.uniform(0.1, 0.7);
      for (const int r : rows[regime]) {
        share[hit.node][r] *= hard ? 0.0 : left;
        input[hit.node][r] = hard ? level + spread * random.normal() : input[hit.node][r] + level;
      }
    }
}

WorldSample make(WorldDraw& draw) {
  const System base = draw_system(draw);
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const Digraph graph = with_feedback(base.graph, draw.number("feedback"), random);
  FeedbackSystem system = draw_feedback_system(graph, draw.word("responses") == "saturating", random);
  limit_radius(system, draw.number("radius"));
  std::vector<int> visible;
  for (int node = 0; node < graph.nodes(); ++node)
    if (!base.hidden[node]) visible.push_back(node);
  const TreatmentPlan plan = plan_treatments(draw, visible, draw.rows());
  const std::vector<std::string> noises = draw.words("noise");
  const Shape common = draw_choice(kShapeNames, noises, random);
  const bool alike = random.coin();
  Columns input(graph.nodes(), std::vector<double>(draw.rows()));
  Columns share(graph.nodes(), std::vector<double>(draw.rows(), 1.0));
  for (int node = 0; node < graph.nodes(); ++node) {
    RandomStream own = draw.stream(Purpose::kWorldNode, static_cast<std::uint32_t>(node));
    fill_noise(alike ? common : draw_choice(kShapeNames, noises, own), own, input[node]);
    const double size = own.factor(2.5), level = system.saturating ? own.normal() : 0.0;
    for (double& x : input[node]) x = size * x + level;
  }
  treat(plan, random, input, share);
  return make_sample(draw, graph, base.hidden, solve_feedback(system, input, share), base.kinds, plan, true);
}

}  // namespace

World feedback_world() {
  std::vector<WorldSetting> treatments = treatment_settings();
  treatments[0] = word_setting_of("interventions", "none,none,hard,hard,soft", {"none", "hard", "soft"},
                                  "hard: the target is held; soft: its causes count less and it is shifted");
  return {
      "feedback", "linear and saturating systems with cycles, at equilibrium",
      join_settings(
          {number_setting_of("feedback", SettingKind::kNumber, "0.05:0.4", 0, 1,
                             "edges that close cycles, relative to the number of the others; at least one"),
           word_setting_of("responses", "linear,saturating", {"linear", "saturating"},
                           "of variables to their causes"),
           number_setting_of(
               "radius", SettingKind::kNumber, "0.3:0.9", 0, 0.95,
               "largest spectral radius of the sizes of the weights: how much comes back round the cycles"),
           word_setting_of("noise", "normal,normal,uniform,student,laplace,exponential", noise_shape_names(),
                           "shapes of the inputs; one for all or each its own")},
          {graph_settings(), hidden_settings(), treatments, unit_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
