#include "simulate/worlds/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulate/hidden.h"
#include "simulate/worlds/projection.h"

namespace causcale {
namespace {

// The rows to keep: of every regime, those of highest score, as many as its share.
std::vector<int> selected_rows(const std::vector<double>& score, const TreatmentPlan& plan, int rows) {
  std::vector<int> kept;
  const auto total = static_cast<double>(plan.regime_of_row.size());
  double owed = 0;
  for (std::vector<int>& members : plan.rows_of_regimes()) {
    std::ranges::sort(members, [&](int a, int b) { return score[a] > score[b]; });
    owed += static_cast<double>(members.size()) * rows / total;
    const auto take =
        std::min(members.size(), static_cast<std::size_t>(std::max(0L, std::lround(owed - kept.size()))));
    kept.insert(kept.end(), members.begin(), members.begin() + take);
  }
  std::ranges::sort(kept);
  return kept;
}

// Whole codes that mean nothing: any order, any start, with or without gaps.
void put_into_codes(RandomStream& random, ColumnKind kind, std::vector<double>& column) {
  const int states = 1 + static_cast<int>(*std::ranges::max_element(column));
  std::vector<double> code(states);
  std::iota(code.begin(), code.end(), random.coin(0.3) ? 1.0 : 0.0);
  if (kind != ColumnKind::kOrdered) {
    if (kind == ColumnKind::kUnordered && random.coin(0.15))
      for (double& c : code) c = c * 7 + random.below(7);
    const std::vector<int> order = random_permutation(states, random);
    const std::vector<double> sorted = code;
    for (int s = 0; s < states; ++s) code[s] = sorted[order[s]];
  }
  for (double& x : column) x = code[static_cast<std::size_t>(x)];
}

void put_into_units(RandomStream& random, double spread, std::vector<double>& column) {
  if (spread == 1) return;
  const double factor = random.factor(spread) * (random.coin() ? 1 : -1);
  const double shift = random.coin() ? 0.0 : random.normal() * 3 * factor;
  for (double& x : column) x = x * factor + shift;
}

bool is_constant(const Matrix<double>& values, std::size_t column) {
  for (std::size_t r = 1; r < values.rows(); ++r)
    if (values(r, column) != values(0, column)) return false;
  return true;
}

bool has_states(ColumnKind kind) {
  return kind == ColumnKind::kBinary || kind == ColumnKind::kOrdered || kind == ColumnKind::kUnordered;
}

}  // namespace

System::System(SampledGraph sampled) : graph(std::move(sampled.graph)), order(std::move(sampled.order)) {
  hidden.assign(graph.nodes(), 0);
  kinds.assign(graph.nodes(), ColumnKind::kContinuous);
  states.assign(graph.nodes(), 0);
}

System draw_system(WorldDraw& draw) {
  const int hidden = static_cast<int>(std::lround(draw.number("hidden") * draw.nodes()));
  System system(draw_world_graph(draw, draw.nodes() + hidden));
  if (hidden == 0) return system;
  RandomStream random = draw.stream(Purpose::kWorldHidden);
  if (random.coin()) {
    const std::vector<int> any = random_permutation(system.nodes(), random);
    for (int k = 0; k < hidden; ++k) system.hidden[any[k]] = 1;
  } else {
    std::ranges::fill(system.hidden, 1);
    for (const int node : visible_nodes(system.graph, hidden)) system.hidden[node] = 0;
  }
  return system;
}

WorldSample sample_system(WorldDraw& draw, const System& system) {
  const int rows = draw.rows() * system.surplus;
  std::vector<int> visible;
  for (int node = 0; node < system.nodes(); ++node)
    if (!system.hidden[node]) visible.push_back(node);
  TreatmentPlan plan = plan_treatments(draw, visible, rows);
  const std::vector<std::vector<int>> regime_rows = plan.rows_of_regimes();

  Columns measured(system.nodes()), seen(system.nodes());
  for (const int node : system.order) {
    measured[node].resize(rows);
    RandomStream random = draw.stream(Purpose::kWorldNode, static_cast<std::uint32_t>(node));
    system.fill(node, seen, random, measured[node]);
    seen[node] = measured[node];
    apply_treatments(plan, regime_rows, node, system.states[node],
                     draw.stream(Purpose::kWorldTreatment, static_cast<std::uint32_t>(node)), measured[node],
                     seen[node]);
  }
  if (system.measure) system.measure(measured);
  if (system.surplus > 1) {
    const std::vector<int> kept = selected_rows(system.score(measured), plan, draw.rows());
    for (std::vector<double>& column : measured) {
      std::vector<double> shorter;
      for (const int r : kept) shorter.push_back(column[r]);
      column = std::move(shorter);
    }
    std::vector<int> regimes;
    for (const int r : kept) regimes.push_back(plan.regime_of_row[r]);
    plan.regime_of_row = std::move(regimes);
  }
  return make_sample(draw, system.graph, system.hidden, std::move(measured), system.kinds, plan, true);
}

WorldSample make_sample(WorldDraw& draw, const Digraph& graph, std::span<const std::uint8_t> hidden,
                        Columns measured, std::span<const ColumnKind> kinds, const TreatmentPlan& plan,
                        bool units) {
  LatentProjection labels = latent_projection(graph, hidden);
  const std::size_t n = labels.visible.size(), rows = plan.regime_of_row.size();
  WorldSample sample;
  Table& table = sample.dataset.table;
  table.values = Matrix<double>(rows, n);
  std::vector<int> column_of(graph.nodes(), -1);
  std::string constants;
  for (std::size_t c = 0; c < n; ++c) {
    const int node = labels.visible[c];
    column_of[node] = static_cast<int>(c);
    RandomStream random = draw.stream(Purpose::kWorldColumn, static_cast<std::uint32_t>(c));
    if (units && has_states(kinds[node])) put_into_codes(random, kinds[node], measured[node]);
    if (units && kinds[node] == ColumnKind::kContinuous)
      put_into_units(random, draw.number("units"), measured[node]);
    // Single precision is what files of simulations hold.
    for (std::size_t r = 0; r < rows; ++r) table.values(r, c) = static_cast<float>(measured[node][r]);
    table.names.push_back(fmt::format("X{}", c));
    table.kinds.push_back(kinds[node]);
    if (!is_constant(table.values, c)) continue;
    // Nothing can be seen of the causes and effects of a column that never varies.
    table.kinds.back() = ColumnKind::kConstant;
    constants += (constants.empty() ? "" : ",") + table.names.back();
    for (std::size_t i = 0; i < n; ++i)
      labels.adjacency(i, c) = labels.adjacency(c, i) = labels.confounded(i, c) = labels.confounded(c, i) = 0;
  }
  if (!constants.empty()) draw.note("constant_columns", constants);
  sample.dataset.interventions = interventions_of(plan, column_of);
  sample.adjacency = std::move(labels.adjacency);
  sample.confounded = std::move(labels.confounded);
  return sample;
}

}  // namespace causcale
