// The graph stream takes the data's message in: a Linear of its channels and the message as one more.
#pragma once

#include <ATen/core/Tensor.h>

#include "learn/autograd/cuda/packed_weights.h"

namespace causcale::autograd {

// graph [..., d], message [...], weight [d, d + 1], bias [d] -> [..., d]. With `fused` the CUDA kernels where
// there are some (bf16 or fp32, d = 128), else the plain composition. `packed` as for feed_forward.
at::Tensor merge_message(const at::Tensor& graph, const at::Tensor& message, const at::Tensor& weight,
                         const at::Tensor& bias, bool fused, PackedWeights* packed = nullptr);

// The plain libtorch composition, without building the wider tensor.
at::Tensor merge_message_plain(const at::Tensor& graph, const at::Tensor& message, const at::Tensor& weight,
                               const at::Tensor& bias);

}  // namespace causcale::autograd
