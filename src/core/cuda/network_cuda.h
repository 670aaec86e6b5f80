// The forward pass on a GPU.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/cuda/device_memory.h"
#include "core/cuda/device_weights.h"
#include "core/cuda/pass.h"
#include "core/cuda/queue.h"
#include "core/cuda/recordings.h"
#include "core/cuda/storage.h"
#include "core/cuda/workspace.h"
#include "core/network.h"
#include "core/weights.h"

namespace causcale::core {

// On the first GPU, with a compute capability of 8.0 or later. All callers share its streams and memory, so
// their passes follow one another.
class CudaNetwork : public Network {
 public:
  // In fp32, or in bf16 with fp32 sums, which takes compute capability 9.0. Throws InputError for a
  // configuration that the kernels do not compute.
  CudaNetwork(const ModelConfig& config, const StoredWeights& weights, cuda::Storage storage);
  ~CudaNetwork() override;

  std::vector<PairProbabilities> pair_probabilities(const NetworkInput& input,
                                                    const PassOptions& options) const override;

  Memory memory(std::int64_t rows, std::int64_t columns, int threads, std::int64_t max_bytes) const override;
  std::int64_t weight_bytes() const override { return weights_.bytes(); }
  double expected_flops(int threads) const override;
  std::string kernels() const override;
  bool prefers_batches() const override { return true; }
  bool makes_priors(std::size_t columns) const override;
  Matrix<float> precision_of_centred(const Matrix<double>& centred) const override;
  void reset_peak() const override;
  std::int64_t peak_bytes() const override;

  std::size_t recordings() const;  // that there are at the moment

 private:
  cuda::PassPlan plan(const cuda::PassShape& shape, std::int64_t max_bytes) const;
  void make_room(std::int64_t bytes, bool limited) const;

  ModelConfig config_;
  cuda::Storage storage_;
  int major_, minor_;
  cuda::DeviceWeights weights_;
  cuda::Queue main_, beside_;
  mutable std::mutex turn_;  // guards what follows and the queues
  mutable cuda::DeviceBlock memory_;
  mutable cuda::Recordings recordings_;
  mutable cuda::PassMarks marks_;
  mutable std::int64_t peak_ = 0;
};

// Whether the kernels compute a configuration: the usual width and heads.
bool runs_on_cuda(const ModelConfig& config);

}  // namespace causcale::core
