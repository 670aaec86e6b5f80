// Tables of states: every variable has a conditional probability table over its causes.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "simulate/worlds/categorical.h"
#include "simulate/worlds/continuous_rule.h"

namespace causcale {
namespace {

enum class TableKind { kDirichlet, kNoisyOr, kDeterministic, kRare, kSoftmax, kOrdinal };

constexpr NameTable<TableKind, 6> kTableKindNames{{
    {TableKind::kDirichlet, "dirichlet"},
    {TableKind::kNoisyOr, "noisy_or"},
    {TableKind::kDeterministic, "deterministic"},
    {TableKind::kRare, "rare"},
    {TableKind::kSoftmax, "softmax"},
    {TableKind::kOrdinal, "ordinal"},
}};

// Weights of a variable's states for given states of its parents.
using TableRow = std::function<std::vector<double>(std::span<const int> parent_states, std::uint64_t hash)>;

std::uint64_t hash_states(std::span<const int> states) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const int state : states) {
    hash = (hash ^ static_cast<std::uint64_t>(state + 1)) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  }
  return hash;
}

class TableMaker {
 public:
  TableMaker(WorldDraw& draw, const System& system)
      : draw_(draw),
        system_(system),
        concentration_(draw.range("concentration")),
        flips_(draw.range("flips")) {}

  TableRow make(TableKind kind, int node, RandomStream& random) const {
    const int states = system_.states[node];
    switch (kind) {
      case TableKind::kNoisyOr:
        return noisy_or(node, states, random);
      case TableKind::kDeterministic:
        return deterministic(node, states, random);
      case TableKind::kRare:
        return softmax(node, states, random, random.uniform(3.0, 7.0), random.uniform(2.0, 6.0));
      case TableKind::kSoftmax:
        return softmax(node, states, random, 0.0, std::exp(random.uniform(std::log(0.3), std::log(4.0))));
      case TableKind::kOrdinal:
        return ordinal(node, states, random);
      case TableKind::kDirichlet:
        break;
    }
    const double concentration = concentration_.draw(random);
    const auto node_item = static_cast<std::uint64_t>(node) * 0x94D049BB133111EBu;
    return [this, states, concentration, node_item](std::span<const int>, std::uint64_t hash) {
      RandomStream row =
          draw_.stream(Purpose::kWorldRows, static_cast<std::uint32_t>((hash ^ node_item) >> 32));
      return draw_dirichlet(states, concentration, row);
    };
  }

 private:
  // [parent][state], filled by draw(parent's number of states, state).
  template <class Draw>
  std::vector<std::vector<double>> by_parent_state(int node, Draw draw) const {
    std::vector<std::vector<double>> values;
    for (const int parent : system_.graph.parents(node)) {
      values.emplace_back();
      for (int s = 0; s < system_.states[parent]; ++s)
        values.back().push_back(draw(system_.states[parent], s));
    }
    return values;
  }

  // Every parent that is not in its state 0 may switch the variable on; how far is a matter of chance.
  TableRow noisy_or(int node, int states, RandomStream& random) const {
    const auto strength =
        by_parent_state(node, [&](int, int s) { return s == 0 ? 0.0 : random.uniform(0.3, 0.98); });
    const double leak = std::exp(random.uniform(std::log(0.001), std::log(0.2)));
    std::vector<double> degree = draw_dirichlet(states - 1, 1.0, random);
    return [strength, leak, degree](std::span<const int> at, std::uint64_t) {
      double off = 1 - leak;
      for (std::size_t p = 0; p < at.size(); ++p) off *= 1 - strength[p][at[p]];
      std::vector<double> weights{off};
      for (const double d : degree) weights.push_back((1 - off) * d);
      return weights;
    };
  }

  // A sum modulo the number of states, the largest or the smallest of the parents' states in some order.
  TableRow deterministic(int node, int states, RandomStream& random) const {
    const std::uint32_t form = random.below(3);
    std::vector<std::vector<double>> level;
    for (const int parent : system_.graph.parents(node)) {
      const std::vector<int> order = random_permutation(system_.states[parent], random);
      level.emplace_back(order.begin(), order.end());
    }
    const double flips = random.coin() ? 0.0 : flips_.draw(random);
    return [=](std::span<const int> at, std::uint64_t) {
      double sum = 0, largest = 0, smallest = 1;
      for (std::size_t p = 0; p < at.size(); ++p) {
        const double place = level[p][at[p]] / static_cast<double>(level[p].size() - 1);
        sum += level[p][at[p]];
        largest = std::max(largest, place);
        smallest = std::min(smallest, place);
      }
      const int state = form == 0
                            ? static_cast<int>(sum) % states
                            : static_cast<int>(std::lround((form == 1 ? largest : smallest) * (states - 1)));
      std::vector<double> weights(states, flips / states);
      weights[state] += 1 - flips;
      return weights;
    };
  }

  // Log weights add up over parents. With a lead, state 0 is the usual one and the others are rare events
  // that parents make likelier.
  TableRow softmax(int node, int states, RandomStream& random, double lead, double gain) const {
    std::vector<std::vector<std::vector<double>>> effect;  // [state][parent][state of the parent]
    std::vector<double> base;
    for (int c = 0; c < states; ++c) {
      base.push_back(c == 0 ? lead : random.normal());
      effect.push_back(by_parent_state(node, [&](int, int s) {
        if (lead == 0) return gain * random.normal();
        return c == 0 || s == 0 ? 0.0 : gain * random.uniform();
      }));
    }
    return [=](std::span<const int> at, std::uint64_t) {
      std::vector<double> weights = base;
      for (int c = 0; c < states; ++c)
        for (std::size_t p = 0; p < at.size(); ++p) weights[c] += effect[c][p][at[p]];
      const double largest = *std::ranges::max_element(weights);
      for (double& w : weights) w = std::exp(w - largest);
      return weights;
    };
  }

  // A sum of the parents' places with logistic noise, cut into levels.
  TableRow ordinal(int node, int states, RandomStream& random) const {
    std::vector<std::vector<double>> effect;
    double reach = 0;
    for (const int parent : system_.graph.parents(node)) {
      const double slope = random.uniform(0.5, 1.5) * (random.coin() ? 1 : -1);
      const int count = system_.states[parent];
      effect.emplace_back();
      for (int s = 0; s < count; ++s) effect.back().push_back(slope * (s - 0.5 * (count - 1)) / (count - 1));
      reach += 0.5 * std::abs(slope);
    }
    const double steepness = std::exp(random.uniform(std::log(1.0), std::log(30.0)));
    std::vector<double> cuts(states - 1);
    for (int k = 0; k + 1 < states; ++k)
      cuts[k] = std::max(reach, 0.5) * 1.4 * ((k + 1 + random.uniform(-0.3, 0.3)) / states - 0.5);
    return [=](std::span<const int> at, std::uint64_t) {
      double place = 0;
      for (std::size_t p = 0; p < at.size(); ++p) place += effect[p][at[p]];
      std::vector<double> weights(states);
      double below = 0;
      for (int s = 0; s < states; ++s) {
        const double to = s + 1 < states ? 1 / (1 + std::exp(-steepness * (cuts[s] - place))) : 1.0;
        weights[s] = std::max(0.0, to - below);
        below = to;
      }
      return weights;
    };
  }

  WorldDraw& draw_;
  const System& system_;
  SettingRange concentration_, flips_;
};

std::vector<double> root_weights(TableKind kind, int states, RandomStream& random) {
  std::vector<double> weights = draw_dirichlet(states, random.factor(8.0), random);
  if (kind == TableKind::kRare) {
    const double rare = std::exp(random.uniform(std::log(0.005), std::log(0.1)));
    for (double& w : weights) w *= rare;
    weights[0] += 1 - rare;
  }
  // No state of a root is so rare that the column would be constant.
  for (double& w : weights) w = 0.995 * w + 0.005 / states;
  return weights;
}

void fill_states(const TableRow& row, const System& system, int node, const Columns& seen,
                 RandomStream& random, std::span<double> out) {
  const std::span<const int> parents = system.graph.parents(node);
  std::unordered_map<std::uint64_t, std::vector<double>> rows;
  std::vector<int> at(parents.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    for (std::size_t p = 0; p < parents.size(); ++p) at[p] = static_cast<int>(seen[parents[p]][r]);
    const std::uint64_t hash = hash_states(at);
    auto [found, added] = rows.try_emplace(hash);
    if (added) {
      found->second = row(at, hash);
      accumulate_weights(found->second);
    }
    out[r] = state_at(found->second, random.uniform());
  }
}

WorldSample make(WorldDraw& draw) {
  System system = draw_system(draw);
  const int most_states = draw.whole("states");
  const std::vector<std::string> allowed = draw.words("tables");
  RandomStream random = draw.stream(Purpose::kWorldExtra);
  const bool alike = random.coin();
  const auto common = draw_choice(kTableKindNames, allowed, random);
  std::vector<TableKind> table(system.nodes());
  std::string names;
  for (int node = 0; node < system.nodes(); ++node) {
    table[node] = alike ? common : draw_choice(kTableKindNames, allowed, random);
    system.states[node] = 2 + static_cast<int>(random.below(most_states - 1));
    system.kinds[node] = system.states[node] == 2             ? ColumnKind::kBinary
                         : table[node] == TableKind::kOrdinal ? ColumnKind::kOrdered
                                                              : ColumnKind::kUnordered;
    names += (names.empty() ? "" : ",") + name_of(kTableKindNames, table[node]);
  }
  draw.note("node_tables", names);
  const TableMaker maker(draw, system);
  system.fill = [&](int node, const Columns& seen, RandomStream& own, std::span<double> out) {
    if (system.graph.parents(node).empty()) {
      std::vector<double> weights = root_weights(table[node], system.states[node], own);
      accumulate_weights(weights);
      for (double& x : out) x = state_at(weights, own.uniform());
    } else {
      fill_states(maker.make(table[node], node, own), system, node, seen, own, out);
    }
  };
  return sample_system(draw, system);
}

}  // namespace

World discrete_world() {
  return {
      "discrete", "states with conditional probability tables, as whole codes that mean nothing",
      join_settings(
          {number_setting_of("states", SettingKind::kWhole, "2:20", 2, 1000,
                             "largest number of states; every variable has from 2 to so many"),
           word_setting_of(
               "tables", "dirichlet,dirichlet,noisy_or,deterministic,rare,softmax,ordinal",
               all_names(kTableKindNames),
               "one kind for all variables or each its own: dirichlet: random rows; noisy_or: any cause "
               "may switch it on; deterministic: sum, largest or smallest of the causes; rare: events that "
               "causes make likelier; softmax: effects that add up; ordinal: levels in an order"),
           number_setting_of(
               "concentration", SettingKind::kFactor, "0.02:10", 1e-3, 1e3,
               "of Dirichlet rows, per variable: small: nearly deterministic, large: nearly even"),
           number_setting_of(
               "flips", SettingKind::kFactor, "0.001:0.1", 0, 1,
               "deterministic: share of states that are drawn evenly, in half of the variables")},
          {graph_settings(), hidden_settings(), treatment_settings(), missing_settings()}),
      make};
}

}  // namespace causcale
