#include <cstdint>

#include "core/cuda/check.h"
#include "core/cuda/pack_weights.h"

namespace causcale::cuda {
namespace {

// Position of channel i in a product's operand: exchanges the two middle 2-bit fields of i mod 32, so that
// thread t of four finds channels 8 t .. 8 t + 7 in the registers where the instruction wants 2 t, 2 t + 1, 2
// t + 8, ...
__device__ int operand_position(int i) {
  return (i & ~31) | ((i & 6) << 2) | ((i & 24) >> 2) | (i & 1);
}

__global__ void pack_kernel(PackJob first, PackJob second) {
  const PackJob job = blockIdx.y == 0 ? first : second;
  const int pairs_per_row = job.cols / 2;
  const auto* source = static_cast<const std::uint32_t*>(job.weight);
  auto* target = static_cast<char*>(job.packed);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < job.rows * pairs_per_row;
       i += gridDim.x * blockDim.x) {
    const int row = operand_position(i / pairs_per_row);
    const int col = operand_position(2 * (i % pairs_per_row));
    const int row_in_image = row % job.rows_per_image;
    const std::int64_t image = std::int64_t{row / job.rows_per_image} * job.rows_per_image * job.cols * 2;
    const int block = (col / 64) * job.rows_per_image * 128;
    const int piece = ((col % 64) / 8) ^ (row_in_image % 8);
    *reinterpret_cast<std::uint32_t*>(target + image + block + row_in_image * 128 + piece * 16 +
                                      (col % 8) * 2) = source[i];
  }
}

}  // namespace

void pack_weights(const PackJob& first, const PackJob& second, cudaStream_t stream) {
  pack_kernel<<<dim3(32, 2), 256, 0, stream>>>(first, second);
  check_launch("pack_weights");
}

}  // namespace causcale::cuda
