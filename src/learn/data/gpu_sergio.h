// Launches the simulation of a batch's gene expression on a CUDA device. No CUDA type in here.
#pragma once

#include <span>

#include "simulate/packed_sergio.h"

namespace causcale::cuda {

// All pointers are device memory; `stream` is a cudaStream_t. One kernel a wave and one for all counts;
// nothing waits.
void simulate_sergio_on_device(const PackedSergioView& view, std::span<const SergioWave> waves,
                               const SergioBuffers& buffers, void* stream);

}  // namespace causcale::cuda
