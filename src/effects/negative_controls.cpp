#include "effects/negative_controls.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "effects/effect_rows.h"
#include "effects/separation.h"
#include "graph/reachability.h"

namespace causcale {
namespace {

constexpr double kHalfWidth = 1.644854;  // of a normal 90 % interval, in standard errors

// How much two columns go together over the rows in which both are known; 0 where nothing can be said.
double correlation(const EffectTable& table, int a, int b) {
  const int both[] = {a, b};
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (table.complete(r, both)) rows.push_back(r);
  const Variable x = table.variable(a, rows), y = table.variable(b, rows);
  if (x.columns.size() != 1 || y.columns.size() != 1) return 0.0;
  const Column &u = x.columns.front(), &v = y.columns.front();
  const double mean_u = mean_of(u), mean_v = mean_of(v), spread = deviation_of(u) * deviation_of(v);
  if (!(spread > 0.0)) return 0.0;
  double sum = 0.0;
  for (std::size_t r = 0; r < u.size(); ++r) sum += (u[r] - mean_u) * (v[r] - mean_v);
  return std::abs(sum / (spread * static_cast<double>(u.size())));
}

// The nodes that are not flagged, those that go most with `near` first.
std::vector<int> candidates(const EffectTable& table, const std::vector<std::uint8_t>& excluded, int near,
                            std::size_t most) {
  std::vector<std::pair<double, int>> ranked;
  for (std::size_t node = 0; node < excluded.size(); ++node)
    if (!excluded[node])
      ranked.emplace_back(-correlation(table, static_cast<int>(node), near), static_cast<int>(node));
  std::ranges::sort(ranked);
  if (ranked.size() > most) ranked.resize(most);
  std::vector<int> nodes;
  for (const auto& [strength, node] : ranked) nodes.push_back(node);
  return nodes;
}

void estimate(const EffectTable& table, int cause, int outcome, const std::vector<int>& set,
              std::vector<NegativeControl>& controls) {
  const EffectEstimation estimation(table, cause, outcome, {outcome});
  if (!estimation.obstacle().empty()) return;
  const EffectEstimate found = estimation.linear("control", set);
  const double error = (found.high - found.low) / (2.0 * kHalfWidth);
  if (!(error > 0.0)) return;
  NegativeControl control;
  control.cause = cause;
  control.outcome = outcome;
  control.adjustment = set;
  control.size = found.size;
  control.low = found.low;
  control.high = found.high;
  control.p = chi_square_tail(found.size * found.size / (error * error), 1);
  controls.push_back(std::move(control));
}

}  // namespace

std::vector<NegativeControl> negative_controls(const EffectTable& table, const Digraph& dag, int cause,
                                               int outcome, const std::vector<int>& set, std::size_t most) {
  std::vector<NegativeControl> controls;
  // Variables that the graph separates from the cause by the same adjustment, and that it does not move.
  std::vector<std::uint8_t> excluded = connected_nodes(dag, cause, set);
  const std::vector<std::uint8_t> below = descendants(dag, std::span(&cause, 1));
  const auto exclude = [&] {
    for (const int node : set) excluded[static_cast<std::size_t>(node)] = 1;
    excluded[static_cast<std::size_t>(cause)] = excluded[static_cast<std::size_t>(outcome)] = 1;
    for (std::size_t node = 0; node < below.size(); ++node)
      excluded[node] |= below[node] || node >= table.dataset().table.cols();
  };
  exclude();
  for (const int node : candidates(table, excluded, outcome, most))
    estimate(table, cause, node, set, controls);
  // Variables that say nothing about the outcome once the cause and the same adjustment are known.
  std::vector<int> given = set;
  given.insert(std::ranges::upper_bound(given, cause), cause);
  excluded = connected_nodes(dag, outcome, given);
  exclude();
  for (const int node : candidates(table, excluded, cause, most))
    estimate(table, node, outcome, given, controls);
  return controls;
}

}  // namespace causcale
