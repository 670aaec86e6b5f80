// The forward pass on the processor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/cpu/kernels.h"
#include "core/network.h"
#include "core/weights.h"

namespace causcale::core {

// Named intermediate results, for tests: values and their shape.
using Trace =
    std::function<void(const std::string& name, const float* values, const std::vector<std::int64_t>& shape)>;

// What one pass will take.
struct PassPlan {
  std::int64_t bytes = 0;            // working memory, weights not included
  std::int64_t heads_at_a_time = 0;  // whose keys and values are kept
};

template <class T>
struct PackedWeights;

// T: what products multiply, float or Bf16.
template <class T>
class CpuNetwork : public Network {
 public:
  // Throws InputError for a variant that only the trainer computes: attention that is not tied, or the
  // vanilla head.
  CpuNetwork(const ModelConfig& config, const StoredWeights& weights, Isa isa);
  // On kernels that are no instruction set's, for tests; they must outlive the network.
  CpuNetwork(const ModelConfig& config, const StoredWeights& weights, const Kernels<T>& kernels,
             const Kernels<float>& floats);
  ~CpuNetwork() override;

  std::vector<PairProbabilities> pair_probabilities(const NetworkInput& input,
                                                    const PassOptions& options) const override;
  // One table and view, with everything on the way.
  PairProbabilities traced_probabilities(const NetworkInput& input, const PassOptions& options,
                                         const Trace& trace) const;

  Memory memory(std::int64_t rows, std::int64_t columns, int threads, std::int64_t max_bytes) const override;
  std::int64_t weight_bytes() const override;
  double expected_flops(int threads) const override;
  std::string kernels() const override { return kernels_.name; }

  // As few bytes as may be where `max_bytes` (0: no limit) is less than that.
  PassPlan plan(std::int64_t rows, std::int64_t columns, int threads, std::int64_t max_bytes) const;

 private:
  ModelConfig config_;
  const Kernels<T>& kernels_;
  const Kernels<float>& floats_;
  std::unique_ptr<const PackedWeights<T>> weights_;
};

// Whether a configuration is one that CpuNetwork computes.
bool runs_on_the_core(const ModelConfig& config);

}  // namespace causcale::core
