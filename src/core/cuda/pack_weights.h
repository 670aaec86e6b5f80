// Brings weight matrices into the form in which the kernels keep them in shared memory, so that a kernel
// fetches them by plain bulk copies.
#pragma once

#include <cuda_runtime_api.h>

namespace causcale::cuda {

// W [rows, cols] bf16, row-major, both multiples of 64. The result is a run of images of `rows_per_image`
// rows; an image is a run of blocks of 64 columns; a block has swizzled rows of 128 bytes. Channels are
// reordered inside groups of 32 as fragment.cuh explains. Both buffers hold rows * cols values; `packed` on a
// 16-byte boundary.
struct PackJob {
  const void* weight;
  void* packed;
  int rows;
  int cols;
  int rows_per_image;
};

void pack_weights(const PackJob& first, const PackJob& second, cudaStream_t stream);

}  // namespace causcale::cuda
