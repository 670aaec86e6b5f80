#include "core/input.h"

#include <algorithm>
#include <cmath>

#include "core/views.h"
#include "data/standardize.h"

namespace causcale {

void write_data(const Matrix<double>& values, const Interventions& interventions,
                std::span<const std::size_t> rows, bool flags, float* out) {
  const std::size_t n = values.cols();
  const ColumnMoments moments = column_moments(values, rows);
  for (const std::size_t r : rows) {
    for (std::size_t c = 0; c < n; ++c) {
      out[2 * c] = static_cast<float>((values(r, c) - moments.mean[c]) / moments.deviation[c]);
      out[2 * c + 1] = 0.0f;
    }
    if (flags && !interventions.regime_of_row.empty())
      for (const int target : interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[r])])
        out[2 * target + 1] = 1.0f;
    out += 2 * n;
  }
}

void write_prior(const Matrix<double>& values, const PriorOptions& options, float* out) {
  const Matrix<double> prior = precision_prior(values, options);
  std::ranges::transform(prior.values(), out, [](double value) { return static_cast<float>(value); });
}

void take_logarithms(Matrix<double>& values) {
  for (double& value : values.values()) value = std::log1p(value);
}

std::vector<float> prior_input(std::span<const Dataset> tables, const PriorOptions& options) {
  const std::size_t size = tables[0].table.cols() * tables[0].table.cols();
  std::vector<float> priors(tables.size() * size);
  for (std::size_t b = 0; b < tables.size(); ++b)
    write_prior(tables[b].table.values, options, priors.data() + b * size);
  return priors;
}

core::NetworkInput network_input(std::span<const Dataset> tables, const std::vector<float>& priors,
                                 std::span<const std::size_t> rows, std::span<const int> views) {
  core::NetworkInput input;
  input.tables = static_cast<std::int64_t>(tables.size());
  input.rows = static_cast<std::int64_t>(rows.size());
  input.columns = static_cast<std::int64_t>(tables[0].table.cols());
  input.views = static_cast<std::int64_t>(views.size());
  input.prior = priors;
  const std::size_t size = 2 * rows.size() * tables[0].table.cols();
  input.data.resize(tables.size() * size);
  for (std::size_t b = 0; b < tables.size(); ++b)
    write_data(tables[b].table.values, tables[b].interventions, rows, true, input.data.data() + b * size);
  for (const int view : views)
    for (const Dataset& dataset : tables) {
      const std::vector<float> signs = view_signs(dataset.table, view);
      input.signs.insert(input.signs.end(), signs.begin(), signs.end());
    }
  return input;
}

}  // namespace causcale
