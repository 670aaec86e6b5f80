// Rows of several populations that nobody told apart: levels, sizes and effects differ between them, so that
// the population is a hidden common cause.
#include <cmath>

#include "simulate/worlds/categorical.h"
#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

struct Affected {
  std::vector<double> shift, size;  // per population
  bool own_rules = false;           // every population has a function of its own
};

WorldSample make(WorldDraw& draw) {
  const SampledGraph base = draw_world_graph(draw, draw.nodes());
  const int populations = draw.whole("populations"), kind = draw.nodes();
  const double affected_share = draw.number("affected"), distance = draw.number("distance");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  std::vector<Edge> edges(base.graph.edges().begin(), base.graph.edges().end());
  std::vector<Affected> affected(draw.nodes());
  for (int node = 0; node < draw.nodes(); ++node) {
    if (!random.coin(affected_share)) continue;
    edges.push_back({kind, node});
    for (int p = 0; p < populations; ++p) {
      affected[node].shift.push_back(distance * random.normal());
      affected[node].size.push_back(random.factor(1.5));
    }
    affected[node].own_rules = random.coin(0.4);
  }
  std::vector<int> order{kind};
  order.insert(order.end(), base.order.begin(), base.order.end());
  System system(SampledGraph{Digraph(draw.nodes() + 1, std::move(edges)), std::move(order)});
  system.hidden[kind] = 1;
  system.states[kind] = populations;
  system.kinds[kind] = ColumnKind::kUnordered;
  const RuleDraw rules(draw);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    if (node == kind) {
      std::vector<double> weights = draw_dirichlet(populations, 3.0, own);
      accumulate_weights(weights);
      for (double& x : out) x = state_at(weights, own.uniform());
      return;
    }
    fill_by_rule(rules.draw(own), base.graph, node, seen, own, out);
    const Affected& change = affected[node];
    if (change.shift.empty()) return;
    std::vector<double> other(out.size());
    for (int p = 0; p < populations; ++p) {
      if (change.own_rules && p > 0) fill_by_rule(rules.draw(own), base.graph, node, seen, own, other);
      for (std::size_t r = 0; r < out.size(); ++r)
        if (static_cast<int>(seen[kind][r]) == p)
          out[r] = change.shift[p] + change.size[p] * (change.own_rules && p > 0 ? other[r] : out[r]);
    }
  };
  return sample_system(draw, system);
}

}  // namespace

World populations_world() {
  std::vector<WorldSetting> rules = rule_settings();
  rules[0].fallback = "linear,linear,linear,saturating,polynomial,network,steps";
  return {"populations", "a mixture of populations, which is a hidden cause of what differs between them",
          join_settings(
              {number_setting_of("populations", SettingKind::kWhole, "2:5", 2, 100, "number of populations"),
               number_setting_of("affected", SettingKind::kNumber, "0.2:1", 0, 1,
                                 "share of the variables that differ between populations"),
               number_setting_of("distance", SettingKind::kFactor, "0.2:3", 0, 100,
                                 "deviation of the populations' levels, in deviations of a variable")},
              {rules, graph_settings(), treatment_settings(), unit_settings(), missing_settings()}),
          make};
}

}  // namespace causcale
