#include "learn/autograd/message/message.h"

#include <ATen/ATen.h>

#include "learn/autograd/message/message_cuda.h"

namespace causcale::autograd {

at::Tensor merge_message(const at::Tensor& graph, const at::Tensor& message, const at::Tensor& weight,
                         const at::Tensor& bias, bool fused, PackedWeights* packed) {
  if (fused && merge_message_cuda_supports(graph, message, weight, bias))
    return merge_message_cuda(graph, message, weight, bias, packed);
  return merge_message_plain(graph, message, weight, bias);
}

at::Tensor merge_message_plain(const at::Tensor& graph, const at::Tensor& message, const at::Tensor& weight,
                               const at::Tensor& bias) {
  const std::int64_t d = graph.size(-1);
  at::Tensor result = at::linear(graph, weight.narrow(1, 0, d), bias);
  return result.addcmul_(message.unsqueeze(-1), weight.select(1, d));
}

}  // namespace causcale::autograd
