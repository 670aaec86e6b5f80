// Tables of numbers and states: conditional Gaussian variables, logistic and softmax choices, thresholds,
// decision trees, numbers that differ by category.
#include <algorithm>
#include <cmath>

#include "simulate/worlds/categorical.h"
#include "simulate/worlds/continuous_rule.h"
#include "simulate/worlds/mixed_score.h"

namespace causcale {
namespace {

enum class ChoiceKind { kSoftmax, kThreshold, kTree };

constexpr NameTable<ScoreKind, 3> kNumberNames{{
    {ScoreKind::kAdditive, "additive"},
    {ScoreKind::kConditional, "conditional"},
    {ScoreKind::kTree, "tree"},
}};
constexpr NameTable<ChoiceKind, 3> kChoiceNames{{
    {ChoiceKind::kSoftmax, "softmax"},
    {ChoiceKind::kThreshold, "threshold"},
    {ChoiceKind::kTree, "tree"},
}};

struct Ranges {
  SettingRange explained, gain;
  std::vector<std::string> numbers, noises;
};

// The noise's size may depend on the state of a parent, as in conditional Gaussian networks.
void spread_by_state(const System& system, int node, const Columns& seen, RandomStream& random,
                     std::span<double> noise) {
  for (const int parent : system.graph.parents(node)) {
    if (system.states[parent] == 0 || !random.coin(0.5)) continue;
    std::vector<double> size(system.states[parent]);
    for (double& s : size) s = random.factor(3.0);
    for (std::size_t r = 0; r < noise.size(); ++r)
      noise[r] *= size[static_cast<std::size_t>(seen[parent][r])];
  }
}

void fill_number(const Ranges& ranges, const System& system, int node, const Columns& seen,
                 RandomStream& random, std::span<double> out) {
  fill_noise(draw_choice(kShapeNames, ranges.noises, random), random, out);
  if (system.graph.parents(node).empty()) return;
  spread_by_state(system, node, seen, random, out);
  standardise(out);
  const double explained = ranges.explained.draw(random);
  const ScoreKind kind = draw_choice(kNumberNames, ranges.numbers, random);
  const std::vector<double> score = draw_mixed_score(kind, system, node, seen, out.size(), random);
  for (std::size_t r = 0; r < out.size(); ++r)
    out[r] = std::sqrt(explained) * score[r] + std::sqrt(1 - explained) * out[r];
}

void fill_softmax(double gain, const System& system, int node, const Columns& seen, RandomStream& random,
                  std::span<double> out) {
  const int states = system.states[node];
  Columns score(states);
  std::vector<double> base(states);
  for (int c = 0; c < states; ++c) {
    base[c] = random.normal();
    // The first state is what the others are compared with.
    if (c > 0)
      score[c] = draw_mixed_score(random.coin() ? ScoreKind::kAdditive : ScoreKind::kConditional, system,
                                  node, seen, out.size(), random);
  }
  std::vector<double> weights(states);
  for (std::size_t r = 0; r < out.size(); ++r) {
    for (int c = 0; c < states; ++c) weights[c] = std::exp(base[c] + (c > 0 ? gain * score[c][r] : 0.0));
    accumulate_weights(weights);
    out[r] = state_at(weights, random.uniform());
  }
}

// A score with logistic noise, cut at random quantiles.
void fill_threshold(double gain, const System& system, int node, const Columns& seen, RandomStream& random,
                    std::span<double> out) {
  const int states = system.states[node];
  std::vector<double> place = draw_mixed_score(random.coin() ? ScoreKind::kAdditive : ScoreKind::kTree,
                                               system, node, seen, out.size(), random);
  for (double& x : place) {
    const double u = random.uniform();
    x = gain * x + std::log(u / (1 - u));
  }
  std::vector<double> sorted = place, shares = draw_dirichlet(states, 3.0, random);
  std::ranges::sort(sorted);
  accumulate_weights(shares);
  std::vector<double> cuts;
  for (int k = 0; k + 1 < states; ++k)
    cuts.push_back(sorted[static_cast<std::size_t>(shares[k] * static_cast<double>(sorted.size() - 1))]);
  for (std::size_t r = 0; r < out.size(); ++r)
    out[r] = static_cast<double>(std::ranges::lower_bound(cuts, place[r]) - cuts.begin());
}

void fill_by_leaf(const System& system, int node, const Columns& seen, RandomStream& random,
                  std::span<double> out) {
  const MixedLeaves tree = draw_mixed_leaves(system, node, seen, out.size(), random);
  const double concentration = std::exp(random.uniform(std::log(0.05), std::log(2.0)));
  Columns rows;
  for (int leaf = 0; leaf < tree.leaves; ++leaf) {
    rows.push_back(draw_dirichlet(system.states[node], concentration, random));
    accumulate_weights(rows.back());
  }
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = state_at(rows[tree.leaf[r]], random.uniform());
}

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const double discrete = draw.number("discrete");
  const int most_states = draw.whole("states");
  const Ranges ranges{draw.range("explained"), draw.range("gain"), draw.words("numbers"),
                      draw.words("noise")};
  const std::vector<std::string> allowed = draw.words("choices");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  std::vector<ChoiceKind> choice(system.nodes());
  for (int node = 0; node < system.nodes(); ++node) {
    choice[node] = draw_choice(kChoiceNames, allowed, random);
    if (!random.coin(discrete)) continue;
    system.states[node] = 2 + static_cast<int>(random.below(most_states - 1));
    system.kinds[node] = system.states[node] == 2                 ? ColumnKind::kBinary
                         : choice[node] == ChoiceKind::kThreshold ? ColumnKind::kOrdered
                                                                  : ColumnKind::kUnordered;
  }
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    if (system.states[node] == 0) return fill_number(ranges, system, node, seen, own, out);
    const double gain = ranges.gain.draw(own);
    if (system.graph.parents(node).empty()) {
      std::vector<double> weights = draw_dirichlet(system.states[node], own.factor(5.0), own);
      for (double& w : weights) w += 0.01;
      accumulate_weights(weights);
      for (double& x : out) x = state_at(weights, own.uniform());
    } else if (choice[node] == ChoiceKind::kSoftmax) {
      fill_softmax(gain, system, node, seen, own, out);
    } else if (choice[node] == ChoiceKind::kThreshold || system.graph.parents(node).size() > 6) {
      fill_threshold(gain, system, node, seen, own, out);
    } else {
      fill_by_leaf(system, node, seen, own, out);
    }
  };
  return sample_system(draw, system);
}

}  // namespace

World mixed_world() {
  return {
      "mixed", "numbers and states in one table, each caused by both",
      join_settings(
          {number_setting_of("discrete", SettingKind::kNumber, "0.15:0.85", 0, 1,
                             "share of variables of states"),
           number_setting_of("states", SettingKind::kWhole, "2:8", 2, 1000,
                             "largest number of states; every such variable has from 2 to so many"),
           number_setting_of("explained", SettingKind::kOdds, "0.05:0.98", 0, 1,
                             "share of a number's variance that its causes explain, per variable"),
           number_setting_of(
               "gain", SettingKind::kFactor, "0.5:8", 0, 1000,
               "how strongly states follow their causes: times a score of variance 1, in log odds"),
           word_setting_of(
               "numbers", "additive,conditional,conditional,tree", all_names(kNumberNames),
               "how numbers come about: additive: slopes and offsets; conditional: slopes by state; "
               "tree: decision trees"),
           word_setting_of("choices", "softmax,threshold,tree", all_names(kChoiceNames),
                           "how states come about: softmax (two states: logistic), thresholds of a score, "
                           "decision trees"),
           word_setting_of("noise",
                           "normal,normal,normal,uniform,student,laplace,exponential,lognormal,bimodal",
                           noise_shape_names(), "shapes of the numbers' noise and roots")},
          {graph_settings(), hidden_settings(), treatment_settings(), unit_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
