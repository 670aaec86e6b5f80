// Launchers of the pooling kernels. Device pointers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"

namespace causcale::cuda {

// What a group of samples becomes: their mean, the largest value of each channel, or the first sample.
enum class PoolKind { kMean, kMax, kFirst };

// x [batch, rows, 8 pieces]; groups of `group` rows, rows / group of them whole.
struct PoolShape {
  std::int64_t batch, rows, pieces;
  int group;
  PoolKind kind = PoolKind::kMean;
  std::int64_t whole_groups() const { return rows / group; }
};

void pool(const void* x, void* y, const PoolShape& shape, Storage storage, cudaStream_t stream);

// Of means. dy [batch, rows / group, 8 pieces] -> dx as x; rows of an incomplete group get zeros.
void pool_backward(const void* dy, void* dx, const PoolShape& shape, Storage storage, cudaStream_t stream);

}  // namespace causcale::cuda
