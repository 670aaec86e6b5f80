#include "discover/estimate.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "data/standardize.h"
#include "discover/select.h"
#include "discover/views.h"
#include "graph/apply_knowledge.h"
#include "metrics/temperature.h"
#include "model/batched_prior.h"
#include "model/causcale.h"
#include "prior/precision.h"

namespace causcale {
namespace {

// [m, n, 2]: standardised value and intervention flag.
void write_data(const Dataset& part, float* out) {
  const Matrix<double> values = standardize(part.table.values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    out[2 * k] = static_cast<float>(values.data()[k]);
    out[2 * k + 1] = 0.0f;
  }
  const Interventions& interventions = part.interventions;
  if (interventions.regime_of_row.empty()) return;
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (const int target : interventions.regimes[interventions.regime_of_row[r]])
      out[2 * (r * values.cols() + target) + 1] = 1.0f;
}

// [B, m, n, 2]
at::Tensor data_input(std::span<const Dataset> tables, const std::vector<std::size_t>& rows) {
  const auto B = static_cast<std::int64_t>(tables.size()),
             n = static_cast<std::int64_t>(tables[0].table.cols());
  const auto m = static_cast<std::int64_t>(rows.size());
  at::Tensor data = at::empty({B, m, n, 2}, at::kFloat);
  for (std::int64_t b = 0; b < B; ++b)
    write_data(take_rows(tables[static_cast<std::size_t>(b)], rows), data.data_ptr<float>() + b * m * n * 2);
  return data;
}

// Smaller ones take a processor a few milliseconds; where a GPU begins to win has not been measured.
constexpr std::int64_t kGpuPriorFrom = 200;  // variables

// [n, n]: everything of order n^3 on the device, one table at a time because double precision takes memory.
at::Tensor prior_on_device(const Dataset& dataset, const PriorOptions& options, at::Device device) {
  const Matrix<double> centred =
      centred_values(dataset.table.values, options.rows, options.seed, options.scale);
  const auto m = static_cast<std::int64_t>(centred.rows()), n = static_cast<std::int64_t>(centred.cols());
  const at::Tensor values = at::from_blob(const_cast<double*>(centred.data()), {1, m, n}, at::kDouble);
  const at::Tensor count =
      at::full({1, 1, 1}, static_cast<double>(m), at::TensorOptions(device).dtype(at::kDouble));
  return precision_of_centred(values.to(device).transpose(1, 2), count)[0].to(at::kFloat);
}

}  // namespace

at::Tensor prior_input(std::span<const Dataset> tables, const PriorOptions& options, at::Device device) {
  const auto B = static_cast<std::int64_t>(tables.size()),
             n = static_cast<std::int64_t>(tables[0].table.cols());
  if (device.is_cuda() && n >= kGpuPriorFrom && options.method == PriorMethod::kAuto) {
    std::vector<at::Tensor> priors;
    for (const Dataset& dataset : tables) priors.push_back(prior_on_device(dataset, options, device));
    return at::stack(priors);
  }
  at::Tensor priors = at::empty({B, n, n}, at::kFloat);
  float* out = priors.data_ptr<float>();
  for (const Dataset& dataset : tables) {
    const Matrix<double> prior = precision_prior(dataset.table.values, options);
    for (const double value : prior.values()) *out++ = static_cast<float>(value);
  }
  return priors;
}

at::Tensor mean_probabilities(const Settings& settings, std::span<const Dataset> tables,
                              const at::Tensor& priors, std::uint64_t seed,
                              const std::function<void(int)>& passed) {
  const at::TensorOptions target = at::TensorOptions(settings.loaded.device).dtype(settings.loaded.dtype);
  const at::Tensor prior = priors.to(target);
  const auto parts = deal_rows(tables[0].table.rows(), settings.parts, settings.rows_per_pass, seed);
  int pass = 0;
  at::Tensor sum;  // [B, n, n]
  for (int part = 0; part < settings.parts; ++part) {
    const at::Tensor data = data_input(tables, parts[static_cast<std::size_t>(part)]).to(target);
    for (int first = 0; first < settings.views; first += settings.views_at_once) {
      passed(pass);
      const int count = std::min(settings.views_at_once, settings.views - first);
      std::vector<int> views;
      for (int again = first; again < first + count; ++again)
        views.push_back((again * settings.parts + part) % settings.different_views);
      const at::Tensor probabilities =
          settings.loaded.prepared
              ->edge_probabilities(mirrored({data, prior, {}, {}}, tables, views), true, settings.execution)
              .to(at::kCPU, at::kDouble)
              .view({count, prior.size(0), prior.size(1), prior.size(2)})
              .sum(0);
      sum = sum.defined() ? sum + probabilities : probabilities;
      pass += count;
    }
  }
  return (sum / pass).contiguous();
}

Matrix<double> told_probabilities(const Settings& settings, const at::Tensor& means, std::size_t index) {
  const auto n = static_cast<std::size_t>(means.size(1));
  const double* first = means.data_ptr<double>() + index * n * n;
  Matrix<double> told(n, n, std::vector<double>(first, first + n * n));
  apply_scale(settings.loaded.scales.of(settings.passes()), told);
  return told;
}

std::vector<Matrix<double>> estimate(const Settings& settings, const DiscoverOptions& options,
                                     std::span<const Dataset> tables,
                                     const std::function<void(int)>& passed) {
  const at::Tensor priors =
      prior_input(tables, {.scale = settings.prior_scale, .rows = {}}, settings.loaded.device);
  const at::Tensor means = mean_probabilities(settings, tables, priors, options.seed, passed);
  std::vector<Matrix<double>> results;
  for (std::size_t b = 0; b < tables.size(); ++b) {
    Matrix<double>& result = results.emplace_back(told_probabilities(settings, means, b));
    apply_knowledge(options.knowledge, result);
  }
  return results;
}

}  // namespace causcale
