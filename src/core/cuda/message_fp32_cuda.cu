// The message in fp32. The products are the common kernel's; what is left are the gradients of the message
// and of the column that it is multiplied with, for which a warp takes a token at a time.
#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/finish_column.cuh"
#include "core/cuda/linear_fp32.h"
#include "core/cuda/message_kernels.h"
#include "core/cuda/rows_fp32.cuh"

namespace causcale::cuda {
namespace {

constexpr int kWarps = 8;

__global__ __launch_bounds__(kWarps * 32) void message_gradient_kernel(const float* dy, const float* message,
                                                                       const float* column, float* d_message,
                                                                       float* partials,
                                                                       std::uint32_t tokens) {
  __shared__ __align__(16) float shared[kWarps][kChannels];
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Four factor = load_four_anywhere(column + 4 * lane);
  Four sums{};
  for (std::uint32_t token = blockIdx.x * kWarps + warp; token < tokens; token += gridDim.x * kWarps) {
    const Four gradient = load_four(dy + std::int64_t{token} * kChannels + 4 * lane);
    const float said = __ldg(message + token);
    float product = 0.f;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      product += gradient.v[e] * factor.v[e];
      sums.v[e] += gradient.v[e] * said;
    }
    product = warp_sum(product);
    if (lane == 0) d_message[token] = product;
  }
  store_four(&shared[warp][4 * lane], sums);
  __syncthreads();
  if (threadIdx.x >= kChannels) return;
  float sum = 0.f;
  for (int k = 0; k < kWarps; ++k) sum += shared[k][threadIdx.x];
  partials[blockIdx.x * kChannels + threadIdx.x] = sum;
}

int blocks_for(std::uint32_t tokens) {
  const auto wanted = static_cast<int>((tokens + kWarps - 1) / kWarps);
  return std::min(wanted, 4 * multiprocessors());
}

LinearFp32 linear_of(const void* in, const Message& args, void* out) {
  LinearFp32 linear;
  linear.depth = linear.width = kChannels;
  linear.in = floats(in);
  linear.weight = floats(args.weight);
  linear.out = static_cast<float*>(out);
  return linear;
}

}  // namespace

void merge_message_fp32(const Message& args, void* y, cudaStream_t stream) {
  LinearFp32 linear = linear_of(args.graph, args, y);
  linear.bias = floats(args.bias);
  linear.message = floats(args.message);
  linear.column = floats(args.column);
  linear_fp32(linear, TokenMap::in_a_row(args.tokens), stream);
}

std::int64_t merge_message_backward_floats_fp32(std::uint32_t tokens) {
  return std::int64_t{blocks_for(tokens)} * kChannels;
}

void merge_message_backward_fp32(const Message& args, const void* dy, float* workspace,
                                 const MessageGradients& gradients, cudaStream_t stream) {
  LinearFp32 linear = linear_of(dy, args, gradients.graph);
  linear.backward = true;
  linear_fp32(linear, TokenMap::in_a_row(args.tokens), stream);

  const int blocks = blocks_for(args.tokens);
  message_gradient_kernel<<<blocks, kWarps * 32, 0, stream>>>(
      floats(dy), floats(args.message), floats(args.column), static_cast<float*>(gradients.message),
      workspace, args.tokens);
  check_launch("message_gradient");
  finish_column<float>(workspace, blocks, gradients.column, stream);
}

}  // namespace causcale::cuda
