#include "learn/data/pair_matrices.h"

#include <ATen/ATen.h>

#include <vector>

namespace causcale {

Matrix<double> as_matrix(const at::Tensor& square) {
  const at::Tensor values = square.to(at::kCPU, at::kDouble).contiguous();
  const double* first = values.data_ptr<double>();
  const auto n = static_cast<std::size_t>(values.size(0));
  return Matrix<double>(n, n, std::vector<double>(first, first + n * n));
}

core::PairProbabilities as_matrices(const at::Tensor& said, const PairOutputs& outputs) {
  const at::Tensor here = said.to(at::kCPU, at::kDouble);
  core::PairProbabilities result{as_matrix(here[0]), {}, {}};
  for (std::size_t k = 0; k < outputs.size(); ++k)
    result.of(outputs[k]) = as_matrix(here[static_cast<std::int64_t>(1 + k)]);
  return result;
}

}  // namespace causcale
