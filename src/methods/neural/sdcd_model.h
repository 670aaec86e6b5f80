// What a stage of SDCD trains: one network per variable, on the processor or on a CUDA device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "causcale/matrix.h"

namespace causcale {

struct SdcdRows {
  Matrix<float> values, weights;  // [m, n]; weight 0 where the variable was intervened on
  std::vector<int> training, validation;
};

struct SdcdPrices {
  double learning_rate, l1, l2;
  double cycles;  // of the spectral radius of the norms
};

class SdcdModel {
 public:
  virtual ~SdcdModel() = default;
  // One pass over the rows in the given order, one step of Adam per batch.
  virtual void epoch(std::span<const int> order, const SdcdPrices& prices) = 0;
  virtual double
  validation_loss() = 0;  // mean over rows of the negative log-likelihood, summed over variables
  virtual Matrix<double> norms() const = 0;  // of the first weights of every pair, row -> column
  virtual void remember() = 0;
  virtual void bring_back() = 0;  // what remember() saw last
};

// `rows` must outlive the model. allowed(i, j) = 1: variable j may listen to i.
std::unique_ptr<SdcdModel> sdcd_cpu_model(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed,
                                          int hidden, int batch_size, int threads, RandomStream random);

}  // namespace causcale
