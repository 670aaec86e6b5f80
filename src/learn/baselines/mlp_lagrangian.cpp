#include "learn/baselines/mlp_lagrangian.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/wide_clones.h"
#include "methods/continuous/acyclicity.h"

namespace causcale {
namespace {

constexpr std::int64_t kBlock = 128;  // rows whose hidden units stay in the cache

struct OutputLayer {
  std::vector<float> weights, bias;                       // [unit][target], [target]
  std::vector<float> by_weights, by_bias, by_first_bias;  // gradients, the last one [unit][target]
};

// Units [unit][target] of one row become the slopes of the squared error by their inputs. `error` [target]:
// scratch, left with the difference from the row's values.
CAUSCALE_WIDE_CLONES
void row_backwards(std::size_t hidden, std::size_t n, const float* values, float share, float* units,
                   float* error, OutputLayer& layer) {
  const float* weights = layer.weights.data();
  for (std::size_t t = 0; t < n; ++t) error[t] = layer.bias[t] - values[t];
  for (std::size_t u = 0; u < hidden; ++u)
    for (std::size_t t = 0; t < n; ++t) error[t] += units[u * n + t] * weights[u * n + t];
  float* by_bias = layer.by_bias.data();
  for (std::size_t t = 0; t < n; ++t) by_bias[t] += share * error[t];
  for (std::size_t u = 0; u < hidden; ++u) {
    float* __restrict unit = units + u * n;
    float* __restrict by_weight = layer.by_weights.data() + u * n;
    float* __restrict by_first = layer.by_first_bias.data() + u * n;
    const float* __restrict weight = weights + u * n;
    for (std::size_t t = 0; t < n; ++t) {
      const float value = unit[t], scaled = share * error[t];
      const float slope = scaled * weight[t] * value * (1.0f - value);
      by_weight[t] += scaled * value;
      by_first[t] += slope;
      unit[t] = slope;
    }
  }
}

}  // namespace

MlpLagrangian::MlpLagrangian(at::Tensor data, const Matrix<std::uint8_t>& allowed, int hidden, double l2,
                             int threads)
    : data_(std::move(data)),
      layout_{static_cast<std::int64_t>(allowed.rows()), hidden},
      l2_(l2),
      threads_(threads) {
  const int n = static_cast<int>(layout_.nodes);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (allowed(i, j)) pairs_.push_back({i, j});
  weights_ = at::empty({layout_.nodes, layout_.layer()}, at::kFloat);
  slopes_ = at::empty_like(weights_);
  units_ = at::empty({std::min(kBlock, data_.size(0)), layout_.layer()}, at::kFloat);
}

Matrix<double> MlpLagrangian::norms(std::span<const double> x) const {
  const auto n = static_cast<std::size_t>(layout_.nodes);
  Matrix<double> result(n, n);
  for (const auto& [source, target] : pairs_) {
    double sum = 0;
    for (std::int64_t u = 0; u < layout_.hidden; ++u) {
      const double w = x[layout_.input(source, u, target)];
      sum += w * w;
    }
    result(source, target) = std::sqrt(sum);
  }
  return result;
}

double MlpLagrangian::cycles(std::span<const double> x, std::vector<double>& by_square) const {
  const Matrix<double> sizes = norms(x);
  std::vector<double> values;
  values.reserve(pairs_.size());
  for (const auto& [source, target] : pairs_) values.push_back(sizes(source, target));
  by_square.assign(pairs_.size(), 0.0);
  return trace_exponential({static_cast<int>(layout_.nodes), pairs_, values}, threads_, by_square);
}

double MlpLagrangian::constraint(std::span<const double> x) const {
  std::vector<double> unused;
  return cycles(x, unused);
}

double MlpLagrangian::fit(std::span<const double> x, std::span<double> gradient) {
  const c10::NoGradGuard no_grad;
  const auto n = static_cast<std::size_t>(layout_.nodes), layer = static_cast<std::size_t>(layout_.layer());
  const std::int64_t m = data_.size(0);
  const double* all = x.data();
  std::copy_n(all, layout_.inputs(), weights_.data_ptr<float>());
  const std::vector<float> first_bias(all + layout_.first_bias(), all + layout_.outputs());
  OutputLayer outputs{{all + layout_.outputs(), all + layout_.output_bias()},
                      {all + layout_.output_bias(), all + layout_.size()},
                      std::vector<float>(layer),
                      std::vector<float>(n),
                      std::vector<float>(layer)};
  std::vector<float> error(n);
  double total = 0;
  slopes_.zero_();
  for (std::int64_t begin = 0; begin < m; begin += kBlock) {
    const std::int64_t count = std::min(kBlock, m - begin);
    const at::Tensor rows = data_.narrow(0, begin, count);
    at::Tensor units = units_.narrow(0, 0, count);
    at::mm_out(units, rows, weights_);
    float* unit = units.data_ptr<float>();
    for (std::int64_t r = 0; r < count; ++r)
      for (std::size_t k = 0; k < layer; ++k) unit[r * layer + k] += first_bias[k];
    units.sigmoid_();
    for (std::int64_t r = 0; r < count; ++r) {
      row_backwards(static_cast<std::size_t>(layout_.hidden), n, rows.data_ptr<float>() + r * n,
                    1.0f / static_cast<float>(m), unit + r * layer, error.data(), outputs);
      for (const float difference : error) total += static_cast<double>(difference) * difference;
    }
    slopes_.addmm_(rows.t(), units);
  }
  std::copy_n(slopes_.data_ptr<float>(), layout_.inputs(), gradient.begin());
  auto place = gradient.begin() + layout_.first_bias();
  for (const std::vector<float>* part : {&outputs.by_first_bias, &outputs.by_weights, &outputs.by_bias})
    place = std::ranges::copy(*part, place).out;
  return 0.5 * total / static_cast<double>(m);
}

double MlpLagrangian::operator()(std::span<const double> x, std::span<double> gradient) {
  std::vector<double> by_square;
  const double violation = cycles(x, by_square);
  if (!std::isfinite(violation)) return std::numeric_limits<double>::infinity();
  double value = fit(x, gradient) + multiplier * violation + 0.5 * weight * violation * violation;

  double squares = 0;
  for (std::int64_t k = layout_.outputs(); k < layout_.output_bias(); ++k) {
    squares += x[k] * x[k];
    gradient[k] += l2_ * x[k];
  }
  // What is not allowed starts at zero and keeps a slope of zero.
  std::vector<double> slopes(static_cast<std::size_t>(layout_.inputs()), 0.0);
  const double pull = multiplier + weight * violation;
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    for (std::int64_t u = 0; u < layout_.hidden; ++u) {
      const std::int64_t k = layout_.input(pairs_[p].source, u, pairs_[p].target);
      squares += x[k] * x[k];
      slopes[k] = gradient[k] + (l2_ + 2 * pull * by_square[p]) * x[k];
    }
  std::ranges::copy(slopes, gradient.begin());
  value += 0.5 * l2_ * squares;
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace causcale
