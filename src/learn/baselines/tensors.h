// What the methods with tensors share: tensors from tables and from random streams, the choice of the device,
// Adam.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "methods/method.h"
#include "methods/neural/settings.h"

namespace causcale {

// The setting "device": auto, cpu or cuda. Throws UsageError when it is not there.
at::Device method_device(const MethodOptions& options);
std::string place_of(const at::Device& device);  // for the log

// Threads for tensor operations: one where an operation is over before a second one has woken up, and would
// only keep a core busy with waiting. `multiplications`: of the largest product.
void use_tensor_threads(const MethodOptions& options, double multiplications);

at::Tensor tensor_of(const Matrix<double>& values, at::ScalarType type);
Matrix<double> matrix_of(const at::Tensor& tensor);  // 2-D, any device and type

at::Tensor normal_tensor(RandomStream& random, at::IntArrayRef shape);                            // float
at::Tensor uniform_tensor(RandomStream& random, at::IntArrayRef shape, double low, double high);  // float
at::Tensor permutation_tensor(RandomStream& random, std::int64_t count);                          // int64
at::Tensor index_tensor(std::span<const int> indices, at::Device device);                         // int64

class Adam {
 public:
  Adam(std::vector<at::Tensor> parameters, double learning_rate);
  void step(const std::vector<at::Tensor>& gradients);

 private:
  std::vector<at::Tensor> parameters_, first_, second_;
  double learning_rate_;
  int steps_ = 0;
};

}  // namespace causcale
