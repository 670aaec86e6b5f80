// The reduction unit: groups of r consecutive samples become one.
#pragma once

#include "core/config.h"
#include "model/execution.h"
#include "ops/attention/attention.h"

namespace causcale {

// data [B, m, n, d] -> [B, m / r, n, d]; an incomplete last group is dropped, `sizes` follows. Fewer than r
// samples are left as they are, so that very small tables pass through any number of reductions.
at::Tensor reduce_samples(const at::Tensor& data, const ModelConfig& config, ops::GridSizes& sizes,
                          const ExecutionOptions& execution = {});

}  // namespace causcale
