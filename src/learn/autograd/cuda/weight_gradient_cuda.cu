#include "learn/autograd/cuda/weight_gradient.h"

#include "core/cuda/check.h"
#include "core/cuda/storage.cuh"
#include "core/cuda/warp_sum.cuh"

namespace causcale::cuda {
namespace {

enum class Source { kRows, kPlanes, kNormedRows };

constexpr int kBlockBytes = kTileTokens * 128;  // 64 tokens by 64 channels
constexpr int kSteps = kTileTokens / 16;
constexpr int kStatisticsBytes = 2 * kTileTokens * 4;
constexpr int kOnesBytes = 1024;

struct Operand {
  const void* data;
  int row_pieces;  // 16-byte pieces in a row of the source
};

// kWarpgroups times kBlocks blocks of 64 channels of a against 128 channels of b; with kSplitB all warpgroups
// share the kBlocks blocks of a and each has its own 128 channels of b.
template <int kWarpgroupCount, int kBlockCount, bool kSplitting, Source kSourceA, Source kSourceB,
          int kStageCount>
struct Shape {
  static constexpr int kWarpgroups = kWarpgroupCount;
  static constexpr int kBlocks = kBlockCount;
  static constexpr bool kSplitB = kSplitting;
  static constexpr Source kA = kSourceA;
  static constexpr Source kB = kSourceB;
  static constexpr int kStages = kStageCount;
  static constexpr int kThreads = kWarpgroups * 128;
  static constexpr int kFetchUnroll = kWarpgroups > 2 ? 1 : 4;  // three warpgroups have no registers to spare
  static constexpr int kResident = kBlocks == 1 ? 2 : 1;        // thread blocks on a multiprocessor
  static constexpr int kColsA = 64 * kBlocks * (kSplitB ? 1 : kWarpgroups);
  static constexpr int kColsB = 128 * (kSplitB ? kWarpgroups : 1);
  static constexpr int kBytesA = (kColsA / 64) * kBlockBytes;
  static constexpr int kStageBytes = kBytesA + (kColsB / 64) * kBlockBytes;
  static constexpr int kSharedBytes = kStages * (kStageBytes + kStatisticsBytes) + kOnesBytes;
};

using QkvShape = Shape<3, 2, false, Source::kPlanes, Source::kNormedRows, 3>;
using OutShape = Shape<2, 1, false, Source::kRows, Source::kPlanes, 3>;
using UpWideShape = Shape<2, 2, false, Source::kRows, Source::kNormedRows, 4>;
using UpNarrowShape = Shape<2, 1, false, Source::kRows, Source::kNormedRows, 3>;
using DownWideShape = Shape<2, 2, true, Source::kRows, Source::kRows, 4>;
using DownNarrowShape = Shape<2, 1, false, Source::kRows, Source::kRows, 3>;

// Where the i-th 16-byte piece of a tile comes from and goes to; neighbouring threads get neighbouring
// addresses.
template <Source kSource, int kCols>
struct PieceOrder {
  static constexpr int kCount = kTileTokens * kCols / 8;
  static __device__ __forceinline__ int row(int i) {
    return kSource == Source::kPlanes ? i % kTileTokens : i / (kCols / 8);
  }
  static __device__ __forceinline__ int column(int i) {
    return kSource == Source::kPlanes ? i / kTileTokens : i % (kCols / 8);
  }
  static __device__ __forceinline__ std::uint32_t offset(int i) {
    return (column(i) / 8) * kBlockBytes + swizzled(row(i), column(i) % 8);
  }
};

template <class S, Source kSource, int kCols>
__device__ __forceinline__ void fetch(std::uint32_t target, const Operand& operand, int first_piece,
                                      const TokenMap& map, std::uint32_t tile) {
  using Order = PieceOrder<kSource, kCols>;
  constexpr int kRounds = (Order::kCount + S::kThreads - 1) / S::kThreads;
  const auto* source = static_cast<const uint4*>(operand.data);
  if constexpr (kSource == Source::kPlanes) {
    static_assert(S::kThreads % kTileTokens == 0);  // so a thread keeps to one token
    const TokenPlace place = map.place(tile, threadIdx.x % kTileTokens);
#pragma unroll S::kFetchUnroll
    for (int k = 0; k < kRounds; ++k) {
      const int i = k * S::kThreads + threadIdx.x;
      const int column = Order::column(i);
      const std::int64_t plane = (column / kHeads) * map.stack_pieces + (column % kHeads) * map.plane_pieces;
      copy_async(target + Order::offset(i), source + (place.valid ? place.piece + plane : 0), place.valid);
    }
  } else {
#pragma unroll S::kFetchUnroll
    for (int k = 0; k < kRounds; ++k) {
      const int i = k * S::kThreads + threadIdx.x;
      if (Order::kCount % S::kThreads != 0 && i >= Order::kCount) break;
      const TokenPlace place = map.place(tile, Order::row(i));
      const std::int64_t piece = place.token * operand.row_pieces + first_piece + Order::column(i);
      copy_async(target + Order::offset(i), source + (place.valid ? piece : 0), place.valid);
    }
  }
}

// Means and reciprocal deviations of a tile's tokens come with the tile: a load of their own would have to
// wait behind all the copies under way.
__device__ __forceinline__ void fetch_statistics(std::uint32_t target, const float* mean, const float* rstd,
                                                 const TokenMap& map, std::uint32_t tile) {
  if (threadIdx.x >= 2 * kTileTokens) return;
  const TokenPlace place = map.place(tile, threadIdx.x % kTileTokens);
  const float* source = threadIdx.x < kTileTokens ? mean : rstd;
  copy_async_word(target + 4 * threadIdx.x, source + (place.valid ? place.token : 0), place.valid);
}

template <class S>
__device__ __forceinline__ void normalise(char* tile, const float* statistics) {
  using Order = PieceOrder<Source::kRows, S::kColsB>;
#pragma unroll
  for (int k = 0; k < (Order::kCount + S::kThreads - 1) / S::kThreads; ++k) {
    const int i = k * S::kThreads + threadIdx.x;
    if (i >= Order::kCount) break;
    const float mean = statistics[Order::row(i)], rstd = statistics[kTileTokens + Order::row(i)];
    auto* piece = reinterpret_cast<uint4*>(tile + Order::offset(i));
    float values[8];
    unpack(*piece, values);
#pragma unroll
    for (int e = 0; e < 8; ++e) values[e] = (values[e] - mean) * rstd;
    *piece = pack(values);
  }
}

struct KernelArgs {
  Operand a, b;
  const float* mean;
  const float* rstd;
  float* partials;
  int rows;  // of dW
  int cols;
};

template <class S>
__global__ __launch_bounds__(S::kThreads, S::kResident) void weight_gradient_kernel(KernelArgs args,
                                                                                    TokenMap map) {
  char* stages = dynamic_shared;
  char* ones = stages + S::kStages * S::kStageBytes;
  char* statistics = ones + kOnesBytes;
  for (int i = threadIdx.x; i < 256; i += S::kThreads)
    reinterpret_cast<std::uint32_t*>(ones)[i] = 0x3f803f80u;

  const int slice = blockIdx.y;
  const int first_piece_a = S::kSplitB ? 0 : slice * S::kColsA / 8;
  const int first_piece_b = S::kSplitB ? slice * S::kColsB / 8 : 0;
  const std::uint32_t stages_address = shared_address(stages);
  const auto fetch_tile = [&](std::uint32_t tile, int stage) {
    if (tile < map.tiles) {
      const std::uint32_t target = stages_address + stage * S::kStageBytes;
      fetch<S, S::kA, S::kColsA>(target, args.a, first_piece_a, map, tile);
      fetch<S, S::kB, S::kColsB>(target + S::kBytesA, args.b, first_piece_b, map, tile);
      if constexpr (S::kB == Source::kNormedRows) {
        fetch_statistics(shared_address(statistics) + stage * kStatisticsBytes, args.mean, args.rstd, map,
                         tile);
      }
    }
    copy_async_commit();
  };

  const int warpgroup = threadIdx.x / 128;
  const std::uint32_t offset_a = S::kSplitB ? 0 : warpgroup * S::kBlocks * kBlockBytes;
  const std::uint32_t offset_b = S::kBytesA + (S::kSplitB ? warpgroup * 2 * kBlockBytes : 0);
  const std::uint64_t ones_descriptor = matrix_descriptor(shared_address(ones), 0);
  float acc[S::kBlocks][64], sums[S::kBlocks][4];
#pragma unroll
  for (int block = 0; block < S::kBlocks; ++block) {
#pragma unroll
    for (int i = 0; i < 64; ++i) acc[block][i] = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[block][i] = 0.f;
  }

  for (int i = 0; i < S::kStages - 1; ++i) fetch_tile(blockIdx.x + i * gridDim.x, i);
  int stage = 0;
  for (std::uint32_t tile = blockIdx.x; tile < map.tiles; tile += gridDim.x) {
    copy_async_wait<S::kStages - 2>();
    if constexpr (S::kB == Source::kNormedRows) {
      __syncthreads();
      normalise<S>(stages + stage * S::kStageBytes + S::kBytesA,
                   reinterpret_cast<const float*>(statistics + stage * kStatisticsBytes));
    }
    fence_shared_for_async();
    wgmma_wait<0>();
    __syncthreads();

    const std::uint32_t base = stages_address + stage * S::kStageBytes;
#pragma unroll
    for (int block = 0; block < S::kBlocks; ++block) pin_registers(acc[block]), pin_registers(sums[block]);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const std::uint64_t b = matrix_descriptor(base + offset_b + step * 2048, kBlockBytes);
#pragma unroll
      for (int block = 0; block < S::kBlocks; ++block) {
        const std::uint64_t a =
            matrix_descriptor(base + offset_a + block * kBlockBytes + step * 2048, kBlockBytes);
        wgmma_columns(acc[block], a, b, true);
        wgmma_column_sums(sums[block], a, ones_descriptor, true);
      }
    }
    wgmma_commit();

    // While the matrix unit works: the stage of the tile before is free for a new one.
    fetch_tile(tile + (S::kStages - 1) * gridDim.x, stage == 0 ? S::kStages - 1 : stage - 1);
    stage = stage + 1 == S::kStages ? 0 : stage + 1;
  }
  wgmma_wait<0>();
#pragma unroll
  for (int block = 0; block < S::kBlocks; ++block) pin_registers(acc[block]), pin_registers(sums[block]);

  const Lane lane(threadIdx.x % 128);
  float* matrix = args.partials + std::int64_t{blockIdx.x} * args.rows * (args.cols + 1);
  float* bias = matrix + args.rows * args.cols;
  const int row_base = S::kSplitB ? 0 : slice * S::kColsA + warpgroup * S::kBlocks * 64;
  const int col_base = S::kSplitB ? slice * S::kColsB + warpgroup * 128 : 0;
#pragma unroll
  for (int block = 0; block < S::kBlocks; ++block) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = row_base + block * 64 + lane.row + 8 * half;
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        *reinterpret_cast<float2*>(matrix + row * args.cols + col_base + 8 * j + 2 * lane.quarter) =
            make_float2(acc[block][4 * j + 2 * half], acc[block][4 * j + 2 * half + 1]);
      }
      if (lane.quarter == 0 && (!S::kSplitB || (slice == 0 && warpgroup == 0)))
        bias[row] = sums[block][2 * half];
    }
  }
}

template <class S>
void launch(const KernelArgs& args, const TokenMap& map, int parts, int slices, cudaStream_t stream) {
  allow_shared_memory(weight_gradient_kernel<S>, S::kSharedBytes);
  weight_gradient_kernel<S><<<dim3(parts, slices), S::kThreads, S::kSharedBytes, stream>>>(args, map);
  check_launch("weight_gradient");
}

bool is_wide(const WeightGradient& gradient) {
  return gradient.width % 256 == 0;
}

int slices_of(const WeightGradient& gradient) {
  using Kind = WeightGradient::Kind;
  const bool sliced = gradient.kind == Kind::kUp || gradient.kind == Kind::kDown;
  return !sliced ? 1 : is_wide(gradient) ? gradient.width / 256 : gradient.width / 128;
}

constexpr int kFinishLanes = 8;

// One block to 128 columns of a row of dW; kFinishLanes threads share the partial sums of a column.
template <class T>
__global__ void finish_kernel(FinishGradient args) {
  const int row = blockIdx.x, col = blockIdx.y * kChannels + threadIdx.x, lane = threadIdx.y;
  const std::int64_t part_floats = std::int64_t{args.rows} * (args.cols + 1);
  const float* sums = args.workspace + std::int64_t{row} * args.cols + col;
  const float* bias_sums = args.workspace + std::int64_t{args.rows} * args.cols + row;
  float sum = 0.f, bias = 0.f;
#pragma unroll 8
  for (int part = lane; part < args.parts; part += kFinishLanes) sum += sums[part * part_floats];
  for (int part = lane * kChannels + threadIdx.x; part < args.parts; part += kFinishLanes * kChannels) {
    bias += bias_sums[part * part_floats];
  }
  bias = warp_sum(bias);

  __shared__ float shared_sums[kFinishLanes][kChannels], shared_bias[kFinishLanes * kChannels / 32];
  shared_sums[lane][threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) shared_bias[(lane * kChannels + threadIdx.x) / 32] = bias;
  __syncthreads();
  if (lane != 0) return;
  sum = bias = 0.f;
  for (int i = 0; i < kFinishLanes; ++i) sum += shared_sums[i][threadIdx.x];
  for (int i = 0; i < kFinishLanes * kChannels / 32; ++i) bias += shared_bias[i];

  if (col == 0) assign(static_cast<T*>(args.d_bias)[row], bias);
  const int index = row * args.cols + col;
  float d_weight = sum;
  if (args.norm_weight != nullptr) {
    d_weight = sum * to_float(static_cast<const T*>(args.norm_weight)[col]) +
               bias * to_float(static_cast<const T*>(args.norm_bias)[col]);
    const float weight = to_float(static_cast<const T*>(args.weight)[index]);
    float* terms = args.workspace + args.parts * part_floats;
    terms[index] = weight * sum;
    terms[args.rows * args.cols + index] = weight * bias;
  }
  assign(static_cast<T*>(args.d_weight)[index], d_weight);
}

// Column sums of the norm's terms: 32 columns to a block, 32 threads to a column.
template <class T>
__global__ void finish_norm_kernel(FinishGradient args) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const float* terms = args.workspace + std::int64_t{args.parts} * args.rows * (args.cols + 1) +
                       std::int64_t{blockIdx.y} * args.rows * args.cols;
  float sum = 0.f;
#pragma unroll 4
  for (int row = threadIdx.y; row < args.rows; row += 32) sum += terms[row * args.cols + col];
  __shared__ float shared[32][33];
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  const float value = warp_sum(shared[threadIdx.x][threadIdx.y]);
  if (threadIdx.x == 0) {
    auto* target = static_cast<T*>(blockIdx.y == 0 ? args.d_norm_weight : args.d_norm_bias);
    assign(target[blockIdx.x * 32 + threadIdx.y], value);
  }
}

template <class T>
void finish(const FinishGradient& args, cudaStream_t stream) {
  const dim3 blocks(args.rows, args.cols / kChannels);
  finish_kernel<T><<<blocks, dim3(kChannels, kFinishLanes), 0, stream>>>(args);
  check_launch("finish_weight_gradient");
  if (args.norm_weight != nullptr) {
    finish_norm_kernel<T><<<dim3(args.cols / 32, 2), dim3(32, 32), 0, stream>>>(args);
    check_launch("finish_norm_gradient");
  }
}

}  // namespace

int weight_gradient_parts(const WeightGradient& gradient, const TokenMap& map) {
  if (gradient.storage == Storage::kFloat) return weight_gradient_parts_fp32(gradient, map);
  // Two blocks fit on a multiprocessor where a stage is small; every block should have a few tiles.
  const bool small = slices_of(gradient) == 1 && gradient.kind != WeightGradient::Kind::kQkv;
  const int available = multiprocessors() * (small ? 2 : 1) / slices_of(gradient);
  const int wanted = static_cast<int>((map.tiles + 3) / 4);
  return wanted < available ? wanted : available;
}

std::int64_t weight_gradient_floats(const WeightGradient& gradient, int parts) {
  const std::int64_t cells = std::int64_t{gradient.rows()} * gradient.cols();
  return parts * (cells + gradient.rows()) + 2 * cells;
}

void weight_gradient(const WeightGradient& gradient, const TokenMap& map, float* workspace, int parts,
                     cudaStream_t stream) {
  if (gradient.storage == Storage::kFloat)
    return weight_gradient_fp32(gradient, map, workspace, parts, stream);
  using Kind = WeightGradient::Kind;
  const int wide_pieces = gradient.width / 8, narrow_pieces = kChannels / 8;
  KernelArgs args{{gradient.a, gradient.kind == Kind::kUp ? wide_pieces : narrow_pieces},
                  {gradient.b, gradient.kind == Kind::kDown ? wide_pieces : narrow_pieces},
                  gradient.mean,
                  gradient.rstd,
                  workspace,
                  gradient.rows(),
                  gradient.cols()};
  const int slices = slices_of(gradient);
  switch (gradient.kind) {
    case Kind::kQkv:
      return launch<QkvShape>(args, map, parts, slices, stream);
    case Kind::kOut:
      return launch<OutShape>(args, map, parts, slices, stream);
    case Kind::kUp:
      return is_wide(gradient) ? launch<UpWideShape>(args, map, parts, slices, stream)
                               : launch<UpNarrowShape>(args, map, parts, slices, stream);
    case Kind::kDown:
      return is_wide(gradient) ? launch<DownWideShape>(args, map, parts, slices, stream)
                               : launch<DownNarrowShape>(args, map, parts, slices, stream);
  }
}

void finish_weight_gradient(const FinishGradient& args, cudaStream_t stream) {
  if (args.storage == Storage::kBf16)
    finish<bf16>(args, stream);
  else
    finish<float>(args, stream);
}

}  // namespace causcale::cuda
