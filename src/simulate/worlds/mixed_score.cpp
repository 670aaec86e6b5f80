#include "simulate/worlds/mixed_score.h"

#include <algorithm>
#include <cmath>

#include "simulate/worlds/marginals.h"

namespace causcale {
namespace {

double draw_slope(RandomStream& random) {
  return random.uniform(0.4, 1.5) * (random.coin() ? 1 : -1);
}

// Offsets per state, of which two at least differ.
std::vector<double> draw_offsets(int states, RandomStream& random) {
  std::vector<double> offsets(states);
  for (double& offset : offsets) offset = random.normal() * 1.2;
  return offsets;
}

std::vector<double> standardised(const std::vector<double>& column) {
  std::vector<double> copy = column;
  standardise(copy);
  for (double& x : copy) x = std::clamp(x, -8.0, 8.0);
  return copy;
}

void add_parent(const System& system, int parent, const Columns& seen, RandomStream& random,
                std::vector<double>& score) {
  if (system.states[parent] > 0) {
    const std::vector<double> offsets = draw_offsets(system.states[parent], random);
    for (std::size_t r = 0; r < score.size(); ++r)
      score[r] += offsets[static_cast<std::size_t>(seen[parent][r])];
    return;
  }
  const double slope = draw_slope(random);
  const std::vector<double> x = standardised(seen[parent]);
  for (std::size_t r = 0; r < score.size(); ++r) score[r] += slope * x[r];
}

// Every state of one parent has its own additive score of the others.
void add_conditional(const System& system, int switching, std::span<const int> parents, const Columns& seen,
                     RandomStream& random, std::vector<double>& score) {
  const int states = system.states[switching];
  const std::vector<double> offsets = draw_offsets(states, random);
  Columns own(states, std::vector<double>(score.size()));
  for (std::vector<double>& column : own)
    for (const int parent : parents)
      if (parent != switching) add_parent(system, parent, seen, random, column);
  for (std::size_t r = 0; r < score.size(); ++r) {
    const auto state = static_cast<std::size_t>(seen[switching][r]);
    score[r] = offsets[state] + own[state][r];
  }
}

}  // namespace

MixedLeaves draw_mixed_leaves(const System& system, int node, const Columns& seen, std::size_t rows,
                              RandomStream& random) {
  const std::span<const int> all = system.graph.parents(node);
  MixedLeaves result{std::vector<int>(rows, 0), 1};
  if (all.empty()) return result;
  std::vector<int> asked;
  for (const int k : random_permutation(static_cast<int>(all.size()), random)) asked.push_back(all[k]);
  if (asked.size() > 6) asked.resize(6);
  while (asked.size() < 3 && random.coin(0.6)) asked.push_back(asked[random.below(asked.size())]);
  for (const int parent : asked) {
    result.leaves *= 2;
    if (system.states[parent] > 0) {
      std::vector<int> yes(system.states[parent]);
      for (int& answer : yes) answer = random.coin() ? 1 : 0;
      const std::uint32_t one = random.below(static_cast<std::uint32_t>(yes.size()));
      yes[one] = 1;
      yes[(one + 1) % yes.size()] = 0;
      for (std::size_t r = 0; r < rows; ++r)
        result.leaf[r] = 2 * result.leaf[r] + yes[static_cast<std::size_t>(seen[parent][r])];
    } else {
      const double threshold = 0.7 * random.normal();
      const std::vector<double> x = standardised(seen[parent]);
      for (std::size_t r = 0; r < rows; ++r) result.leaf[r] = 2 * result.leaf[r] + (x[r] > threshold ? 1 : 0);
    }
  }
  return result;
}

std::vector<double> draw_mixed_score(ScoreKind kind, const System& system, int node, const Columns& seen,
                                     std::size_t rows, RandomStream& random) {
  const std::span<const int> parents = system.graph.parents(node);
  std::vector<double> score(rows, 0.0);
  if (parents.empty()) return score;
  std::vector<int> with_states;
  for (const int parent : parents)
    if (system.states[parent] > 0) with_states.push_back(parent);
  if (kind == ScoreKind::kTree) {
    // Trees ask about six parents; what the others do adds up.
    if (parents.size() > 6)
      for (const int parent : parents) add_parent(system, parent, seen, random, score);
    const MixedLeaves tree = draw_mixed_leaves(system, node, seen, rows, random);
    std::vector<double> value(tree.leaves);
    for (double& v : value) v = random.normal();
    for (std::size_t r = 0; r < rows; ++r) score[r] += value[tree.leaf[r]];
  } else if (kind == ScoreKind::kConditional && !with_states.empty()) {
    add_conditional(system, with_states[random.below(with_states.size())], parents, seen, random, score);
  } else {
    for (const int parent : parents) add_parent(system, parent, seen, random, score);
  }
  standardise(score);
  return score;
}

}  // namespace causcale
