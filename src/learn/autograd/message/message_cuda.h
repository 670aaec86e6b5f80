// The message taken in by fused CUDA kernels: bf16 or fp32, 128 channels.
#pragma once

#include "learn/autograd/message/message.h"

namespace causcale::autograd {

bool merge_message_cuda_supports(const at::Tensor& graph, const at::Tensor& message, const at::Tensor& weight,
                                 const at::Tensor& bias);

// Same meaning as merge_message(); differentiable.
at::Tensor merge_message_cuda(const at::Tensor& graph, const at::Tensor& message, const at::Tensor& weight,
                              const at::Tensor& bias, PackedWeights* packed = nullptr);

}  // namespace causcale::autograd
