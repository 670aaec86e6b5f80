// A block takes 128 output channels of tiles of 64 tokens. While the input is no deeper than 128 its share of
// the weights stays in shared memory for the whole launch. In loading and storing a warp has eight rows of
// the tile to itself, so layer norms need nothing but shuffles and only the products need the other warps.
#include "core/cuda/check.h"
#include "core/cuda/for_training.cuh"
#include "core/cuda/linear_fp32.h"
#include "core/cuda/rows_fp32.cuh"
#include "core/cuda/tf32_tile.cuh"

namespace causcale::cuda {
namespace {

using Input = LinearFp32::Input;
using Output = LinearFp32::Output;

constexpr int kWarpRows = kTileRows / kTileWarps;
constexpr int kTileFloats = kTileRows * kAlongStride;
static_assert(kTileRows == kTileTokens && kTileCols == kChannels);

template <bool kBackward>
constexpr int kWeightStride = kBackward ? kAcrossStride : kAlongStride;
template <bool kBackward>
constexpr std::size_t kSharedBytes = (kTileFloats + kChannels * kWeightStride<kBackward>)*sizeof(float);

extern __shared__ __align__(16) float linear_memory[];

// A warp's rows of a tile and its lane's channels of them.
struct Rows {
  int first;    // row of the tile
  int channel;  // of 128
  std::uint32_t tile;
};

template <Input kInput>
__device__ __forceinline__ Four load_input(const LinearFp32& args, const TokenMap& map,
                                           const TokenPlace& place, int channel) {
  if (!place.valid) return Four{};
  if constexpr (kInput == Input::kPlanes) return load_four(args.in + plane_index(map, place, channel));
  return load_four(args.in + place.token * args.depth + channel);
}

// Layer norm of a row, which a warp holds.
__device__ __forceinline__ void normalise(Four& row, const Four& gamma, const Four& beta, float& mean,
                                          float& rstd) {
  mean = warp_sum((row.v[0] + row.v[1]) + (row.v[2] + row.v[3])) * (1.f / kChannels);
  float squares = 0.f;
#pragma unroll
  for (int e = 0; e < 4; ++e) squares += (row.v[e] - mean) * (row.v[e] - mean);
  rstd = rsqrtf(warp_sum(squares) * (1.f / kChannels) + kEpsilon);
#pragma unroll
  for (int e = 0; e < 4; ++e) row.v[e] = (row.v[e] - mean) * rstd * gamma.v[e] + beta.v[e];
}

// Channels from `first_channel` on of the warp's rows go to shared memory.
template <Input kInput>
__device__ __forceinline__ void load_tile(float* tile, const LinearFp32& args, const TokenMap& map,
                                          const Rows& rows, int first_channel) {
  Four values[kWarpRows];
#pragma unroll
  for (int r = 0; r < kWarpRows; ++r) {
    values[r] =
        load_input<kInput>(args, map, map.place(rows.tile, rows.first + r), first_channel + rows.channel);
  }
  if constexpr (kInput == Input::kNormed) {
    const Four gamma = load_four_anywhere(args.norm_weight + rows.channel);
    const Four beta = load_four_anywhere(args.norm_bias + rows.channel);
#pragma unroll
    for (int r = 0; r < kWarpRows; ++r) {
      float mean, rstd;
      normalise(values[r], gamma, beta, mean, rstd);
      if (args.mean != nullptr && blockIdx.x == 0 && rows.channel == 0) {
        const TokenPlace place = map.place(rows.tile, rows.first + r);
        if (place.valid) {
          args.mean[place.token] = mean;
          args.rstd[place.token] = rstd;
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < kWarpRows; ++r) {
    store_four(tile + (rows.first + r) * kAlongStride + rows.channel, values[r]);
  }
}

// 128 x 128 values of a row-major matrix go to shared memory.
__device__ __forceinline__ void load_weights(float* target, int target_stride, const float* source,
                                             std::int64_t source_stride) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (reinterpret_cast<std::uintptr_t>(source) % sizeof(float4) == 0) {
#pragma unroll 8
    for (int row = warp; row < kChannels; row += kTileWarps) {
      store_four(target + row * target_stride + 4 * lane, load_four(source + row * source_stride + 4 * lane));
    }
    return;
  }
#pragma unroll 4
  for (int row = warp; row < kChannels; row += kTileWarps) {
#pragma unroll
    for (int col = lane; col < kChannels; col += 32) {
      target[row * target_stride + col] = __ldg(source + row * source_stride + col);
    }
  }
}

__device__ __forceinline__ float normal_distribution(float value) {
  return 0.5f * (1.f + erff(value * 0.70710678118654752f));
}
__device__ __forceinline__ float normal_density(float value) {
  return 0.39894228040143268f * expf(-0.5f * value * value);
}

// What follows the product, for one token's four channels from `channel` on.
__device__ __forceinline__ void finish_row(const LinearFp32& args, Four value, const Four& bias,
                                           const Four& column, std::int64_t token, int channel) {
  const float message = args.message != nullptr ? __ldg(args.message + token) : 0.f;
  const std::int64_t index = token * args.width + channel;
  const Four residual = args.residual != nullptr ? load_four(args.residual + index) : Four{};
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    value.v[e] += bias.v[e];
    if (args.gelu) value.v[e] *= normal_distribution(value.v[e]);
    value.v[e] += message * column.v[e] + residual.v[e];
  }
  store_four(args.out + index, value);
}

__device__ __forceinline__ void finish_gelu_backward(const LinearFp32& args, Four gradient,
                                                     std::int64_t token, int channel) {
  const std::int64_t index = token * args.width + channel;
  Four hidden = load_four(args.hidden + index);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const float h = hidden.v[e], below = normal_distribution(h);
    hidden.v[e] = h * below;
    gradient.v[e] *= below + h * normal_density(h);
  }
  store_four(args.hidden + index, hidden);
  store_four(args.out + index, gradient);
}

// Layer norm backward and the residual; the whole warp takes part.
__device__ __forceinline__ void finish_norm_backward(const LinearFp32& args, Four gradient, const Four& gamma,
                                                     const TokenPlace& place, int channel) {
  const std::int64_t index = place.token * kChannels + channel;
  Four x = place.valid ? load_four(args.x + index) : Four{};
  Four result = place.valid ? load_four(args.residual + index) : Four{};
  const float mean = place.valid ? __ldg(args.saved_mean + place.token) : 0.f;
  const float rstd = place.valid ? __ldg(args.saved_rstd + place.token) : 0.f;
  float sum = 0.f, product = 0.f;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    gradient.v[e] *= gamma.v[e];
    x.v[e] = (x.v[e] - mean) * rstd;
    sum += gradient.v[e];
    product += gradient.v[e] * x.v[e];
  }
  sum = warp_sum(sum) * (1.f / kChannels);
  product = warp_sum(product) * (1.f / kChannels);
#pragma unroll
  for (int e = 0; e < 4; ++e) result.v[e] += rstd * (gradient.v[e] - sum - x.v[e] * product);
  if (place.valid) store_four(args.out + index, result);
}

template <Output kOutput>
__device__ __forceinline__ void finish_tile(const float* tile, const LinearFp32& args, const TokenMap& map,
                                            const Rows& rows, int first_channel) {
  const int channel = first_channel + rows.channel;
  const auto vector = [&](const float* values) {
    return values != nullptr ? load_four_anywhere(values + channel) : Four{};
  };
  const Four bias = vector(args.bias), column = vector(args.column);
  const Four gamma = kOutput == Output::kNormBackward ? vector(args.norm_weight) : Four{};
#pragma unroll 2
  for (int r = 0; r < kWarpRows; ++r) {
    const TokenPlace place = map.place(rows.tile, rows.first + r);
    Four value = load_four(tile + (rows.first + r) * kAlongStride + rows.channel);
    if constexpr (kOutput == Output::kNormBackward) {
      finish_norm_backward(args, value, gamma, place, channel);
    } else if (place.valid) {
      if constexpr (kOutput == Output::kRows) {
        finish_row(args, value, bias, column, place.token, channel);
      } else if constexpr (kOutput == Output::kGeluBackward) {
        finish_gelu_backward(args, value, place.token, channel);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) value.v[e] += bias.v[e];
        store_four(args.out + plane_index(map, place, channel), value);
      }
    }
  }
}

template <Input kInput, bool kBackward, Output kOutput>
__global__ __launch_bounds__(kTileThreads, 2) void linear_fp32_kernel(LinearFp32 args, TokenMap map) {
  if (kBackward && !kForTraining) return;
  constexpr int kStride = kWeightStride<kBackward>;
  float *tile = linear_memory, *weights = linear_memory + kTileFloats;
  const TilePlace place(threadIdx.x);
  const int first_channel = blockIdx.x * kChannels;
  Rows rows{static_cast<int>(threadIdx.x) / 32 * kWarpRows, static_cast<int>(threadIdx.x) % 32 * 4, 0};
  for (rows.tile = blockIdx.y; rows.tile < map.tiles; rows.tile += gridDim.y) {
    TileSums sums = {};
    for (int depth = 0; depth < args.depth; depth += kChannels) {
      load_tile<kInput>(tile, args, map, rows, depth);
      if (args.depth > kChannels || rows.tile == blockIdx.y) {
        const std::int64_t start = kBackward ? std::int64_t{depth} * args.width + first_channel
                                             : std::int64_t{first_channel} * args.depth + depth;
        load_weights(weights, kStride, args.weight + start, kBackward ? args.width : args.depth);
      }
      __syncthreads();
      multiply_tile<kChannels, kAlongStride, 1, kBackward ? kStride : 1, kBackward ? 1 : kStride>(
          sums, tile, weights, place);
      __syncthreads();
    }
    store_tile(tile, kAlongStride, sums, place);
    __syncthreads();
    finish_tile<kOutput>(tile, args, map, rows, first_channel);
  }
}

// False if this is not what `args` ask for.
template <Input kInput, bool kBackward, Output kOutput>
bool launch(const LinearFp32& args, const TokenMap& map, cudaStream_t stream) {
  if (args.input != kInput || args.backward != kBackward || args.output != kOutput) return false;
  const auto kernel = linear_fp32_kernel<kInput, kBackward, kOutput>;
  constexpr std::size_t kBytes = kSharedBytes<kBackward>;
  allow_shared_memory(kernel, kBytes);
  const unsigned slices = static_cast<unsigned>(args.width / kChannels);
  const unsigned room = (2 * static_cast<unsigned>(multiprocessors()) + slices - 1) / slices;
  // Blocks with the same tokens are neighbours in the launch, so that the second one finds them in the cache.
  const dim3 grid(slices, map.tiles < room ? map.tiles : room);
  kernel<<<grid, kTileThreads, kBytes, stream>>>(args, map);
  check_launch("linear_fp32");
  return true;
}

}  // namespace

void linear_fp32(const LinearFp32& args, const TokenMap& map, cudaStream_t stream) {
  const bool launched = launch<Input::kNormed, false, Output::kPlanes>(args, map, stream) ||
                        launch<Input::kNormed, false, Output::kRows>(args, map, stream) ||
                        launch<Input::kPlanes, false, Output::kRows>(args, map, stream) ||
                        launch<Input::kRows, false, Output::kRows>(args, map, stream) ||
                        launch<Input::kRows, true, Output::kRows>(args, map, stream) ||
                        launch<Input::kRows, true, Output::kPlanes>(args, map, stream) ||
                        launch<Input::kRows, true, Output::kGeluBackward>(args, map, stream) ||
                        launch<Input::kRows, true, Output::kNormBackward>(args, map, stream) ||
                        launch<Input::kPlanes, true, Output::kNormBackward>(args, map, stream);
  if (!launched) throw Error("linear_fp32: no kernel for this combination of input and output");
}

}  // namespace causcale::cuda
