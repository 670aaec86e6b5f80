// Sums over neighbouring threads of a warp, in a fixed order; each of them gets the sum.
#pragma once

namespace causcale::cuda {

// Over aligned groups of kLanes threads, a power of two. The whole warp takes part.
template <int kLanes = 32, class T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

}  // namespace causcale::cuda
