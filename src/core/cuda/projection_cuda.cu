// The projections around tied attention in bf16. Each warpgroup takes tiles of 64 tokens on its own; the
// weights stay in shared memory for the whole launch.
#include "core/cuda/attention_kernels.h"
#include "core/cuda/check.h"
#include "core/cuda/fragment.cuh"

namespace causcale::cuda {
namespace {

constexpr int kWarpgroups = 3;
constexpr int kThreads = kWarpgroups * 128;

// Weights in shared memory (kImages images), then floats, then the barrier of the weights' arrival.
template <int kImages, int kFloats>
struct Shared {
  static constexpr int kBytes = kImages * kImageBytes + kFloats * 4 + 16;
  std::uint32_t weights;
  float* floats;
  std::uint32_t barrier;

  __device__ Shared() {
    weights = shared_address(dynamic_shared);
    floats = reinterpret_cast<float*>(dynamic_shared + kImages * kImageBytes);
    barrier = shared_address(floats + kFloats);
  }

  __device__ void fetch_weights(const void* packed) {
    if (threadIdx.x == 0) {
      barrier_init(barrier, 1);
      barrier_init_fence();
      barrier_expect(barrier, kImages * kImageBytes);
      for (int i = 0; i < kImages; ++i) {
        bulk_copy(weights + i * kImageBytes, static_cast<const char*>(packed) + i * kImageBytes, kImageBytes,
                  barrier);
      }
    }
    __syncthreads();
    barrier_wait(barrier, 0);
  }
};

struct TileWalk {
  std::uint32_t first = blockIdx.x * kWarpgroups + threadIdx.x / 128;
  std::uint32_t step = gridDim.x * kWarpgroups;
  Lane lane{static_cast<int>(threadIdx.x % 128)};
};

__device__ __forceinline__ void locate(TokenPlace (&place)[2], const TokenMap& map, std::uint32_t tile,
                                       const Lane& lane) {
  place[0] = map.place(tile, lane.row);
  place[1] = map.place(tile, lane.row + 8);
}

__global__ __launch_bounds__(kThreads, 1) void project_qkv_kernel(ProjectQkv args, TokenMap map) {
  Shared<3, 5 * kChannels> shared;
  float *gamma = shared.floats, *beta = gamma + kChannels, *bias = beta + kChannels;
  widen(gamma, static_cast<const bf16*>(args.norm_weight), kChannels);
  widen(beta, static_cast<const bf16*>(args.norm_bias), kChannels);
  widen(bias, static_cast<const bf16*>(args.bias), 3 * kChannels);
  shared.fetch_weights(args.weight);

  const TileWalk walk;
  const int quarter = walk.lane.quarter;
  const auto* x = static_cast<const bf16*>(args.x);
  TokenPlace place[2];
  Pieces<4> next;
  if (walk.first < map.tiles) {
    locate(place, map, walk.first, walk.lane);
    load_rows(next, x, place, quarter);
  }
  for (std::uint32_t tile = walk.first; tile < map.tiles; tile += walk.step) {
    Pieces<4> normed = next;
    float mean[2], rstd[2];
    layer_norm(normed, gamma, beta, quarter, kEpsilon, mean, rstd);
    locate(place, map, tile, walk.lane);
    if (args.mean != nullptr && quarter == 0) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (place[half].valid) {
          args.mean[place[half].token] = mean[half];
          args.rstd[place[half].token] = rstd[half];
        }
      }
    }
    if (tile + walk.step < map.tiles) {
      TokenPlace ahead[2];
      locate(ahead, map, tile + walk.step, walk.lane);
      load_rows(next, x, ahead, quarter);
    }
#pragma unroll 1
    for (int part = 0; part < 3; ++part) {
      float acc[64];
      pin_registers(acc);
      wgmma_fence();
      multiply_by_rows(acc, normed, shared.weights + part * kImageBytes, kBlockBytes, false);
      wgmma_commit();
      wgmma_wait<0>();
      pin_registers(acc);
#pragma unroll
      for (int g = 0; g < 4; ++g) {
        float offset[8];
        load_eight(bias + part * kChannels + 32 * g + 8 * quarter, offset);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float values[8];
          accumulator_piece(acc, g, half, values);
#pragma unroll
          for (int e = 0; e < 8; ++e) values[e] += offset[e];
          if (place[half].valid) {
            store_piece(args.stack,
                        part * map.stack_pieces + place[half].piece + (4 * g + quarter) * map.plane_pieces,
                        pack(values));
          }
        }
      }
    }
  }
}

__global__ __launch_bounds__(kThreads, 1) void project_out_kernel(ProjectOut args, TokenMap map) {
  Shared<1, kChannels> shared;
  float* bias = shared.floats;
  widen(bias, static_cast<const bf16*>(args.bias), kChannels);
  shared.fetch_weights(args.weight);

  const TileWalk walk;
  const int quarter = walk.lane.quarter;
  const auto* planes = static_cast<const bf16*>(args.planes);
  for (std::uint32_t tile = walk.first; tile < map.tiles; tile += walk.step) {
    TokenPlace place[2];
    locate(place, map, tile, walk.lane);
    Pieces<4> input, residual;
    load_planes(input, planes, map.plane_pieces, place, quarter);
    load_rows(residual, static_cast<const bf16*>(args.x), place, quarter);
    float acc[64];
    pin_registers(acc);
    wgmma_fence();
    multiply_by_rows(acc, input, shared.weights, kBlockBytes, false);
    wgmma_commit();
    wgmma_wait<0>();
    pin_registers(acc);
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      float offset[8];
      load_eight(bias + 32 * g + 8 * quarter, offset);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float values[8], passed[8];
        accumulator_piece(acc, g, half, values);
        unpack(residual.v[g][half], passed);
#pragma unroll
        for (int e = 0; e < 8; ++e) values[e] += offset[e] + passed[e];
        if (place[half].valid) store_piece(args.y, place[half].token * 16 + 4 * g + quarter, pack(values));
      }
    }
  }
}

__global__ __launch_bounds__(kThreads, 1) void project_out_backward_kernel(const bf16* dy,
                                                                           const void* packed_weight,
                                                                           void* planes, TokenMap map) {
  Shared<1, 0> shared;
  shared.fetch_weights(packed_weight);

  const TileWalk walk;
  const int quarter = walk.lane.quarter;
  for (std::uint32_t tile = walk.first; tile < map.tiles; tile += walk.step) {
    TokenPlace place[2];
    locate(place, map, tile, walk.lane);
    Pieces<4> gradient;
    load_rows(gradient, dy, place, quarter);
    float acc[64];
    pin_registers(acc);
    wgmma_fence();
    multiply_by_columns(acc, gradient, shared.weights, kBlockBytes, false);
    wgmma_commit();
    wgmma_wait<0>();
    pin_registers(acc);
#pragma unroll
    for (int g = 0; g < 4; ++g) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float values[8];
        accumulator_piece(acc, g, half, values);
        if (place[half].valid) {
          store_piece(planes, place[half].piece + (4 * g + quarter) * map.plane_pieces, pack(values));
        }
      }
    }
  }
}

__global__ __launch_bounds__(kThreads, 1) void project_qkv_backward_kernel(ProjectQkvBackward args,
                                                                           TokenMap map) {
  Shared<3, kChannels> shared;
  float* gamma = shared.floats;
  widen(gamma, static_cast<const bf16*>(args.norm_weight), kChannels);
  shared.fetch_weights(args.weight);

  const TileWalk walk;
  const int quarter = walk.lane.quarter;
  const auto* stack = static_cast<const bf16*>(args.stack);
  const std::uint32_t weights = shared.weights;
  for (std::uint32_t tile = walk.first; tile < map.tiles; tile += walk.step) {
    TokenPlace place[2];
    locate(place, map, tile, walk.lane);
    Pieces<4> gradient, ahead;
    load_planes(ahead, stack, map.plane_pieces, place, quarter);
    float acc[64];
#pragma unroll 1
    for (int part = 0; part < 3; ++part) {
      gradient = ahead;
      if (part < 2) {
        load_planes(ahead, stack + (part + 1) * map.stack_pieces * 8, map.plane_pieces, place, quarter);
      }
      pin_registers(acc);
      wgmma_fence();
      multiply_by_columns(acc, gradient, weights + part * kImageBytes, kBlockBytes, part > 0);
      wgmma_commit();
      wgmma_wait<0>();
      pin_registers(acc);
    }
    store_norm_backward(acc, static_cast<const bf16*>(args.x), static_cast<const bf16*>(args.dy), args.mean,
                        args.rstd, gamma, static_cast<bf16*>(args.dx), place, quarter);
  }
}

int blocks_for(const TokenMap& map) {
  const int wanted = static_cast<int>((map.tiles + kWarpgroups - 1) / kWarpgroups);
  const int available = multiprocessors();
  return wanted < available ? wanted : available;
}

}  // namespace

void project_qkv(const ProjectQkv& args, const TokenMap& map, Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return project_qkv_fp32(args, map, stream);
  constexpr int kBytes = Shared<3, 5 * kChannels>::kBytes;
  allow_shared_memory(project_qkv_kernel, kBytes);
  project_qkv_kernel<<<blocks_for(map), kThreads, kBytes, stream>>>(args, map);
  check_launch("project_qkv");
}

void project_out(const ProjectOut& args, const TokenMap& map, Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return project_out_fp32(args, map, stream);
  constexpr int kBytes = Shared<1, kChannels>::kBytes;
  allow_shared_memory(project_out_kernel, kBytes);
  project_out_kernel<<<blocks_for(map), kThreads, kBytes, stream>>>(args, map);
  check_launch("project_out");
}

void project_out_backward(const void* dy, const void* weight, void* planes, const TokenMap& map,
                          Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return project_out_backward_fp32(dy, weight, planes, map, stream);
  constexpr int kBytes = Shared<1, 0>::kBytes;
  allow_shared_memory(project_out_backward_kernel, kBytes);
  project_out_backward_kernel<<<blocks_for(map), kThreads, kBytes, stream>>>(static_cast<const bf16*>(dy),
                                                                             weight, planes, map);
  check_launch("project_out_backward");
}

void project_qkv_backward(const ProjectQkvBackward& args, const TokenMap& map, Storage storage,
                          cudaStream_t stream) {
  if (storage == Storage::kFloat) return project_qkv_backward_fp32(args, map, stream);
  constexpr int kBytes = Shared<3, kChannels>::kBytes;
  allow_shared_memory(project_qkv_backward_kernel, kBytes);
  project_qkv_backward_kernel<<<blocks_for(map), kThreads, kBytes, stream>>>(args, map);
  check_launch("project_qkv_backward");
}

}  // namespace causcale::cuda
