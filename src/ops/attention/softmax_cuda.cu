// Softmax of attention scores and its gradient. A row is kept in the registers of a group of threads (a warp
// for short rows, a block for long ones), so scores are read once; only rows beyond 32768 columns are read
// repeatedly.
#include <cfloat>

#include "ops/attention/attention_kernels.h"
#include "ops/cuda/check.h"
#include "ops/cuda/fragment.cuh"

namespace causcale::cuda {
namespace {

struct Maximum {
  static constexpr float kNeutral = -FLT_MAX;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  static constexpr float kNeutral = 0.f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <int kGroup, class Operation>
__device__ float reduce_group(float value, Operation operation) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value = operation(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if constexpr (kGroup > 32) {
    __shared__ float partial[kGroup / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < kGroup / 32 ? partial[threadIdx.x % 32] : Operation::kNeutral;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      value = operation(value, __shfl_xor_sync(0xffffffffu, value, offset));
    }
  }
  return value;
}

// The rows that a launch works on.
struct Rows {
  std::uint32_t count;
  std::uint32_t queries;
  std::uint32_t real_queries;
  int length;
  int stride;

  explicit Rows(const ScoreShape& shape)
      : count(static_cast<std::uint32_t>(shape.maps * shape.queries)),
        queries(static_cast<std::uint32_t>(shape.queries)),
        real_queries(static_cast<std::uint32_t>(shape.real_queries)),
        length(static_cast<int>(shape.length)),
        stride(static_cast<int>(shape.stride)) {}
  __device__ bool is_padding(std::uint32_t row) const {
    return real_queries != queries && row % queries >= real_queries;
  }
};

template <int kGroup>
__device__ void clear_row(bf16* row, int stride) {
  for (int column = (threadIdx.x % kGroup) * 8; column < stride; column += kGroup * 8) {
    store_piece(row + column, 0, uint4{0, 0, 0, 0});
  }
}

struct SoftmaxArgs {
  const float* scores;
  bf16* probabilities;
  Rows rows;
  float factor;  // scale * log2(e)
};

template <int kGroup, int kVectors>
__global__ __launch_bounds__(kGroup > 128 ? kGroup : 128) void softmax_kernel(SoftmaxArgs args) {
  const Rows& rows = args.rows;
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kGroup;
  if (row >= rows.count) return;  // whole groups leave, never a part of one
  bf16* probabilities = args.probabilities + row * rows.stride;
  if (rows.is_padding(static_cast<std::uint32_t>(row))) return clear_row<kGroup>(probabilities, rows.stride);
  const int lane = threadIdx.x % kGroup;
  const float* source = args.scores + row * rows.stride;
  float values[kVectors][8];
  float maximum = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
    if (column < rows.length) load_eight(source + column, values[i]);
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      values[i][e] = column + e < rows.length ? values[i][e] * args.factor : -FLT_MAX;
      maximum = fmaxf(maximum, values[i][e]);
    }
  }
  maximum = reduce_group<kGroup>(maximum, Maximum());
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      values[i][e] = column + e < rows.length ? exp2f(values[i][e] - maximum) : 0.f;
      sum += values[i][e];
    }
  }
  const float inverse = 1.f / reduce_group<kGroup>(sum, Sum());
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
#pragma unroll
    for (int e = 0; e < 8; ++e) values[i][e] *= inverse;
    if (column < rows.stride) store_piece(probabilities + column, 0, pack(values[i]));
  }
}

constexpr int kLongGroup = 1024;

__global__ __launch_bounds__(kLongGroup) void long_softmax_kernel(SoftmaxArgs args) {
  const Rows& rows = args.rows;
  const std::int64_t start = std::int64_t{blockIdx.x} * rows.stride;
  if (rows.is_padding(blockIdx.x)) return clear_row<kLongGroup>(args.probabilities + start, rows.stride);
  float maximum = -FLT_MAX;
  for (int i = threadIdx.x; i < rows.length; i += kLongGroup)
    maximum = fmaxf(maximum, args.scores[start + i]);
  maximum = reduce_group<kLongGroup>(maximum, Maximum());
  float sum = 0.f;
  for (int i = threadIdx.x; i < rows.length; i += kLongGroup) {
    sum += exp2f((args.scores[start + i] - maximum) * args.factor);
  }
  const float inverse = 1.f / reduce_group<kLongGroup>(sum, Sum());
  for (int i = threadIdx.x; i < rows.stride; i += kLongGroup) {
    const float value =
        i < rows.length ? exp2f((args.scores[start + i] - maximum) * args.factor) * inverse : 0.f;
    args.probabilities[start + i] = __float2bfloat16_rn(value);
  }
}

struct SoftmaxBackwardArgs {
  const bf16* probabilities;
  bf16* gradients;
  Rows rows;
  float scale;
};

template <int kGroup, int kVectors>
__global__ __launch_bounds__(kGroup > 128 ? kGroup
                                          : 128) void softmax_backward_kernel(SoftmaxBackwardArgs args) {
  const Rows& rows = args.rows;
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kGroup;
  if (row >= rows.count) return;
  const bf16* probabilities = args.probabilities + row * rows.stride;
  bf16* gradients = args.gradients + row * rows.stride;
  if (rows.is_padding(static_cast<std::uint32_t>(row))) return clear_row<kGroup>(gradients, rows.stride);
  const int lane = threadIdx.x % kGroup;
  uint4 p[kVectors], g[kVectors];
  float dot = 0.f, a[8], b[8];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
    const bool inside = column < rows.length;
    p[i] = inside ? *reinterpret_cast<const uint4*>(probabilities + column) : uint4{0, 0, 0, 0};
    g[i] = inside ? *reinterpret_cast<const uint4*>(gradients + column) : uint4{0, 0, 0, 0};
    unpack(p[i], a);
    unpack(g[i], b);
#pragma unroll
    for (int e = 0; e < 8; ++e) dot += column + e < rows.length ? a[e] * b[e] : 0.f;
  }
  dot = reduce_group<kGroup>(dot, Sum());
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
    unpack(p[i], a);
    unpack(g[i], b);
#pragma unroll
    for (int e = 0; e < 8; ++e) a[e] = column + e < rows.length ? args.scale * a[e] * (b[e] - dot) : 0.f;
    if (column < rows.stride) store_piece(gradients + column, 0, pack(a));
  }
}

__global__ __launch_bounds__(kLongGroup) void long_softmax_backward_kernel(SoftmaxBackwardArgs args) {
  const Rows& rows = args.rows;
  const std::int64_t start = std::int64_t{blockIdx.x} * rows.stride;
  if (rows.is_padding(blockIdx.x)) return clear_row<kLongGroup>(args.gradients + start, rows.stride);
  const bf16* probabilities = args.probabilities + start;
  bf16* gradients = args.gradients + start;
  float dot = 0.f;
  for (int i = threadIdx.x; i < rows.length; i += kLongGroup) {
    dot += __bfloat162float(probabilities[i]) * __bfloat162float(gradients[i]);
  }
  dot = reduce_group<kLongGroup>(dot, Sum());
  for (int i = threadIdx.x; i < rows.length; i += kLongGroup) {
    const float gradient = __bfloat162float(probabilities[i]) * (__bfloat162float(gradients[i]) - dot);
    gradients[i] = __float2bfloat16_rn(args.scale * gradient);
  }
  for (int i = rows.length + threadIdx.x; i < rows.stride; i += kLongGroup)
    gradients[i] = __float2bfloat16_rn(0.f);
}

// Calls launch(group, vectors) with the smallest pair of constants that holds a row; false: no pair does.
template <class Launch>
bool dispatch_row_length(std::int64_t length, const Launch& launch) {
  const auto fits = [&](auto group, auto vectors) {
    if (length > std::int64_t{8} * group() * vectors()) return false;
    launch(group, vectors);
    return true;
  };
  using std::integral_constant;
  constexpr integral_constant<int, 32> warp;
  constexpr integral_constant<int, 256> block;
  constexpr integral_constant<int, 1024> large;
  constexpr integral_constant<int, 1> one;
  constexpr integral_constant<int, 2> two;
  constexpr integral_constant<int, 4> four;
  return fits(warp, one) || fits(warp, two) || fits(warp, four) || fits(block, one) || fits(block, two) ||
         fits(block, four) || fits(large, two) || fits(large, four);
}

unsigned blocks_for(std::uint32_t rows, int group, int threads) {
  const std::uint32_t rows_per_block = threads / group;
  return (rows + rows_per_block - 1) / rows_per_block;
}

}  // namespace

void softmax(const float* scores, void* probabilities, const ScoreShape& shape, float scale,
             cudaStream_t stream) {
  constexpr float kLog2E = 1.4426950408889634f;
  const SoftmaxArgs args{scores, static_cast<bf16*>(probabilities), Rows(shape), scale * kLog2E};
  const bool done = dispatch_row_length(shape.length, [&](auto group, auto vectors) {
    constexpr int kThreads = group() > 128 ? group() : 128;
    softmax_kernel<group(), vectors()>
        <<<blocks_for(args.rows.count, group(), kThreads), kThreads, 0, stream>>>(args);
  });
  if (!done) long_softmax_kernel<<<args.rows.count, kLongGroup, 0, stream>>>(args);
  check_launch("softmax");
}

void softmax_backward(const void* probabilities, void* gradients, const ScoreShape& shape, float scale,
                      cudaStream_t stream) {
  const SoftmaxBackwardArgs args{static_cast<const bf16*>(probabilities), static_cast<bf16*>(gradients),
                                 Rows(shape), scale};
  const bool done = dispatch_row_length(shape.length, [&](auto group, auto vectors) {
    constexpr int kThreads = group() > 128 ? group() : 128;
    softmax_backward_kernel<group(), vectors()>
        <<<blocks_for(args.rows.count, group(), kThreads), kThreads, 0, stream>>>(args);
  });
  if (!done) long_softmax_backward_kernel<<<args.rows.count, kLongGroup, 0, stream>>>(args);
  check_launch("softmax_backward");
}

}  // namespace causcale::cuda
