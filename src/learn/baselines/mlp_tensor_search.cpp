// What mlp_lagrangian.h computes, with tensors alone: networks in single precision, all else in double.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/baselines/mlp_layout.h"
#include "learn/baselines/mlp_search.h"
#include "learn/baselines/tensor_owl_qn.h"
#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostUnits = 100'000'000;  // hidden units of all networks and rows at a time

// exp(A) - I for a non-negative matrix, by scaling, a Taylor polynomial and squaring; nothing where it would
// overflow. The identity is left out throughout, so that small traces keep their digits: (I + F)^2 - I = F F
// + 2 F.
at::Tensor exponential_without_identity(const at::Tensor& matrix) {
  const double norm = matrix.sum(1).max().item<double>();
  if (!(norm < 200.0)) return {};
  const int squarings = norm > 0.5 ? static_cast<int>(std::ceil(std::log2(norm / 0.5))) : 0;
  const at::Tensor a = matrix * std::ldexp(1.0, -squarings);
  at::Tensor f = a;  // twelve terms leave less than 1e-14
  for (int k = 12; k >= 2; --k) f = at::addmm(a, a, f, 1.0, 1.0 / k);
  for (int s = 0; s < squarings; ++s) f = at::addmm(f, f, f, 2.0, 1.0);
  return f;
}

class TensorSearch final : public MlpSearch {
 public:
  TensorSearch(const MlpProblem& problem, const std::vector<double>& start, at::Device device)
      : data_(problem.data.to(device)),
        allowed_(tensor_of_mask(problem.allowed).to(device)),
        layout_{problem.data.size(1), problem.hidden},
        l2_(problem.l2),
        x_(at::tensor(start, at::kDouble).to(device)),
        penalty_(at::zeros_like(x_)) {
    penalty_.narrow(0, 0, layout_.inputs()).fill_(problem.l1);
  }

  OwlQnResult descend(const OwlQnOptions& options, const std::function<void()>& evaluated) override {
    return minimize_with_l1(
        x_, penalty_,
        [&](const at::Tensor& x, at::Tensor& gradient) {
          evaluated();
          return value_and_gradient(x, gradient);
        },
        options);
  }

  double constraint() const override {
    const at::Tensor f = exponential_without_identity(squared_norms(x_));
    return f.defined() ? f.trace().item<double>() : kInfinity;
  }

  Matrix<double> norms() const override { return matrix_of(squared_norms(x_).sqrt()); }

 private:
  at::Tensor input_weights(const at::Tensor& x) const {  // [source, unit, target]
    return x.narrow(0, 0, layout_.inputs()).view({layout_.nodes, layout_.hidden, layout_.nodes});
  }
  at::Tensor output_weights(const at::Tensor& x) const {  // [unit, target]
    return x.narrow(0, layout_.outputs(), layout_.layer()).view({layout_.hidden, layout_.nodes});
  }
  at::Tensor squared_norms(const at::Tensor& x) const { return input_weights(x).square().sum(1) * allowed_; }

  static at::Tensor tensor_of_mask(const Matrix<std::uint8_t>& mask) {
    Matrix<double> values(mask.rows(), mask.cols());
    std::ranges::copy(mask.values(), values.values().begin());
    return tensor_of(values, at::kDouble);
  }

  // The squared error over 2 m; its gradient is written to the tensor.
  double fit(const at::Tensor& x, at::Tensor& gradient) const {
    const std::int64_t m = data_.size(0), n = layout_.nodes, h = layout_.hidden;
    const at::Tensor single = x.to(at::kFloat);
    const at::Tensor weights = input_weights(single).view({n, h * n});
    const at::Tensor first_bias = single.narrow(0, layout_.first_bias(), layout_.layer());
    const at::Tensor outputs = output_weights(single);
    const at::Tensor bias = single.narrow(0, layout_.output_bias(), n);
    at::Tensor by_weights = at::zeros_like(weights), by_first_bias = at::zeros_like(outputs),
               by_outputs = at::zeros_like(outputs), by_bias = at::zeros_like(bias);
    double total = 0.0;
    const std::int64_t block = std::max<std::int64_t>(1, kMostUnits / layout_.layer());
    for (std::int64_t begin = 0; begin < m; begin += block) {
      const at::Tensor rows = data_.narrow(0, begin, std::min(block, m - begin));
      const at::Tensor units = at::addmm(first_bias, rows, weights).sigmoid_().view({-1, h, n});
      const at::Tensor error = (units * outputs).sum(1) + bias - rows;
      total += error.to(at::kDouble).square().sum().item<double>();
      const at::Tensor share = (error / static_cast<double>(m)).unsqueeze(1);  // [rows, 1, n]
      by_bias += share.sum(at::IntArrayRef{0, 1});
      by_outputs += (units * share).sum(0);
      const at::Tensor slopes = share * outputs * units * (1.0 - units);
      by_first_bias += slopes.sum(0);
      by_weights.addmm_(rows.t(), slopes.flatten(1));
    }
    gradient = at::cat({by_weights.flatten(), by_first_bias.flatten(), by_outputs.flatten(), by_bias})
                   .to(at::kDouble);
    return 0.5 * total / static_cast<double>(m);
  }

  // Infinity where the exponential overflows. Gradients of weights that are not allowed are zero.
  double value_and_gradient(const at::Tensor& x, at::Tensor& gradient) const {
    const c10::NoGradGuard no_grad;
    const at::Tensor f = exponential_without_identity(squared_norms(x));
    if (!f.defined()) {
      gradient = at::zeros_like(x);
      return kInfinity;
    }
    const double violation = f.trace().item<double>();
    double value = fit(x, gradient) + multiplier * violation + 0.5 * weight * violation * violation;

    const at::Tensor outputs = output_weights(x);
    output_weights(gradient).add_(outputs, l2_);
    const at::Tensor by_square = f.t() * (2.0 * (multiplier + weight * violation)) + l2_;  // [source, target]
    at::Tensor slopes = input_weights(gradient);
    slopes.addcmul_(input_weights(x), by_square.unsqueeze(1)).mul_(allowed_.unsqueeze(1));
    const double squares =
        input_weights(x).square().sum().item<double>() + outputs.square().sum().item<double>();
    value += 0.5 * l2_ * squares;
    return std::isfinite(value) ? value : kInfinity;
  }

  at::Tensor data_, allowed_;  // the latter [n, n], double
  MlpLayout layout_;
  double l2_;
  at::Tensor x_, penalty_;
};

}  // namespace

std::unique_ptr<MlpSearch> mlp_tensor_search(const MlpProblem& problem, const std::vector<double>& start,
                                             at::Device device) {
  return std::make_unique<TensorSearch>(problem, start, device);
}

}  // namespace causcale
