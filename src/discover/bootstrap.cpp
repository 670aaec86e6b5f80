#include "discover/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "data/standardize.h"
#include "discover/estimate.h"
#include "discover/select.h"
#include "graph/cycles.h"

namespace causcale {
namespace {

void append_effects(const Dataset& table, const DiscoverOptions& options, const Matrix<double>& probabilities,
                    std::vector<RepeatedEffect>& effects) {
  Digraph graph(static_cast<int>(probabilities.rows()), selected_edges(options, probabilities));
  if (options.acyclic)
    graph = break_cycles(graph, edge_scores(graph, probabilities, options.knowledge)).graph;
  for (const EdgeEffect& effect : edge_effects(table, graph, options.threads))
    effects.push_back({effect.edge, effect.size});
}

}  // namespace

std::vector<std::size_t> resample_rows(const Interventions& interventions, std::size_t rows,
                                       std::uint64_t seed, std::uint32_t repetition) {
  const auto regime_of = [&](std::size_t row) {
    return interventions.regime_of_row.empty() ? 0 : interventions.regime_of_row[row];
  };
  RandomStream random(seed, repetition, Purpose::kBootstrapRows);
  std::vector<std::size_t> drawn;
  drawn.reserve(rows);
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
    while (end < rows && regime_of(end) == regime_of(begin)) ++end;
    for (std::size_t k = begin; k < end; ++k)
      drawn.push_back(begin + random.below(static_cast<std::uint32_t>(end - begin)));
  }
  return drawn;
}

std::vector<RepeatedEffect> run_bootstrap(const Settings& settings, const DiscoverOptions& options,
                                          const Dataset& ordered, const std::function<void(double)>& progress,
                                          DiscoverResult& result) {
  const std::size_t n = ordered.table.cols();
  const int repetitions = options.bootstrap;
  Matrix<double> mean(n, n), squares(n, n), selected(n, n);  // squares: of the distances from the mean
  std::vector<RepeatedEffect> effects;
  int done = 0;
  while (done < repetitions) {
    const int together = std::min(settings.batch, repetitions - done);
    std::vector<Dataset> tables;
    for (int k = 0; k < together; ++k)
      tables.push_back(take_rows(ordered, resample_rows(ordered.interventions, ordered.table.rows(),
                                                        options.seed, static_cast<std::uint32_t>(done + k))));
    const auto estimates = estimate(settings, options, tables, [&](double pass) {
      progress((done + static_cast<double>(together) * pass / settings.steps()) / repetitions);
    });
    for (std::size_t k = 0; k < estimates.size(); ++k) {
      const Matrix<double>& probabilities = estimates[k].probabilities;
      append_effects(tables[k], options, probabilities, effects);
      ++done;
      for (std::size_t pair = 0; pair < n * n; ++pair) {
        const double distance = probabilities.data()[pair] - mean.data()[pair];
        mean.data()[pair] += distance / done;
        squares.data()[pair] += distance * (probabilities.data()[pair] - mean.data()[pair]);
      }
      for (const Edge& edge : selected_edges(options, probabilities)) selected(edge.source, edge.target) += 1;
    }
  }
  for (double& value : squares.values()) value = std::sqrt(std::max(0.0, value) / (repetitions - 1));
  for (double& value : selected.values()) value /= repetitions;
  result.bootstrap = repetitions;
  result.bootstrap_mean = std::move(mean);
  result.bootstrap_deviation = std::move(squares);
  result.selection_frequency = std::move(selected);
  return effects;
}

void add_graph_intervals(const std::vector<RepeatedEffect>& repeated, int repetitions,
                         std::vector<EdgeEffect>& effects) {
  std::map<Edge, std::vector<double>> sizes;
  for (const RepeatedEffect& entry : repeated)
    if (!std::isnan(entry.size)) sizes[entry.edge].push_back(entry.size);
  for (EdgeEffect& effect : effects) {
    std::vector<double>& drawn = sizes[effect.edge];
    drawn.resize(static_cast<std::size_t>(repetitions), 0.0);
    std::ranges::sort(drawn);
    const auto quantile = [&](double share) {
      const double at = share * static_cast<double>(drawn.size() - 1);
      const auto below = static_cast<std::size_t>(at);
      const std::size_t above = std::min(below + 1, drawn.size() - 1);
      return drawn[below] + (at - static_cast<double>(below)) * (drawn[above] - drawn[below]);
    };
    effect.graph_low = quantile(0.05);
    effect.graph_high = quantile(0.95);
  }
}

}  // namespace causcale
