// Launchers of the pooling kernels. Device pointers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/storage.h"

namespace causcale::cuda {

// x [batch, rows, 8 pieces]; groups of `group` rows, rows / group of them whole.
struct PoolShape {
  std::int64_t batch, rows, pieces;
  int group;
  std::int64_t whole_groups() const { return rows / group; }
};

void pool(const void* x, void* y, const PoolShape& shape, Storage storage, cudaStream_t stream);

// dy [batch, rows / group, 8 pieces] -> dx as x; rows of an incomplete group get zeros.
void pool_backward(const void* dy, void* dx, const PoolShape& shape, Storage storage, cudaStream_t stream);

}  // namespace causcale::cuda
