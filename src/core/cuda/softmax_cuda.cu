// Softmax of attention scores and its gradient. A row is kept in the registers of a group of threads (a warp
// for short rows, a block for long ones), so scores are read once; only rows beyond 32768 columns are read
// repeatedly.
#include <cfloat>

#include "core/cuda/attention_kernels.h"
#include "core/cuda/check.h"
#include "core/cuda/for_training.cuh"
#include "core/cuda/storage.cuh"

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

template <int kGroup, class T>
__device__ void clear_row(T* row, int stride) {
  constexpr float kZeros[8] = {};
  for (int column = (threadIdx.x % kGroup) * 8; column < stride; column += kGroup * 8) {
    store_channels(row + column, kZeros);
  }
}

template <class T>
struct SoftmaxArgs {
  const float* scores;  // may be the probabilities' memory
  T* probabilities;
  Rows rows;
  float factor;  // scale * log2(e)
};

template <class T, int kGroup, int kVectors>
__global__ __launch_bounds__(kGroup > 128 ? kGroup : 128) void softmax_kernel(SoftmaxArgs<T> args) {
  const Rows& rows = args.rows;
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kGroup;
  if (row >= rows.count) return;  // whole groups leave, never a part of one
  T* probabilities = args.probabilities + row * rows.stride;
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
    if (column < rows.stride) store_channels(probabilities + column, values[i]);
  }
}

constexpr int kLongGroup = 1024;

template <class T>
__global__ __launch_bounds__(kLongGroup) void long_softmax_kernel(SoftmaxArgs<T> args) {
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
    assign(args.probabilities[start + i], value);
  }
}

// Eight values of a row as they lie in memory: bf16 takes half the registers.
template <class T>
struct StoredPiece;
template <>
struct StoredPiece<bf16> {
  uint4 bits;
  __device__ void load(const bf16* source) { bits = *reinterpret_cast<const uint4*>(source); }
  __device__ void clear() { bits = uint4{0, 0, 0, 0}; }
  __device__ void get(float (&values)[8]) const { unpack(bits, values); }
};
template <>
struct StoredPiece<float> {
  float kept[8];
  __device__ void load(const float* source) { load_eight(source, kept); }
  __device__ void clear() {
#pragma unroll
    for (int e = 0; e < 8; ++e) kept[e] = 0.f;
  }
  __device__ void get(float (&values)[8]) const {
#pragma unroll
    for (int e = 0; e < 8; ++e) values[e] = kept[e];
  }
};

template <class T>
struct SoftmaxBackwardArgs {
  const T* probabilities;
  T* gradients;
  Rows rows;
  float scale;
};

template <class T, int kGroup, int kVectors>
__global__ __launch_bounds__(kGroup > 128 ? kGroup
                                          : 128) void softmax_backward_kernel(SoftmaxBackwardArgs<T> args) {
  if (!kForTraining) return;
  const Rows& rows = args.rows;
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kGroup;
  if (row >= rows.count) return;
  const T* probabilities = args.probabilities + row * rows.stride;
  T* gradients = args.gradients + row * rows.stride;
  if (rows.is_padding(static_cast<std::uint32_t>(row))) return clear_row<kGroup>(gradients, rows.stride);
  const int lane = threadIdx.x % kGroup;
  StoredPiece<T> p[kVectors], g[kVectors];
  float dot = 0.f, a[8], b[8];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
    p[i].clear();
    g[i].clear();
    if (column < rows.length) {
      p[i].load(probabilities + column);
      g[i].load(gradients + column);
    }
    p[i].get(a);
    g[i].get(b);
#pragma unroll
    for (int e = 0; e < 8; ++e) dot += column + e < rows.length ? a[e] * b[e] : 0.f;
  }
  dot = reduce_group<kGroup>(dot, Sum());
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int column = (i * kGroup + lane) * 8;
    p[i].get(a);
    g[i].get(b);
#pragma unroll
    for (int e = 0; e < 8; ++e) a[e] = column + e < rows.length ? args.scale * a[e] * (b[e] - dot) : 0.f;
    if (column < rows.stride) store_channels(gradients + column, a);
  }
}

template <class T>
__global__ __launch_bounds__(kLongGroup) void long_softmax_backward_kernel(SoftmaxBackwardArgs<T> args) {
  if (!kForTraining) return;
  const Rows& rows = args.rows;
  const std::int64_t start = std::int64_t{blockIdx.x} * rows.stride;
  if (rows.is_padding(blockIdx.x)) return clear_row<kLongGroup>(args.gradients + start, rows.stride);
  const T* probabilities = args.probabilities + start;
  T* gradients = args.gradients + start;
  float dot = 0.f;
  for (int i = threadIdx.x; i < rows.length; i += kLongGroup) {
    dot += to_float(probabilities[i]) * to_float(gradients[i]);
  }
  dot = reduce_group<kLongGroup>(dot, Sum());
  for (int i = threadIdx.x; i < rows.length; i += kLongGroup) {
    assign(gradients[i], args.scale * to_float(probabilities[i]) * (to_float(gradients[i]) - dot));
  }
  for (int i = rows.length + threadIdx.x; i < rows.stride; i += kLongGroup) assign(gradients[i], 0.f);
}

// Calls launch(group, vectors) with the smallest pair of constants that holds a row; false: no pair does.
// kLargest: 8-value vectors of a thread for which a block of 1024 has registers.
template <int kLargest, class Launch>
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
         fits(block, four) || fits(large, two) || fits(large, integral_constant<int, kLargest>());
}

unsigned blocks_for(std::uint32_t rows, int group, int threads) {
  const std::uint32_t rows_per_block = threads / group;
  return (rows + rows_per_block - 1) / rows_per_block;
}

template <class T>
void launch_softmax(const SoftmaxArgs<T>& args, std::int64_t length, cudaStream_t stream) {
  const bool done = dispatch_row_length<4>(length, [&](auto group, auto vectors) {
    constexpr int kThreads = group() > 128 ? group() : 128;
    softmax_kernel<T, group(), vectors()>
        <<<blocks_for(args.rows.count, group(), kThreads), kThreads, 0, stream>>>(args);
  });
  if (!done) long_softmax_kernel<<<args.rows.count, kLongGroup, 0, stream>>>(args);
  check_launch("softmax");
}

template <class T>
void launch_softmax_backward(const SoftmaxBackwardArgs<T>& args, std::int64_t length, cudaStream_t stream) {
  constexpr int kLargest = 8 / sizeof(T);
  const bool done = dispatch_row_length<kLargest>(length, [&](auto group, auto vectors) {
    constexpr int kThreads = group() > 128 ? group() : 128;
    softmax_backward_kernel<T, group(), vectors()>
        <<<blocks_for(args.rows.count, group(), kThreads), kThreads, 0, stream>>>(args);
  });
  if (!done) long_softmax_backward_kernel<<<args.rows.count, kLongGroup, 0, stream>>>(args);
  check_launch("softmax_backward");
}

}  // namespace

void softmax(const float* scores, void* probabilities, const ScoreShape& shape, float scale, Storage storage,
             cudaStream_t stream) {
  constexpr float kLog2E = 1.4426950408889634f;
  if (storage == Storage::kBf16)
    launch_softmax<bf16>({scores, static_cast<bf16*>(probabilities), Rows(shape), scale * kLog2E},
                         shape.length, stream);
  else
    launch_softmax<float>({scores, static_cast<float*>(probabilities), Rows(shape), scale * kLog2E},
                          shape.length, stream);
}

void softmax_backward(const void* probabilities, void* gradients, const ScoreShape& shape, float scale,
                      Storage storage, cudaStream_t stream) {
  if (storage == Storage::kBf16)
    launch_softmax_backward<bf16>(
        {static_cast<const bf16*>(probabilities), static_cast<bf16*>(gradients), Rows(shape), scale},
        shape.length, stream);
  else
    launch_softmax_backward<float>(
        {static_cast<const float*>(probabilities), static_cast<float*>(gradients), Rows(shape), scale},
        shape.length, stream);
}

}  // namespace causcale::cuda
