// A thread for eight channels of a group.
#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/pooling_kernels.h"
#include "core/cuda/storage.cuh"

namespace causcale::cuda {
namespace {

constexpr int kThreads = 256;

// One of the pieces of one of the groups of one data set.
struct Places {
  std::uint32_t count;
  FastDivide by_pieces, by_groups;
  std::uint32_t rows;
  int group;

  Places(const PoolShape& shape, std::int64_t groups)
      : count(static_cast<std::uint32_t>(shape.batch * groups * shape.pieces)),
        by_pieces(static_cast<std::uint32_t>(shape.pieces)),
        by_groups(static_cast<std::uint32_t>(groups)),
        rows(static_cast<std::uint32_t>(shape.rows)),
        group(shape.group) {}
};

struct Place {
  std::uint32_t batch, group, piece;
  __device__ __forceinline__ Place(const Places& places, std::uint32_t index) {
    const std::uint32_t line = places.by_pieces.quotient(index);
    piece = index - line * places.by_pieces.divisor;
    batch = places.by_groups.quotient(line);
    group = line - batch * places.by_groups.divisor;
  }
  // First of the eight channels in row `row` of the ungrouped grid.
  __device__ __forceinline__ std::int64_t source(const Places& places, std::uint32_t row) const {
    return ((std::int64_t{batch} * places.rows + row) * places.by_pieces.divisor + piece) * 8;
  }
};

template <class T>
__global__ __launch_bounds__(kThreads) void pool_kernel(const T* x, T* y, Places places, PoolKind kind,
                                                        float factor) {
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < places.count; i += gridDim.x * kThreads) {
    const Place place(places, i);
    const std::uint32_t first = place.group * static_cast<std::uint32_t>(places.group);
    float sum[8], values[8];
    load_channels(x + place.source(places, first), sum);
    const int members = kind == PoolKind::kFirst ? 1 : places.group;
#pragma unroll 2
    for (int k = 1; k < members; ++k) {
      load_channels(x + place.source(places, first + k), values);
#pragma unroll
      for (int e = 0; e < 8; ++e)
        sum[e] = kind == PoolKind::kMax ? fmaxf(sum[e], values[e]) : sum[e] + values[e];
    }
#pragma unroll
    for (int e = 0; e < 8; ++e) sum[e] *= factor;
    store_channels(y + std::int64_t{i} * 8, sum);
  }
}

// Here the groups count the incomplete last one as well.
template <class T>
__global__ __launch_bounds__(kThreads) void pool_backward_kernel(const T* dy, T* dx, Places places,
                                                                 std::uint32_t whole_groups, float factor) {
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < places.count; i += gridDim.x * kThreads) {
    const Place place(places, i);
    float gradient[8] = {};
    if (place.group < whole_groups) {
      const std::int64_t line = std::int64_t{place.batch} * whole_groups + place.group;
      load_channels(dy + (line * places.by_pieces.divisor + place.piece) * 8, gradient);
#pragma unroll
      for (int e = 0; e < 8; ++e) gradient[e] *= factor;
    }
    const std::uint32_t first = place.group * static_cast<std::uint32_t>(places.group);
    for (int k = 0; k < places.group && first + k < places.rows; ++k)
      store_channels(dx + place.source(places, first + k), gradient);
  }
}

unsigned blocks_for(std::uint32_t count) {
  const std::uint32_t wanted = (count + kThreads - 1) / kThreads;
  return std::min(wanted, static_cast<std::uint32_t>(multiprocessors()) * 16);
}

}  // namespace

void pool(const void* x, void* y, const PoolShape& shape, Storage storage, cudaStream_t stream) {
  const Places places(shape, shape.whole_groups());
  const float factor = shape.kind == PoolKind::kMean ? 1.f / static_cast<float>(shape.group) : 1.f;
  const unsigned blocks = blocks_for(places.count);
  if (storage == Storage::kBf16)
    pool_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const bf16*>(x), static_cast<bf16*>(y), places,
                                                 shape.kind, factor);
  else
    pool_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const float*>(x), static_cast<float*>(y), places,
                                                 shape.kind, factor);
  check_launch("pool");
}

void pool_backward(const void* dy, void* dx, const PoolShape& shape, Storage storage, cudaStream_t stream) {
  const Places places(shape, (shape.rows + shape.group - 1) / shape.group);
  const auto whole = static_cast<std::uint32_t>(shape.whole_groups());
  const float factor = 1.f / static_cast<float>(shape.group);
  const unsigned blocks = blocks_for(places.count);
  if (storage == Storage::kBf16)
    pool_backward_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const bf16*>(dy),
                                                          static_cast<bf16*>(dx), places, whole, factor);
  else
    pool_backward_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const float*>(dy),
                                                          static_cast<float*>(dx), places, whole, factor);
  check_launch("pool_backward");
}

}  // namespace causcale::cuda
