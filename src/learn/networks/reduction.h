// The reduction unit: groups of r consecutive samples become one.
#pragma once

#include "core/config.h"
#include "learn/autograd/attention/attention.h"
#include "learn/networks/execution.h"

namespace causcale {

// data [B, m, n, d] -> [B, m / r, n, d]; an incomplete last group is dropped, `sizes` follows. Fewer than r
// samples are left as they are, so that very small tables pass through any number of reductions.
at::Tensor reduce_samples(const at::Tensor& data, const ModelConfig& config, autograd::GridSizes& sizes,
                          const ExecutionOptions& execution = {});

}  // namespace causcale
