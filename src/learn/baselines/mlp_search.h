// The state of NOTEARS-MLP's search and how it goes downhill, on the processor or on a CUDA device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "causcale/matrix.h"
#include "methods/continuous/owl_qn.h"

namespace causcale {

struct MlpProblem {
  at::Tensor data;               // [m, n], float, on the CPU
  Matrix<std::uint8_t> allowed;  // (i, j) = 1: variable j may listen to i
  int hidden;
  double l1, l2;
};

class MlpSearch {
 public:
  virtual ~MlpSearch() = default;
  double multiplier = 0, weight = 1;  // of the constraint and of half its square

  // Minimises for these two from where the last call ended; `evaluated` is called at every evaluation.
  virtual OwlQnResult descend(const OwlQnOptions& options, const std::function<void()>& evaluated) = 0;
  virtual double constraint() const = 0;     // tr exp(squared norms) - n
  virtual Matrix<double> norms() const = 0;  // of the input weights of every pair, row -> column
};

// `start`: all weights as MlpLayout says.
std::unique_ptr<MlpSearch> mlp_cpu_search(const MlpProblem& problem, std::vector<double> start, int threads);
std::unique_ptr<MlpSearch> mlp_tensor_search(const MlpProblem& problem, const std::vector<double>& start,
                                             at::Device device);

}  // namespace causcale
