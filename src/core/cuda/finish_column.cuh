// The last step of the column's gradient: adds up what the blocks of the backward pass left, in a fixed
// order.
#pragma once

#include "core/cuda/check.h"
#include "core/cuda/storage.cuh"

namespace causcale::cuda {

constexpr int kFinishGroups = 8;

template <class T>
__global__ __launch_bounds__(kFinishGroups* kChannels) void finish_column_kernel(const float* partials,
                                                                                 int blocks, T* column) {
  __shared__ float grouped[kFinishGroups][kChannels];
  const int channel = threadIdx.x % kChannels, group = threadIdx.x / kChannels;
  float sum = 0.f;
  for (int b = group; b < blocks; b += kFinishGroups) sum += partials[b * kChannels + channel];
  grouped[group][channel] = sum;
  __syncthreads();
  if (group != 0) return;
  for (int k = 1; k < kFinishGroups; ++k) sum += grouped[k][channel];
  assign(column[channel], sum);
}

template <class T>
void finish_column(const float* partials, int blocks, void* column, cudaStream_t stream) {
  finish_column_kernel<<<1, kFinishGroups * kChannels, 0, stream>>>(partials, blocks,
                                                                    static_cast<T*>(column));
  check_launch("finish_column");
}

}  // namespace causcale::cuda
