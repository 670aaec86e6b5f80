// One pass of one table through the network on several processes: each holds some samples of the data stream
// and some rows of the graph stream, so that memory falls with their number. docs/scaling.md has the
// arithmetic.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "core/config.h"
#include "learn/networks/parameters.h"
#include "learn/networks/shards.h"

namespace causcale {

// The input of one table, which the first process has whole.
struct ShardedInput {
  std::int64_t rows, columns;  // m, n
  at::Tensor data;             // of the first process: [m, n, 2 + channels]
  at::Tensor prior;            // of the first process: [n, n]
  at::Tensor pairs;            // of the first process: [n, n, channels]; undefined where the model takes none
};

struct ShardedPassOptions {
  bool symmetrised = true;           // as in pair_probabilities()
  std::int64_t max_score_bytes = 0;  // as in ExecutionOptions; 0 = no limit
  std::function<void(double share)> progress = {};
};

// Throws UsageError for variants that cannot be shared out: attention that is not tied, no graph stream.
void require_shardable(const ModelConfig& config);

// Called by all processes, with weights on the same kind of device. On the first process' CPU [1 + K, n, n]:
// edges, row -> column, then the model's K outputs, symmetric; zero diagonal. Undefined on the others. Runs
// in inference mode.
at::Tensor pair_probabilities_sharded(const ModelParams& params, const ModelConfig& config,
                                      const ShardedInput& input, const ShardedPassOptions& options,
                                      Collectives& group);

// Peak working memory on one of so many processes, weights not included.
std::int64_t sharded_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n, int processes,
                           std::int64_t element_bytes, std::int64_t max_score_bytes);

}  // namespace causcale
