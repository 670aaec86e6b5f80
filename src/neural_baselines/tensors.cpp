#include "neural_baselines/tensors.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "causcale/error.h"
#include "core/option_names.h"
#include "data/standardize.h"
#include "methods/edge_permissions.h"
#include "model/device.h"

namespace causcale {

at::Device method_device(const MethodOptions& options) {
  const std::string wish = text_setting(options, "device", "auto", all_names(kDeviceNames));
  return tensor_device(choice_named(kDeviceNames, wish, "device"), "device=cuda");
}

MethodSetting device_setting() {
  return {"device", "auto", "auto, cpu or cuda"};
}

std::string place_of(const at::Device& device) {
  return device.is_cuda() ? "CUDA" : "the CPU";
}

void use_tensor_threads(const MethodOptions& options, double multiplications) {
  constexpr double kWorthThreads = 2e8;
  at::set_num_threads(multiplications < kWorthThreads ? 1 : resolve_threads(options.threads));
}

bool standardize_setting(const MethodOptions& options, bool fallback) {
  static const std::array<std::string, 2> accepted = {"yes", "no"};
  return text_setting(options, "standardize", fallback ? "yes" : "no", accepted) == "yes";
}

at::Tensor method_data(const Table& table, bool standardized, at::ScalarType type) {
  if (standardized) return tensor_of(standardize(table.values), type);
  const ColumnMoments moments = column_moments(table.values);
  Matrix<double> centred = table.values;
  for (std::size_t r = 0; r < centred.rows(); ++r)
    for (std::size_t j = 0; j < centred.cols(); ++j) centred(r, j) -= moments.mean[j];
  return tensor_of(centred, type);
}

at::Tensor tensor_of(const Matrix<double>& values, at::ScalarType type) {
  const at::Tensor tensor = at::empty(
      {static_cast<std::int64_t>(values.rows()), static_cast<std::int64_t>(values.cols())}, at::kDouble);
  std::copy(values.values().begin(), values.values().end(), tensor.data_ptr<double>());
  return tensor.to(type);
}

Matrix<double> matrix_of(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  const double* data = plain.data_ptr<double>();
  return Matrix<double>(plain.size(0), plain.size(1), std::vector<double>(data, data + plain.numel()));
}

at::Tensor normal_tensor(RandomStream& random, at::IntArrayRef shape) {
  const at::Tensor tensor = at::empty(shape, at::kFloat);
  float* out = tensor.data_ptr<float>();
  for (std::int64_t k = 0; k < tensor.numel(); ++k) out[k] = static_cast<float>(random.normal());
  return tensor;
}

at::Tensor uniform_tensor(RandomStream& random, at::IntArrayRef shape, double low, double high) {
  const at::Tensor tensor = at::empty(shape, at::kFloat);
  float* out = tensor.data_ptr<float>();
  for (std::int64_t k = 0; k < tensor.numel(); ++k)
    out[k] = static_cast<float>(low + (high - low) * random.uniform_float());
  return tensor;
}

at::Tensor permutation_tensor(RandomStream& random, std::int64_t count) {
  const at::Tensor tensor = at::arange(count, at::kLong);
  std::int64_t* order = tensor.data_ptr<std::int64_t>();
  for (std::int64_t k = count - 1; k > 0; --k)
    std::swap(order[k], order[random.below(static_cast<std::uint32_t>(k + 1))]);
  return tensor;
}

RowSplit split_rows(RandomStream& random, std::int64_t rows, double share) {
  const at::Tensor order = permutation_tensor(random, rows);
  const auto kept = static_cast<std::int64_t>(share * static_cast<double>(rows));
  if (kept < 2 || rows - kept < 2) return {order, order};
  return {order.narrow(0, 0, rows - kept), order.narrow(0, rows - kept, kept)};
}

namespace {

std::vector<std::uint8_t> varying_columns(const Table& table) {
  std::vector<std::uint8_t> varying(table.cols(), 0);
  for (std::size_t r = 1; r < table.rows(); ++r)
    for (std::size_t j = 0; j < table.cols(); ++j)
      if (table.values(r, j) != table.values(0, j)) varying[j] = 1;
  return varying;
}

}  // namespace

Matrix<std::uint8_t> possible_pairs(const Table& table, const Knowledge& knowledge) {
  const int n = static_cast<int>(table.cols());
  Matrix<std::uint8_t> allowed = EdgePermissions(n, knowledge).allowed;
  const std::vector<std::uint8_t> varying = varying_columns(table);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (!varying[i] || !varying[j]) allowed(i, j) = 0;
  return allowed;
}

Adam::Adam(std::vector<at::Tensor> parameters, double learning_rate)
    : parameters_(std::move(parameters)), learning_rate_(learning_rate) {
  for (const at::Tensor& parameter : parameters_) {
    first_.push_back(at::zeros_like(parameter));
    second_.push_back(at::zeros_like(parameter));
  }
}

void Adam::step(const std::vector<at::Tensor>& gradients) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
  const c10::NoGradGuard no_grad;
  ++steps_;
  const double correction1 = 1 - std::pow(kBeta1, steps_), correction2 = 1 - std::pow(kBeta2, steps_);
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (!gradients[k].defined()) continue;
    first_[k].mul_(kBeta1).add_(gradients[k], 1 - kBeta1);
    second_[k].mul_(kBeta2).addcmul_(gradients[k], gradients[k], 1 - kBeta2);
    const at::Tensor scale = second_[k].sqrt().div_(std::sqrt(correction2)).add_(kEpsilon);
    parameters_[k].addcdiv_(first_[k], scale, -learning_rate_ / correction1);
  }
}

}  // namespace causcale
