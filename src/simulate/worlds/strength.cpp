// Effects of all strengths, from a fiftieth of the variance to nearly all of it, and columns that are exact
// functions of others: sums, differences, means, products, ratios.
#include <cmath>

#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

enum class Exact { kNone, kSum, kMean, kDifference, kProduct, kRatio, kFunction };

constexpr NameTable<Exact, 7> kExactNames{{
    {Exact::kNone, "none"},
    {Exact::kSum, "sum"},
    {Exact::kMean, "mean"},
    {Exact::kDifference, "difference"},
    {Exact::kProduct, "product"},
    {Exact::kRatio, "ratio"},
    {Exact::kFunction, "function"},
}};

// Of what the parents show, not standardised: the sum of three columns is their sum.
double combine(Exact kind, std::span<const int> parents, const Columns& seen, std::size_t row) {
  double result = seen[parents[0]][row];
  for (std::size_t p = 1; p < parents.size(); ++p) {
    const double x = seen[parents[p]][row];
    if (kind == Exact::kProduct)
      result *= x;
    else if (kind == Exact::kDifference)
      result -= x;
    else if (kind == Exact::kRatio)
      result /= 1 + std::abs(x);
    else
      result += x;
  }
  return kind == Exact::kMean ? result / static_cast<double>(parents.size()) : result;
}

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const bool per_node = draw.word("drawn_per") == "node";
  const double common = per_node ? 0.0 : draw.number("explained");
  const SettingRange explained = draw.range("explained");
  const double exact_share = draw.number("exact");
  const std::vector<std::string> functions = draw.words("functions"), noises = draw.words("noise");
  const std::vector<std::string> forms = draw.words("exact_forms");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const Shape noise = draw_choice(kShapeNames, noises, random);
  const bool one_noise = random.coin();
  std::vector<Exact> exact(system.nodes(), Exact::kNone);
  std::string exact_nodes;
  for (int node = 0; node < system.nodes(); ++node)
    if (!system.graph.parents(node).empty() && random.coin(exact_share)) {
      exact[node] = draw_choice(kExactNames, forms, random);
      exact_nodes +=
          (exact_nodes.empty() ? "" : ",") + std::to_string(node) + ":" + name_of(kExactNames, exact[node]);
    }
  draw.note("exact_nodes", exact_nodes);
  draw.note("noise_shape", one_noise ? name_of(kShapeNames, noise) : "each its own");
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    const auto function = draw_choice(kFunctionNames, functions, own);
    if (exact[node] == Exact::kFunction) return fill_function(function, system.graph, node, seen, own, out);
    if (exact[node] != Exact::kNone) {
      for (std::size_t r = 0; r < out.size(); ++r)
        out[r] = combine(exact[node], system.graph.parents(node), seen, r);
      return;
    }
    ContinuousRule rule;
    rule.function = function;
    rule.noise = one_noise ? noise : draw_choice(kShapeNames, noises, own);
    rule.explained = per_node ? explained.draw(own) : common;
    fill_by_rule(rule, system.graph, node, seen, own, out);
  };
  return sample_system(draw, system);
}

}  // namespace

World strength_world() {
  std::vector<std::string> forms = all_names(kExactNames);
  forms.erase(forms.begin());
  return {
      "strength", "weak to nearly deterministic effects, and columns that are exact functions of others",
      join_settings(
          {number_setting_of("explained", SettingKind::kOdds, "0.02:0.999", 0, 1,
                             "share of a variable's variance that its causes explain"),
           word_setting_of("drawn_per", "graph,node", {"graph", "node"},
                           "one share for all variables, or each its own"),
           number_setting_of("exact", SettingKind::kNumber, "0:0.4", 0, 1,
                             "share of the variables with causes that are exact functions of them"),
           word_setting_of("exact_forms", "sum,sum,mean,difference,product,ratio,function", forms,
                           "what exact functions are"),
           number_setting_of("units", SettingKind::kFactor, "1", 1, 1e6,
                             "as in other worlds; with 1 a sum of columns is their sum"),
           word_setting_of("functions", "linear,linear,linear,saturating,polynomial,network",
                           all_names(kFunctionNames), "of causes"),
           word_setting_of("noise", "normal,uniform,student,laplace,exponential,lognormal,gamma,beta,bimodal",
                           noise_shape_names(), "shapes of noise and roots; one for all or each its own")},
          {graph_settings(), hidden_settings(), treatment_settings(), unit_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
