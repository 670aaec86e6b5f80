// The message in bf16. Each warpgroup takes tiles of 64 tokens on its own; the weights stay in shared memory
// for the whole launch.
#include "core/cuda/check.h"
#include "core/cuda/finish_column.cuh"
#include "core/cuda/fragment.cuh"
#include "core/cuda/message_kernels.h"

namespace causcale::cuda {
namespace {

constexpr int kForwardWarpgroups = 3;
// Sums of the column's gradient take registers that a third warpgroup would need.
constexpr int kBackwardWarpgroups = 2;
constexpr int kBackwardWarps = kBackwardWarpgroups * 4;

struct SharedMemory {
  char weights[kImageBytes];
  float column[kChannels], bias[kChannels];
  float sums[kBackwardWarps][kChannels];
  std::uint64_t arrived;
};

__device__ __forceinline__ SharedMemory& shared_memory() {
  return *reinterpret_cast<SharedMemory*>(dynamic_shared);
}

// Waits until the weights lie in shared memory; everything written there before is visible afterwards.
__device__ __forceinline__ void fetch_weights(const void* packed) {
  SharedMemory& shared = shared_memory();
  const std::uint32_t barrier = shared_address(&shared.arrived);
  if (threadIdx.x == 0) {
    barrier_init(barrier, 1);
    barrier_init_fence();
    barrier_expect(barrier, kImageBytes);
    bulk_copy(shared_address(shared.weights), packed, kImageBytes, barrier);
  }
  __syncthreads();
  barrier_wait(barrier, 0);
}

__device__ __forceinline__ void load_messages(float (&values)[2], const void* message,
                                              const TokenPlace (&place)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
    values[half] =
        place[half].valid ? __bfloat162float(static_cast<const bf16*>(message)[place[half].token]) : 0.f;
}

__global__ __launch_bounds__(kForwardWarpgroups * 128, 1) void merge_message_kernel(Message args, bf16* y,
                                                                                    std::uint32_t tiles) {
  SharedMemory& shared = shared_memory();
  widen(shared.column, static_cast<const bf16*>(args.column), kChannels);
  widen(shared.bias, static_cast<const bf16*>(args.bias), kChannels);
  fetch_weights(args.weight);

  const Lane lane(threadIdx.x % 128);
  const std::uint32_t weights = shared_address(shared.weights);
  for (std::uint32_t tile = blockIdx.x * kForwardWarpgroups + threadIdx.x / 128; tile < tiles;
       tile += gridDim.x * kForwardWarpgroups) {
    TokenPlace place[2];
    locate(place, tile * kTileTokens + lane.row, args.tokens);
    Pieces<4> input;
    float message[2];
    load_rows(input, static_cast<const bf16*>(args.graph), place, lane.quarter);
    load_messages(message, args.message, place);
    float acc[64];
    pin_registers(acc);
    wgmma_fence();
    multiply_by_rows(acc, input, weights, kBlockBytes, false);
    wgmma_commit();
    wgmma_wait<0>();
    pin_registers(acc);
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      float offset[8], column[8];
      load_eight(shared.bias + 32 * g + 8 * lane.quarter, offset);
      load_eight(shared.column + 32 * g + 8 * lane.quarter, column);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float values[8];
        accumulator_piece(acc, g, half, values);
#pragma unroll
        for (int e = 0; e < 8; ++e) values[e] += offset[e] + message[half] * column[e];
        if (place[half].valid) store_piece(y, place[half].token * 16 + 4 * g + lane.quarter, pack(values));
      }
    }
  }
}

__global__ __launch_bounds__(kBackwardWarpgroups * 128,
                             1) void merge_message_backward_kernel(Message args, const bf16* dy,
                                                                   MessageGradients gradients,
                                                                   float* partials, std::uint32_t tiles) {
  SharedMemory& shared = shared_memory();
  widen(shared.column, static_cast<const bf16*>(args.column), kChannels);
  fetch_weights(args.weight);

  const Lane lane(threadIdx.x % 128);
  const std::uint32_t weights = shared_address(shared.weights);
  float sums[4][8] = {};
  for (std::uint32_t tile = blockIdx.x * kBackwardWarpgroups + threadIdx.x / 128; tile < tiles;
       tile += gridDim.x * kBackwardWarpgroups) {
    TokenPlace place[2];
    locate(place, tile * kTileTokens + lane.row, args.tokens);
    Pieces<4> gradient;
    float message[2];
    load_rows(gradient, dy, place, lane.quarter);
    load_messages(message, args.message, place);
    float acc[64];
    pin_registers(acc);
    wgmma_fence();
    multiply_by_columns(acc, gradient, weights, kBlockBytes, false);
    wgmma_commit();
    wgmma_wait<0>();
    pin_registers(acc);
    float products[2] = {};
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      float column[8];
      load_eight(shared.column + 32 * g + 8 * lane.quarter, column);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float values[8];
        unpack(gradient.v[g][half], values);
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          products[half] += values[e] * column[e];
          sums[g][e] += values[e] * message[half];
        }
        accumulator_piece(acc, g, half, values);
        if (place[half].valid)
          store_piece(gradients.graph, place[half].token * 16 + 4 * g + lane.quarter, pack(values));
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float product = quad_sum(products[half]);
      if (place[half].valid && lane.quarter == 0)
        static_cast<bf16*>(gradients.message)[place[half].token] = __float2bfloat16_rn(product);
    }
  }
  // Threads of a warp with the same quarter hold the same channels.
  const int warp = threadIdx.x / 32;
#pragma unroll
  for (int g = 0; g < 4; ++g) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      float sum = sums[g][e];
#pragma unroll
      for (int offset = 4; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
      if (threadIdx.x % 32 < 4) shared.sums[warp][32 * g + 8 * lane.quarter + e] = sum;
    }
  }
  __syncthreads();
  if (threadIdx.x < kChannels) {
    float sum = 0.f;
    for (int k = 0; k < kBackwardWarps; ++k) sum += shared.sums[k][threadIdx.x];
    partials[blockIdx.x * kChannels + threadIdx.x] = sum;
  }
}

std::uint32_t tiles_for(std::uint32_t tokens) {
  return (tokens + kTileTokens - 1) / kTileTokens;
}

int blocks_for(std::uint32_t tokens, int warpgroups) {
  const auto wanted = static_cast<int>((tiles_for(tokens) + warpgroups - 1) / warpgroups);
  const int available = multiprocessors();
  return wanted < available ? wanted : available;
}

}  // namespace

void merge_message(const Message& args, void* y, Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return merge_message_fp32(args, y, stream);
  allow_shared_memory(merge_message_kernel, sizeof(SharedMemory));
  merge_message_kernel<<<blocks_for(args.tokens, kForwardWarpgroups), kForwardWarpgroups * 128,
                         sizeof(SharedMemory), stream>>>(args, static_cast<bf16*>(y), tiles_for(args.tokens));
  check_launch("merge_message");
}

std::int64_t merge_message_backward_floats(std::uint32_t tokens, Storage storage) {
  if (storage == Storage::kFloat) return merge_message_backward_floats_fp32(tokens);
  return std::int64_t{blocks_for(tokens, kBackwardWarpgroups)} * kChannels;
}

void merge_message_backward(const Message& args, const void* dy, float* workspace,
                            const MessageGradients& gradients, Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return merge_message_backward_fp32(args, dy, workspace, gradients, stream);
  const int blocks = blocks_for(args.tokens, kBackwardWarpgroups);
  allow_shared_memory(merge_message_backward_kernel, sizeof(SharedMemory));
  merge_message_backward_kernel<<<blocks, kBackwardWarpgroups * 128, sizeof(SharedMemory), stream>>>(
      args, static_cast<const bf16*>(dy), gradients, workspace, tiles_for(args.tokens));
  check_launch("merge_message_backward");
  finish_column<bf16>(workspace, blocks, gradients.column, stream);
}

}  // namespace causcale::cuda
