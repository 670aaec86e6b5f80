#include "learn/baselines/tensors.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "causcale/error.h"
#include "core/option_names.h"
#include "learn/networks/device.h"
#include "simulate/graph_model.h"

namespace causcale {

at::Device method_device(const MethodOptions& options) {
  const std::string wish = text_setting(options, "device", "auto", all_names(kDeviceNames));
  return tensor_device(choice_named(kDeviceNames, wish, "device"), "device=cuda");
}

std::string place_of(const at::Device& device) {
  return device.is_cuda() ? "CUDA" : "the CPU";
}

void use_tensor_threads(const MethodOptions& options, double multiplications) {
  constexpr double kWorthThreads = 2e8;
  at::set_num_threads(multiplications < kWorthThreads ? 1 : resolve_threads(options.threads));
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
  return index_tensor(random_permutation(static_cast<int>(count), random), at::kCPU);
}

at::Tensor index_tensor(std::span<const int> indices, at::Device device) {
  const at::Tensor tensor = at::empty({static_cast<std::int64_t>(indices.size())}, at::kLong);
  std::copy(indices.begin(), indices.end(), tensor.data_ptr<std::int64_t>());
  return tensor.to(device);
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
