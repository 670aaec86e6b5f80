#include "learn/autograd/message/message_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>

#include "core/cuda/message_kernels.h"
#include "core/cuda/pack_weights.h"
#include "core/cuda/token_map.h"
#include "learn/autograd/cuda/context.h"
#include "learn/autograd/cuda/weight_gradient.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;
using cuda::kChannels;

// [129, 128]: the matrix, packed in bf16, then the column of the message. Rows of the weight itself are 129
// values long, which suits neither the packing nor any fast product.
Tensor pack(const Tensor& weight, cudaStream_t stream) {
  if (cuda::storage_of(weight) == cuda::Storage::kFloat)
    return at::cat({weight.narrow(1, 0, kChannels), weight.select(1, kChannels).unsqueeze(0)}, 0);
  const Tensor matrix = weight.narrow(1, 0, kChannels).contiguous();
  Tensor packed = at::empty({kChannels + 1, kChannels}, weight.options());
  packed.select(0, kChannels).copy_(weight.select(1, kChannels));
  cuda::pack_weights({matrix.data_ptr(), packed.data_ptr(), kChannels, kChannels, kChannels},
                     {nullptr, nullptr, 0, kChannels, kChannels}, stream);
  return packed;
}

cuda::Message arguments(const Tensor& graph, const Tensor& message, const Tensor& packed,
                        const Tensor& bias) {
  const void* column =
      static_cast<const char*>(packed.data_ptr()) + packed.element_size() * kChannels * kChannels;
  return {graph.data_ptr(), message.data_ptr(), packed.data_ptr(),
          column,           bias.data_ptr(),    static_cast<std::uint32_t>(message.numel())};
}

Tensor forward_pass(const Tensor& graph, const Tensor& message, const Tensor& packed, const Tensor& bias,
                    cudaStream_t stream) {
  Tensor y = at::empty_like(graph);
  cuda::merge_message(arguments(graph, message, packed, bias), y.data_ptr(), cuda::storage_of(graph), stream);
  return y;
}

class MessageFunction : public torch::autograd::Function<MessageFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& graph, const Tensor& message,
                        const Tensor& weight, const Tensor& bias) {
    const c10::DeviceGuard guard(graph.device());
    const cudaStream_t stream = cuda::current_context().stream;
    const Tensor packed = pack(weight, stream);
    ctx->save_for_backward({graph, message, bias, packed});
    return forward_pass(graph, message, packed, bias, stream);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const auto v = ctx->get_saved_variables();
    const Tensor &graph = v[0], &message = v[1], &bias = v[2], &packed = v[3];
    const c10::DeviceGuard guard(graph.device());
    const cudaStream_t stream = cuda::current_context().stream;
    const Tensor dy = outputs[0].contiguous();
    const cuda::Message args = arguments(graph, message, packed, bias);
    const auto floats = graph.options().dtype(at::kFloat);
    const Tensor d_graph = at::empty_like(graph), d_message = at::empty_like(message),
                 d_bias = at::empty_like(bias), d_column = at::empty({kChannels}, bias.options()),
                 d_matrix = at::empty({kChannels, kChannels}, bias.options());
    const cuda::Storage storage = cuda::storage_of(graph);
    const Tensor sums = at::empty({cuda::merge_message_backward_floats(args.tokens, storage)}, floats);
    cuda::merge_message_backward(args, dy.data_ptr(), sums.data_ptr<float>(),
                                 {d_graph.data_ptr(), d_message.data_ptr(), d_column.data_ptr()}, storage,
                                 stream);

    // To that kernel this is the second Linear of an FFN of width 128.
    const cuda::TokenMap map = cuda::TokenMap::in_a_row(args.tokens);
    const cuda::WeightGradient job{cuda::WeightGradient::Kind::kDown,
                                   static_cast<int>(kChannels),
                                   dy.data_ptr(),
                                   graph.data_ptr(),
                                   nullptr,
                                   nullptr,
                                   storage};
    const int parts = cuda::weight_gradient_parts(job, map);
    const Tensor workspace = at::empty({cuda::weight_gradient_floats(job, parts)}, floats);
    cuda::weight_gradient(job, map, workspace.data_ptr<float>(), parts, stream);
    cuda::FinishGradient finish{};
    finish.rows = job.rows();
    finish.cols = job.cols();
    finish.workspace = workspace.data_ptr<float>();
    finish.parts = parts;
    finish.storage = storage;
    finish.d_weight = d_matrix.data_ptr();
    finish.d_bias = d_bias.data_ptr();
    cuda::finish_weight_gradient(finish, stream);
    return {d_graph, d_message, at::cat({d_matrix, d_column.unsqueeze(1)}, 1), d_bias};
  }
};

}  // namespace

bool merge_message_cuda_supports(const Tensor& graph, const Tensor& message, const Tensor& weight,
                                 const Tensor& bias) {
  for (const Tensor& tensor : {message, weight, bias})
    if (tensor.scalar_type() != graph.scalar_type() || tensor.device() != graph.device()) return false;
  return graph.dim() > 0 && graph.size(-1) == kChannels && message.numel() * kChannels == graph.numel() &&
         graph.numel() > 0 && weight.sizes() == at::IntArrayRef({kChannels, kChannels + 1}) &&
         bias.numel() == kChannels && bias.is_contiguous() &&
         message.numel() < std::numeric_limits<std::int32_t>::max() / 2 && cuda::has_kernels(graph);
}

Tensor merge_message_cuda(const Tensor& graph, const Tensor& message, const Tensor& weight,
                          const Tensor& bias, PackedWeights* packed) {
  const Tensor cells = graph.contiguous(), said = message.contiguous();
  if (wants_gradient({graph, message, weight, bias}))
    return MessageFunction::apply(cells, said, weight, bias);
  const c10::DeviceGuard guard(graph.device());
  const cudaStream_t stream = cuda::current_context().stream;
  const Tensor ready =
      cuda::packed_weights(packed, weight, weight, stream, [&] { return pack(weight, stream); });
  return forward_pass(cells, said, ready, bias, stream);
}

}  // namespace causcale::autograd
