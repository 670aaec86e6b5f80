#include "core/input.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/views.h"
#include "data/standardize.h"

namespace causcale {

namespace {

bool any_missing(const Matrix<double>& values) {
  return std::ranges::any_of(values.values(), [](double value) { return std::isnan(value); });
}

// Missing cells become the mean of what is there, exactly the value of a column that has but one; of a column
// without any value, 0.
Matrix<double> filled_with_means(const Matrix<double>& values, std::span<const std::size_t> rows) {
  Matrix<double> filled = values;
  for (std::size_t c = 0; c < values.cols(); ++c) {
    double sum = 0.0, count = 0.0, least = INFINITY, most = -INFINITY;
    for (const std::size_t r : rows) {
      const double value = values(r, c);
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    const double mean = count == 0 ? 0.0 : least == most ? least : sum / count;
    for (const std::size_t r : rows)
      if (std::isnan(values(r, c))) filled(r, c) = mean;
  }
  return filled;
}

// Of the cells that are there: filling in the mean leaves the mean and shrinks the deviation.
ColumnMoments moments_of_present(const Matrix<double>& values, std::span<const std::size_t> rows) {
  const Matrix<double> filled = filled_with_means(values, rows);
  ColumnMoments moments = column_moments(filled, rows);
  for (std::size_t c = 0; c < values.cols(); ++c) {
    const auto present = static_cast<double>(
        std::ranges::count_if(rows, [&](std::size_t r) { return !std::isnan(values(r, c)); }));
    const bool varies =
        std::ranges::any_of(rows, [&](std::size_t r) { return filled(r, c) != filled(rows[0], c); });
    if (varies) moments.deviation[c] *= std::sqrt(static_cast<double>(rows.size()) / present);
  }
  return moments;
}

}  // namespace

void write_data(const Matrix<double>& values, const Interventions& interventions,
                std::span<const std::size_t> rows, bool flags, const InputChannels& channels, float* out) {
  const std::size_t n = values.cols(), width = static_cast<std::size_t>(channels.data_width());
  const bool holes = any_missing(values);
  const ColumnMoments moments = holes ? moments_of_present(values, rows) : column_moments(values, rows);
  const std::int64_t missing = channels.place(DataChannel::kMissing);
  float* row = out;
  for (const std::size_t r : rows) {
    std::fill_n(row, n * width, 0.0f);
    for (std::size_t c = 0; c < n; ++c) {
      const double value = values(r, c);
      if (!std::isnan(value))
        row[width * c] = static_cast<float>((value - moments.mean[c]) / moments.deviation[c]);
      else if (missing >= 0)
        row[width * c + static_cast<std::size_t>(missing)] = 1.0f;
    }
    if (flags && !interventions.regime_of_row.empty())
      for (const int target : interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[r])])
        row[width * static_cast<std::size_t>(target) + 1] = 1.0f;
    row += width * n;
  }
  const std::int64_t discrete = channels.place(DataChannel::kDiscrete);
  if (discrete < 0) return;
  const std::vector<bool> few_values =
      discrete_columns({out, static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(n),
                        channels.data_width(), missing});
  for (std::size_t token = 0; token < rows.size() * n; ++token)
    out[token * width + static_cast<std::size_t>(discrete)] = few_values[token % n] ? 1.0f : 0.0f;
}

void write_pairs(const float* data, std::size_t rows, std::size_t columns, const InputChannels& channels,
                 const Matrix<float>& knowledge, float* out) {
  const auto width = static_cast<std::size_t>(channels.pair_width());
  for (std::size_t k = 0; k < width; ++k) {
    const Matrix<float> channel =
        channels.pairs[k] == PairChannel::kShift
            ? shift_statistics({data, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns),
                                channels.data_width(), channels.place(DataChannel::kMissing)})
            : knowledge;
    for (std::size_t pair = 0; pair < columns * columns; ++pair) out[pair * width + k] = channel.data()[pair];
  }
}

void write_prior(const Matrix<double>& values, const PriorOptions& options, float* out) {
  std::vector<std::size_t> rows(any_missing(values) ? values.rows() : 0);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const Matrix<double> prior = rows.empty() ? precision_prior(values, options)
                                            : precision_prior(filled_with_means(values, rows), options);
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
                                 std::span<const std::size_t> rows, std::span<const int> views,
                                 const InputChannels& channels, const Knowledge& knowledge) {
  core::NetworkInput input;
  input.tables = static_cast<std::int64_t>(tables.size());
  input.rows = static_cast<std::int64_t>(rows.size());
  input.columns = static_cast<std::int64_t>(tables[0].table.cols());
  input.views = static_cast<std::int64_t>(views.size());
  input.prior = priors;
  const std::size_t n = tables[0].table.cols();
  const std::size_t size = rows.size() * n * static_cast<std::size_t>(channels.data_width());
  const std::size_t pair_size = n * n * static_cast<std::size_t>(channels.pair_width());
  input.data.resize(tables.size() * size);
  input.pairs.resize(tables.size() * pair_size);
  const Matrix<float> told = channels.place(PairChannel::kKnowledge) < 0
                                 ? Matrix<float>()
                                 : knowledge_channel(knowledge, input.columns);
  for (std::size_t b = 0; b < tables.size(); ++b) {
    float* data = input.data.data() + b * size;
    write_data(tables[b].table.values, tables[b].interventions, rows, true, channels, data);
    write_pairs(data, rows.size(), n, channels, told, input.pairs.data() + b * pair_size);
  }
  for (const int view : views)
    for (const Dataset& dataset : tables) {
      const std::vector<float> signs = view_signs(dataset.table, view);
      input.signs.insert(input.signs.end(), signs.begin(), signs.end());
    }
  return input;
}

}  // namespace causcale
