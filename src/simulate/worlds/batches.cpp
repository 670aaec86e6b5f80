// Measurements made in batches: instruments, days, laboratories. A batch changes what is measured, not what
// the variables do to each other.
#include <algorithm>
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

WorldSample make(WorldDraw& draw) {
  const SampledGraph base = draw_world_graph(draw, draw.nodes());
  const int batches = std::min(draw.whole("batches"), draw.rows()), batch = draw.nodes();
  const double affected = draw.number("affected"), shift = draw.number("shift");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  std::vector<Edge> edges(base.graph.edges().begin(), base.graph.edges().end());
  for (int node = 0; node < draw.nodes(); ++node)
    if (random.coin(affected)) edges.push_back({batch, node});
  std::vector<int> order{batch};
  order.insert(order.end(), base.order.begin(), base.order.end());
  System system(SampledGraph{Digraph(draw.nodes() + 1, std::move(edges)), std::move(order)});
  system.hidden[batch] = 1;
  system.states[batch] = batches;
  system.kinds[batch] = ColumnKind::kUnordered;
  const RuleDraw rules(draw);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    if (node != batch) return fill_by_rule(rules.draw(own), base.graph, node, seen, own, out);
    // One after the other, of any lengths.
    std::vector<double> ends;
    for (int b = 0; b + 1 < batches; ++b) ends.push_back(own.uniform() * static_cast<double>(out.size()));
    std::ranges::sort(ends);
    for (std::size_t r = 0; r < out.size(); ++r)
      out[r] = static_cast<double>(std::ranges::upper_bound(ends, static_cast<double>(r)) - ends.begin());
  };
  system.measure = [&](Columns& measured) {
    for (const int node : system.graph.children(batch)) {
      std::vector<double> offset(batches), size(batches);
      for (int b = 0; b < batches; ++b) {
        offset[b] = shift * random.normal();
        size[b] = random.factor(1.3);
      }
      for (std::size_t r = 0; r < measured[node].size(); ++r) {
        const auto b = static_cast<std::size_t>(measured[batch][r]);
        measured[node][r] = size[b] * measured[node][r] + offset[b];
      }
    }
  };
  return sample_system(draw, system);
}

}  // namespace

World batches_world() {
  std::vector<WorldSetting> rules = rule_settings();
  rules[0].fallback = "linear,linear,linear,saturating,polynomial,network,steps";
  return {"batches", "measurements in batches, which are a hidden cause of the columns they shift",
          join_settings(
              {number_setting_of("batches", SettingKind::kWhole, "2:12", 2, 100000, "number of batches"),
               number_setting_of("affected", SettingKind::kNumber, "0.2:1", 0, 1,
                                 "share of the columns that batches shift"),
               number_setting_of("shift", SettingKind::kFactor, "0.1:2", 0, 100,
                                 "deviation of the batches' shifts, in deviations of a variable")},
              {rules, graph_settings(), treatment_settings(), unit_settings(), missing_settings()}),
          make};
}

}  // namespace causcale
