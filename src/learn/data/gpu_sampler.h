// Launches the sampling of a batch of causal models on a CUDA device. No CUDA type in here.
#pragma once

#include "simulate/row_sampler.h"

namespace causcale::cuda {

// All pointers are device memory; `stream` is a cudaStream_t. One kernel, nothing waits.
void sample_packed_on_device(const PackedView& view, const SampledColumns& out, void* stream);

}  // namespace causcale::cuda
