#include "simulate/worlds/continuous_rule.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace causcale {
namespace {

constexpr double kLargestInput = 8.0;

// [row][parent], standardised and cut.
std::vector<double> inputs_of(const Digraph& graph, int node, const Columns& seen, std::size_t rows) {
  const std::span<const int> parents = graph.parents(node);
  std::vector<double> inputs(rows * parents.size());
  std::vector<double> column;
  for (std::size_t p = 0; p < parents.size(); ++p) {
    column = seen[parents[p]];
    standardise(column);
    for (std::size_t r = 0; r < rows; ++r)
      inputs[r * parents.size() + p] = std::clamp(column[r], -kLargestInput, kLargestInput);
  }
  return inputs;
}

void evaluate(const ParentFunction& function, const std::vector<double>& inputs, std::size_t parents,
              std::span<double> out) {
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = function({inputs.data() + r * parents, parents});
}

void bend(RandomStream& random, std::span<double> values) {
  standardise(values);
  const std::uint32_t kind = random.below(4);
  const double size = random.uniform(0.5, 1.5);
  for (double& x : values) {
    const double z = std::clamp(size * x, -6.0, 6.0);
    x = kind == 0 ? z * z * z : kind == 1 ? std::exp(z) : kind == 2 ? std::tanh(z) : std::sinh(z);
  }
}

}  // namespace

void autocorrelate(double autocorrelation, std::span<double> noise) {
  const double fresh = std::sqrt(1 - autocorrelation * autocorrelation);
  for (std::size_t r = 1; r < noise.size(); ++r) noise[r] = autocorrelation * noise[r - 1] + fresh * noise[r];
}

void fill_function(FunctionKind kind, const Digraph& graph, int node, const Columns& seen,
                   RandomStream& random, std::span<double> out) {
  const std::size_t parents = graph.parents(node).size();
  const ParentFunction function = draw_parent_function(kind, static_cast<int>(parents), random);
  evaluate(function, inputs_of(graph, node, seen, out.size()), parents, out);
}

void fill_by_rule(const ContinuousRule& rule, const Digraph& graph, int node, const Columns& seen,
                  RandomStream& random, std::span<double> out) {
  fill_noise(rule.noise, random, out);
  if (rule.autocorrelation > 0) {
    autocorrelate(rule.autocorrelation, out);
    standardise(out);
  }
  const std::size_t parents = graph.parents(node).size();
  if (parents == 0) return;
  const std::vector<double> inputs = inputs_of(graph, node, seen, out.size());
  std::vector<double> effect(out.size());
  evaluate(draw_parent_function(rule.function, static_cast<int>(parents), random), inputs, parents, effect);
  standardise(effect);
  if (rule.coupling == RuleCoupling::kHeteroscedastic) {
    std::vector<double> size(out.size());
    evaluate(draw_parent_function(FunctionKind::kSaturating, static_cast<int>(parents), random), inputs,
             parents, size);
    standardise(size);
    const double strength = random.uniform(0.3, 1.2);
    for (std::size_t r = 0; r < out.size(); ++r)
      out[r] *= std::exp(strength * std::clamp(size[r], -2.5, 2.5));
    standardise(out);
  }
  if (rule.coupling == RuleCoupling::kMultiplicative) {
    // The function's value lies around an offset, so that its sign may change, too.
    const double offset = random.normal() * 2;
    const double noise =
        std::sqrt((1 - rule.explained) / std::max(rule.explained, 1e-3) / (1 + offset * offset));
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = (effect[r] + offset) * (1 + noise * out[r]);
  } else {
    const double share = std::sqrt(rule.explained), rest = std::sqrt(1 - rule.explained);
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = share * effect[r] + rest * out[r];
  }
  if (rule.coupling == RuleCoupling::kPostNonlinear) bend(random, out);
  standardise(out);
}

std::vector<WorldSetting> rule_settings() {
  return {
      word_setting_of(
          "functions",
          "linear,linear,tree,steps,product,interaction,periodic,saturating,polynomial,network,extremes",
          all_names(kFunctionNames),
          "of causes, per variable: tree: decision trees; interaction: products of pairs; network: one to "
          "three random layers; extremes: the largest or smallest"),
      word_setting_of("couplings", "additive,additive,additive,heteroscedastic,multiplicative,post_nonlinear",
                      all_names(kRuleCouplingNames),
                      "how noise enters, per variable: heteroscedastic: its size depends on the causes; "
                      "post_nonlinear: a "
                      "monotone function of the sum"),
      word_setting_of("noise",
                      "normal,normal,normal,uniform,student,laplace,exponential,lognormal,gamma,beta,bimodal",
                      noise_shape_names(), "shapes of noise and roots, per variable"),
      number_setting_of("explained", SettingKind::kOdds, "0.1:0.97", 0, 1,
                        "share of a variable's variance that its causes explain, per variable")};
}

ContinuousRule RuleDraw::draw(RandomStream& random) const {
  ContinuousRule rule;
  rule.function = draw_choice(kFunctionNames, functions_, random);
  rule.coupling = draw_choice(kRuleCouplingNames, couplings_, random);
  rule.noise = draw_choice(kShapeNames, noises_, random);
  rule.explained = explained_.draw(random);
  return rule;
}

}  // namespace causcale
