// A block takes 64 channels of a against 128 channels of b, over its part of the tiles of 64 tokens.
#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/rows_fp32.cuh"
#include "core/cuda/tf32_tile.cuh"
#include "learn/autograd/cuda/weight_gradient.h"

namespace causcale::cuda {
namespace {

enum class Source { kRows, kPlanes, kNormedRows };

constexpr int kFloatsA = kTileTokens * kAcrossHalfStride;
constexpr std::size_t kSharedBytes = (kFloatsA + kTileTokens * kAcrossStride) * sizeof(float);

extern __shared__ __align__(16) float gradient_memory[];

struct KernelArgs {
  const float* a;
  const float* b;
  const float* mean;
  const float* rstd;
  float* workspace;
  int rows;  // channels of a
  int cols;  // channels of b
};

template <Source kSource>
__device__ __forceinline__ Four load_channels(const float* source, int width, const KernelArgs& args,
                                              const TokenMap& map, const TokenPlace& place, int channel) {
  if (!place.valid) return Four{};
  if constexpr (kSource == Source::kPlanes) return load_four(source + plane_index(map, place, channel));
  Four values = load_four(source + place.token * width + channel);
  if constexpr (kSource == Source::kNormedRows) {
    const float mean = __ldg(args.mean + place.token), rstd = __ldg(args.rstd + place.token);
#pragma unroll
    for (int e = 0; e < 4; ++e) values.v[e] = (values.v[e] - mean) * rstd;
  }
  return values;
}

// kCols channels from `first_channel` on of a tile's tokens go to shared memory.
template <Source kSource, int kCols, int kStride>
__device__ __forceinline__ void load_tile(float* target, const float* source, int width,
                                          const KernelArgs& args, const TokenMap& map, std::uint32_t tile,
                                          int first_channel) {
  constexpr int kLanes = kCols / 4, kStep = kTileThreads / kLanes;
  const int channel = static_cast<int>(threadIdx.x) % kLanes * 4;
  Four values[kTileTokens / kStep];
#pragma unroll
  for (int i = 0; i < kTileTokens / kStep; ++i) {
    const TokenPlace place = map.place(tile, threadIdx.x / kLanes + i * kStep);
    values[i] = load_channels<kSource>(source, width, args, map, place, first_channel + channel);
  }
#pragma unroll
  for (int i = 0; i < kTileTokens / kStep; ++i) {
    const int row = static_cast<int>(threadIdx.x) / kLanes + i * kStep;
    store_four(target + row * kStride + channel, values[i]);
  }
}

template <Source kSourceA, Source kSourceB>
__global__ __launch_bounds__(kTileThreads, 2) void weight_gradient_fp32_kernel(KernelArgs args,
                                                                               TokenMap map) {
  constexpr int kBiasThreads = kTileThreads / kTileRows, kBiasTokens = kTileTokens / kBiasThreads;
  float *a = gradient_memory, *b = gradient_memory + kFloatsA;
  const int row_slices = args.rows / kTileRows;
  const int first_row = static_cast<int>(blockIdx.x) % row_slices * kTileRows;
  const int first_col = static_cast<int>(blockIdx.x) / row_slices * kTileCols;
  const int bias_channel = static_cast<int>(threadIdx.x) % kTileRows;
  const int bias_part = static_cast<int>(threadIdx.x) / kTileRows;
  const TilePlace place(threadIdx.x);
  TileSums sums = {};
  float bias = 0.f;
  for (std::uint32_t tile = blockIdx.y; tile < map.tiles; tile += gridDim.y) {
    load_tile<kSourceA, kTileRows, kAcrossHalfStride>(a, args.a, args.rows, args, map, tile, first_row);
    load_tile<kSourceB, kTileCols, kAcrossStride>(b, args.b, args.cols, args, map, tile, first_col);
    __syncthreads();
    multiply_tile<kTileTokens, 1, kAcrossHalfStride, kAcrossStride, 1>(sums, a, b, place);
    if (first_col == 0) {
      float part = 0.f;
#pragma unroll 4
      for (int token = 0; token < kBiasTokens; ++token) {
        part += a[(bias_part * kBiasTokens + token) * kAcrossHalfStride + bias_channel];
      }
      bias += part;
    }
    __syncthreads();
  }
  float* result = args.workspace + std::int64_t{blockIdx.y} * args.rows * (args.cols + 1);
  store_tile(result + std::int64_t{first_row} * args.cols + first_col, args.cols, sums, place);
  if (first_col != 0) return;
  a[threadIdx.x] = bias;
  __syncthreads();
  if (bias_part != 0) return;
  for (int part = 1; part < kBiasThreads; ++part) bias += a[part * kTileRows + bias_channel];
  result[std::int64_t{args.rows} * args.cols + first_row + bias_channel] = bias;
}

int slices_of(const WeightGradient& gradient) {
  return gradient.rows() / kTileRows * (gradient.cols() / kTileCols);
}

template <Source kSourceA, Source kSourceB>
void launch(const KernelArgs& args, const TokenMap& map, const dim3& grid, cudaStream_t stream) {
  const auto kernel = weight_gradient_fp32_kernel<kSourceA, kSourceB>;
  allow_shared_memory(kernel, kSharedBytes);
  kernel<<<grid, kTileThreads, kSharedBytes, stream>>>(args, map);
  check_launch("weight_gradient_fp32");
}

}  // namespace

int weight_gradient_parts_fp32(const WeightGradient& gradient, const TokenMap& map) {
  // Two blocks fit on a multiprocessor; every block should have a few tiles.
  const int available = std::max(1, 2 * multiprocessors() / slices_of(gradient));
  return std::min(static_cast<int>((map.tiles + 3) / 4), available);
}

void weight_gradient_fp32(const WeightGradient& gradient, const TokenMap& map, float* workspace, int parts,
                          cudaStream_t stream) {
  const KernelArgs args{static_cast<const float*>(gradient.a),
                        static_cast<const float*>(gradient.b),
                        gradient.mean,
                        gradient.rstd,
                        workspace,
                        gradient.rows(),
                        gradient.cols()};
  const dim3 grid(static_cast<unsigned>(slices_of(gradient)), static_cast<unsigned>(parts));
  switch (gradient.kind) {
    case WeightGradient::Kind::kQkv:
      return launch<Source::kPlanes, Source::kNormedRows>(args, map, grid, stream);
    case WeightGradient::Kind::kOut:
      return launch<Source::kRows, Source::kPlanes>(args, map, grid, stream);
    case WeightGradient::Kind::kUp:
      return launch<Source::kRows, Source::kNormedRows>(args, map, grid, stream);
    case WeightGradient::Kind::kDown:
      return launch<Source::kRows, Source::kRows>(args, map, grid, stream);
  }
}

}  // namespace causcale::cuda
