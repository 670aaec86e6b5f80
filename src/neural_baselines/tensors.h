// What the neural methods share: tensors from tables and from random streams, the choice of the device, Adam.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "methods/method.h"

namespace causcale {

// The setting "device": auto, cpu or cuda. Throws UsageError when it is not there.
at::Device method_device(const MethodOptions& options);
MethodSetting device_setting();
std::string place_of(const at::Device& device);  // for the log

// Threads for tensor operations: one where an operation is over before a second one has woken up, and would
// only keep a core busy with waiting. `multiplications`: of the largest product.
void use_tensor_threads(const MethodOptions& options, double multiplications);

// The setting "standardize": yes or no. Columns are centred in either case.
bool standardize_setting(const MethodOptions& options, bool fallback);
at::Tensor method_data(const Table& table, bool standardized, at::ScalarType type);  // [m, n], on the CPU

at::Tensor tensor_of(const Matrix<double>& values, at::ScalarType type);
Matrix<double> matrix_of(const at::Tensor& tensor);  // 2-D, any device and type

at::Tensor normal_tensor(RandomStream& random, at::IntArrayRef shape);                            // float
at::Tensor uniform_tensor(RandomStream& random, at::IntArrayRef shape, double low, double high);  // float
at::Tensor permutation_tensor(RandomStream& random, std::int64_t count);                          // int64

// 0 .. m-1 shuffled and split: the last `share` of them (none when that would leave fewer than two rows on
// either side) are kept for validation.
struct RowSplit {
  at::Tensor training, validation;
};
RowSplit split_rows(RandomStream& random, std::int64_t rows, double share);

// (i, j) = 1: what is known lets i cause j, and both vary; a constant column can neither cause nor be caused.
Matrix<std::uint8_t> possible_pairs(const Table& table, const Knowledge& knowledge);

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
