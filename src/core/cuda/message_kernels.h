// Launchers of the kernels of the message. Device pointers; everything bf16 or fp32 as `storage` says, but
// for the workspace, which is fp32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"

namespace causcale::cuda {

struct Message {
  const void* graph;    // rows [tokens, 128]
  const void* message;  // [tokens]
  const void* weight;   // [128, 128]; packed in bf16
  const void* column;   // [128]: what the message is multiplied with
  const void* bias;
  std::uint32_t tokens;
};

void merge_message(const Message& args, void* y, Storage storage, cudaStream_t stream);

// Gradients of graph, message and column; graph and bias of the arguments are not read. The gradients of
// weight and bias are a matter for weight_gradient.h.
struct MessageGradients {
  void* graph;
  void* message;
  void* column;
};
std::int64_t merge_message_backward_floats(std::uint32_t tokens, Storage storage);  // of the workspace
void merge_message_backward(const Message& args, const void* dy, float* workspace,
                            const MessageGradients& gradients, Storage storage, cudaStream_t stream);

// The same in fp32, which the functions above call.
void merge_message_fp32(const Message& args, void* y, cudaStream_t stream);
std::int64_t merge_message_backward_floats_fp32(std::uint32_t tokens);
void merge_message_backward_fp32(const Message& args, const void* dy, float* workspace,
                                 const MessageGradients& gradients, cudaStream_t stream);

}  // namespace causcale::cuda
