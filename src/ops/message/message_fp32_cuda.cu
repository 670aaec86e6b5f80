// The message in fp32. The products are the common kernel's; what is left are the gradients of the message
// and of the column that it is multiplied with, for which a warp takes a token at a time.
#include <algorithm>

#include "ops/cuda/check.h"
#include "ops/cuda/linear_fp32.h"
#include "ops/cuda/rows_fp32.cuh"
#include "ops/message/message_kernels.h"

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

__global__ __launch_bounds__(kChannels* kWarps) void add_partials_kernel(const float* partials, int blocks,
                                                                         float* column) {
  __shared__ float grouped[kWarps][kChannels];
  const int channel = threadIdx.x % kChannels, group = threadIdx.x / kChannels;
  float sum = 0.f;
  for (int b = group; b < blocks; b += kWarps) sum += partials[b * kChannels + channel];
  grouped[group][channel] = sum;
  __syncthreads();
  if (group != 0) return;
  for (int k = 1; k < kWarps; ++k) sum += grouped[k][channel];
  column[channel] = sum;
}

int blocks_for(std::uint32_t tokens) {
  const auto wanted = static_cast<int>((tokens + kWarps - 1) / kWarps);
  return std::min(wanted, 4 * multiprocessors());
}

LinearFp32 linear_of(const void* in, const Message& args, void* out) {
  LinearFp32 linear;
  linear.depth = linear.width = kChannels;
  linear.in = static_cast<const float*>(in);
  linear.weight = static_cast<const float*>(args.weight);
  linear.out = static_cast<float*>(out);
  return linear;
}

TokenMap map_of(const Message& args) {
  return TokenMap(1, args.tokens, 1, /*is_row_attention=*/false);
}

}  // namespace

void take_message_fp32(const Message& args, void* y, cudaStream_t stream) {
  LinearFp32 linear = linear_of(args.graph, args, y);
  linear.bias = static_cast<const float*>(args.bias);
  linear.message = static_cast<const float*>(args.message);
  linear.column = static_cast<const float*>(args.column);
  linear_fp32(linear, map_of(args), stream);
}

std::int64_t take_message_backward_floats_fp32(std::uint32_t tokens) {
  return std::int64_t{blocks_for(tokens)} * kChannels;
}

void take_message_backward_fp32(const Message& args, const void* dy, float* workspace,
                                const MessageGradients& gradients, cudaStream_t stream) {
  LinearFp32 linear = linear_of(dy, args, gradients.graph);
  linear.backward = true;
  linear_fp32(linear, map_of(args), stream);

  const int blocks = blocks_for(args.tokens);
  message_gradient_kernel<<<blocks, kWarps * 32, 0, stream>>>(
      static_cast<const float*>(dy), static_cast<const float*>(args.message),
      static_cast<const float*>(args.column), static_cast<float*>(gradients.message), workspace, args.tokens);
  check_launch("message_gradient");
  add_partials_kernel<<<1, kChannels * kWarps, 0, stream>>>(workspace, blocks,
                                                            static_cast<float*>(gradients.column));
  check_launch("add_partials");
}

}  // namespace causcale::cuda
