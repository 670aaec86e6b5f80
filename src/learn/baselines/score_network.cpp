#include "learn/baselines/score_network.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

// Leaves: five linear layers and a normalisation.
enum Leaf { kW1, kW2, kB2, kG2, kO2, kW3, kB3, kW4, kB4, kW5, kB5, kLeafCount };
constexpr double kEpsilon = 1e-5;  // of the normalisation
constexpr std::int64_t kRowsAtOnce = 8192;

}  // namespace

ScoreNetwork::ScoreNetwork(std::int64_t variables, std::int64_t narrow, std::int64_t wide,
                           RandomStream& random, at::Device device)
    : variables_(variables), leaves_(kLeafCount) {
  const auto weights = [&](std::int64_t out, std::int64_t in) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(in));
    return uniform_tensor(random, {out, in}, -bound, bound);
  };
  leaves_[kW1] = weights(narrow, variables + 1);
  leaves_[kW2] = weights(wide, narrow);
  leaves_[kW3] = weights(wide, wide);
  leaves_[kW4] = weights(narrow, wide);
  leaves_[kW5] = weights(variables, narrow);
  leaves_[kB2] = at::zeros({wide}, at::kFloat);
  leaves_[kB3] = at::zeros({wide}, at::kFloat);
  leaves_[kB4] = at::zeros({narrow}, at::kFloat);
  leaves_[kB5] = at::zeros({variables}, at::kFloat);
  leaves_[kG2] = at::ones({wide}, at::kFloat);
  leaves_[kO2] = at::zeros({wide}, at::kFloat);
  for (at::Tensor& leaf : leaves_) leaf = leaf.to(device).requires_grad_(true);
}

ScoreNetwork ScoreNetwork::to(at::ScalarType type) const {
  ScoreNetwork copy = *this;
  for (at::Tensor& leaf : copy.leaves_) leaf = leaf.detach().to(type).requires_grad_(true);
  return copy;
}

ScoreNetwork::Jet ScoreNetwork::linear(const Jet& x, int weight, int bias) const {
  const at::Tensor matrix = leaves_[weight].t();
  Jet y;
  y.value = at::matmul(x.value, matrix);
  if (bias >= 0) y.value = y.value + leaves_[bias];
  if (x.first.defined()) y.first = at::matmul(x.first, matrix);
  if (x.second.defined()) y.second = at::matmul(x.second, matrix);
  return y;
}

// x times the logistic function of x. Smooth: the residues need second derivatives, which a piecewise linear
// activation does not have.
ScoreNetwork::Jet ScoreNetwork::bend(const Jet& x) {
  if (!x.first.defined()) return {at::silu(x.value), {}, {}};
  const at::Tensor gate = at::sigmoid(x.value);
  Jet y;
  y.value = x.value * gate;
  const at::Tensor slope = gate * (1 + x.value * (1 - gate));
  y.first = x.first * slope;
  if (!x.second.defined()) return y;
  const at::Tensor curvature = gate * (1 - gate) * (2 + x.value * (1 - 2 * gate));
  y.second = x.second * slope + x.first * x.first * curvature;
  return y;
}

// (u - mean) / sqrt(mean square deviation), derived twice: with c the centred value, v the variance and
// r = v^(-1/2), the product c r has the derivatives c' r + c r' and c'' r + 2 c' r' + c r''.
ScoreNetwork::Jet ScoreNetwork::normalize(const Jet& x, int weight, int bias) const {
  if (!x.first.defined())
    return {at::layer_norm(x.value, {x.value.size(-1)}, leaves_[weight], leaves_[bias], kEpsilon), {}, {}};
  const auto mean = [](const at::Tensor& u) { return u.mean(-1, /*keepdim=*/true); };
  const at::Tensor c0 = x.value - mean(x.value);
  const at::Tensor v0 = mean(c0 * c0) + kEpsilon;
  const at::Tensor r0 = v0.rsqrt();
  Jet y;
  y.value = c0 * r0 * leaves_[weight] + leaves_[bias];
  const at::Tensor c1 = x.first - mean(x.first);
  const at::Tensor v1 = 2 * mean(c0 * c1);
  const at::Tensor r1 = -0.5 * r0 / v0 * v1;
  y.first = (c1 * r0 + c0 * r1) * leaves_[weight];
  if (!x.second.defined()) return y;
  const at::Tensor c2 = x.second - mean(x.second);
  const at::Tensor v2 = 2 * mean(c1 * c1 + c0 * c2);
  const at::Tensor r2 = 0.75 * r0 / (v0 * v0) * v1 * v1 - 0.5 * r0 / v0 * v2;
  y.second = (c2 * r0 + 2 * c1 * r1 + c0 * r2) * leaves_[weight];
  return y;
}

// The first layer is not normalised: that would take the rows' lengths from what follows, and fewer orders
// come out right.
ScoreNetwork::Jet ScoreNetwork::after_first_layer(const Jet& x) const {
  const Jet wide = normalize(bend(linear(x, kW2, kB2)), kG2, kO2);
  return linear(bend(linear(bend(linear(wide, kW3, kB3)), kW4, kB4)), kW5, kB5);
}

at::Tensor ScoreNetwork::forward(const at::Tensor& x, const at::Tensor& level) const {
  const Jet first{at::matmul(at::cat({x, level}, -1), leaves_[kW1].t()), {}, {}};
  return after_first_layer(bend(first)).value;
}

at::Tensor ScoreNetwork::own_slopes(const at::Tensor& x, double level) const {
  const c10::NoGradGuard no_grad;
  const std::int64_t rows = x.size(0), n = variables_;
  const at::Tensor levels = at::full({rows, 1}, level, x.options());
  const at::Tensor inner = at::matmul(at::cat({x, levels}, 1), leaves_[kW1].t()).unsqueeze(1);
  const at::Tensor directions = leaves_[kW1].t().narrow(0, 0, n).unsqueeze(0).expand({rows, -1, -1});
  const std::int64_t together = std::max<std::int64_t>(1, kRowsAtOnce / rows);
  std::vector<at::Tensor> slopes;
  for (std::int64_t begin = 0; begin < n; begin += together) {
    const std::int64_t count = std::min(together, n - begin);
    const Jet jet = after_first_layer(bend({inner, directions.narrow(1, begin, count), {}}));  // [b, k, l]
    slopes.push_back(jet.first.narrow(2, begin, count).diagonal(0, 1, 2));
  }
  return at::cat(slopes, 1);
}

ScoreNetwork::Derivatives ScoreNetwork::derivatives(const at::Tensor& x, double level) const {
  const std::int64_t rows = x.size(0), n = variables_;
  const at::Tensor levels = at::full({rows, 1}, level, x.options());
  const at::Tensor directions = leaves_[kW1].detach().t().narrow(0, 0, n);                      // [n, narrow]
  const at::Tensor first = at::empty({rows, n, n}, x.options()), pure = at::empty_like(first);  // [b, j, l]
  Derivatives result{{}, first.transpose(1, 2), pure.transpose(1, 2), at::empty_like(first)};
  const std::int64_t together = std::max<std::int64_t>(1, kRowsAtOnce / rows);
  for (std::int64_t begin = 0; begin < n; begin += together) {
    const std::int64_t count = std::min(together, n - begin);
    {
      const c10::NoGradGuard no_grad;
      const at::Tensor inner = at::matmul(at::cat({x, levels}, 1), leaves_[kW1].t()).unsqueeze(1);
      const at::Tensor along = directions.narrow(0, begin, count).unsqueeze(0).expand({rows, -1, -1});
      const Jet jet = after_first_layer(bend({inner, along, at::zeros_like(along)}));  // [b, k, l]
      if (begin == 0) result.value = jet.value.squeeze(1);
      first.narrow(1, begin, count).copy_(jet.first);
      pure.narrow(1, begin, count).copy_(jet.second);
    }
    const c10::AutoGradMode with_gradient(true);
    // Every direction gets a copy of the rows, so that one pass back tells them apart.
    const at::Tensor copies =
        x.unsqueeze(1).expand({rows, count, n}).contiguous().requires_grad_(true);  // [b, k, n]
    const at::Tensor inner = at::matmul(at::cat({copies, levels.unsqueeze(1).expand({rows, count, 1})}, 2),
                                        leaves_[kW1].detach().t());
    const at::Tensor along = directions.narrow(0, begin, count).unsqueeze(0).expand({rows, -1, -1});
    const Jet jet = after_first_layer(bend({inner, along, {}}));
    const at::Tensor own = jet.first.narrow(2, begin, count).diagonal(0, 1, 2);  // [b, k]: ds_l / dx_l
    result.mixed.narrow(1, begin, count).copy_(torch::autograd::grad({own.sum()}, {copies})[0]);
  }
  return result;
}

}  // namespace causcale
