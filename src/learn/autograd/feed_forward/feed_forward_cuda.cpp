#include "learn/autograd/feed_forward/feed_forward_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>

#include "causcale/error.h"
#include "core/cuda/feed_forward_kernels.h"
#include "core/cuda/pack_weights.h"
#include "learn/autograd/cuda/context.h"
#include "learn/autograd/cuda/weight_gradient.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;
using cuda::kChannels;
using cuda::Storage;

// In fp32 the hidden layer lies in memory; this many bytes of it exist at a time, most of which stay in the
// cache.
constexpr std::int64_t kHiddenBytes = std::int64_t{32} << 20;

struct Saved {
  Tensor packed;  // both weights, for the bf16 kernels
  Tensor mean, rstd;
};

void* packed_down(const Tensor& packed) {
  return static_cast<char*>(packed.data_ptr()) + packed.numel() / 2 * packed.element_size();
}

void check_weights(const Tensor& x, const FeedForwardWeights& w) {
  for (const Tensor& weight :
       {w.norm_weight, w.norm_bias, w.up_weight, w.up_bias, w.down_weight, w.down_bias}) {
    if (weight.scalar_type() != x.scalar_type() || weight.device() != x.device() || !weight.is_contiguous()) {
      throw Error(
          "feed_forward: the weights must be contiguous and of the type and on the device of the input");
    }
  }
}

Tensor pack(const FeedForwardWeights& w, cudaStream_t stream) {
  const int width = static_cast<int>(w.up_weight.size(0));
  const Tensor packed = at::empty({2, width, kChannels}, w.up_weight.options());
  cuda::pack_weights({w.up_weight.data_ptr(), packed.data_ptr(), width, kChannels, cuda::kHiddenChunk},
                     {w.down_weight.data_ptr(), packed_down(packed), kChannels, width, kChannels}, stream);
  return packed;
}

// Both matrices as the kernels want them: packed in bf16, as they are in fp32.
struct Matrices {
  const void* up;
  const void* down;
  Matrices(const FeedForwardWeights& w, const Tensor& packed)
      : up(cuda::storage_of(packed) == Storage::kBf16 ? packed.data_ptr() : w.up_weight.data_ptr()),
        down(cuda::storage_of(packed) == Storage::kBf16 ? packed_down(packed) : w.down_weight.data_ptr()) {}
};

Tensor forward_pass(const Tensor& x, const FeedForwardWeights& w, PackedWeights* cache, Saved* saved) {
  check_weights(x, w);
  const cuda::Context context = cuda::current_context();
  const int width = static_cast<int>(w.up_weight.size(0));
  const auto tokens = static_cast<std::uint32_t>(x.numel() / kChannels);
  const bool fp32 = cuda::storage_of(x) == Storage::kFloat;
  const Tensor packed = fp32 ? at::empty({0}, x.options())
                             : cuda::packed_weights(cache, w.up_weight, w.down_weight, context.stream,
                                                    [&] { return pack(w, context.stream); });
  const Matrices matrices(w, packed);
  Tensor hidden;
  if (fp32) {
    const std::int64_t at_a_time = kHiddenBytes / (width * x.element_size());
    hidden = at::empty({std::min<std::int64_t>(tokens, at_a_time), width}, x.options());
  }
  Tensor mean, rstd;
  if (saved != nullptr) {
    mean = at::empty({tokens}, x.options().dtype(at::kFloat));
    rstd = at::empty_like(mean);
    *saved = {packed, mean, rstd};
  }
  Tensor y = at::empty_like(x);
  cuda::feed_forward(
      {x.data_ptr(), w.norm_weight.data_ptr(), w.norm_bias.data_ptr(), matrices.up, w.up_bias.data_ptr(),
       matrices.down, w.down_bias.data_ptr(), y.data_ptr(), saved ? mean.data_ptr<float>() : nullptr,
       saved ? rstd.data_ptr<float>() : nullptr, tokens, width, fp32 ? hidden.data_ptr<float>() : nullptr,
       fp32 ? static_cast<std::uint32_t>(hidden.size(0)) : 0},
      cuda::storage_of(x), context.stream);
  return y;
}

struct Gradients {
  Tensor x, norm_weight, norm_bias, up_weight, up_bias, down_weight, down_bias;
};

Gradients backward_pass(const Tensor& dy, const Tensor& x, const FeedForwardWeights& w, const Saved& saved) {
  const cuda::Context context = cuda::current_context();
  const int width = static_cast<int>(w.up_weight.size(0));
  const auto tokens = static_cast<std::uint32_t>(x.numel() / kChannels);
  Gradients gradients{at::empty_like(x),           at::empty_like(w.norm_weight),
                      at::empty_like(w.norm_bias), at::empty_like(w.up_weight),
                      at::empty_like(w.up_bias),   at::empty_like(w.down_weight),
                      at::empty_like(w.down_bias)};
  const Tensor activation = at::empty({tokens, width}, x.options());
  const Tensor d_hidden = at::empty_like(activation);
  const Matrices matrices(w, saved.packed);
  cuda::feed_forward_backward(
      {x.data_ptr(), dy.data_ptr(), w.norm_weight.data_ptr(), w.norm_bias.data_ptr(), matrices.up,
       w.up_bias.data_ptr(), matrices.down, saved.mean.data_ptr<float>(), saved.rstd.data_ptr<float>(),
       activation.data_ptr(), d_hidden.data_ptr(), gradients.x.data_ptr(), tokens, width},
      cuda::storage_of(x), context.stream);

  using Kind = cuda::WeightGradient::Kind;
  const cuda::TokenMap map = cuda::TokenMap::in_a_row(tokens);
  const cuda::WeightGradient up{Kind::kUp,
                                width,
                                d_hidden.data_ptr(),
                                x.data_ptr(),
                                saved.mean.data_ptr<float>(),
                                saved.rstd.data_ptr<float>(),
                                cuda::storage_of(x)};
  const cuda::WeightGradient down{Kind::kDown, width,   dy.data_ptr(),      activation.data_ptr(),
                                  nullptr,     nullptr, cuda::storage_of(x)};
  for (const cuda::WeightGradient& job : {up, down}) {
    const int parts = cuda::weight_gradient_parts(job, map);
    const Tensor workspace =
        at::empty({cuda::weight_gradient_floats(job, parts)}, x.options().dtype(at::kFloat));
    cuda::weight_gradient(job, map, workspace.data_ptr<float>(), parts, context.stream);
    cuda::FinishGradient finish{};
    finish.rows = job.rows();
    finish.cols = job.cols();
    finish.workspace = workspace.data_ptr<float>();
    finish.parts = parts;
    finish.storage = cuda::storage_of(x);
    if (job.kind == Kind::kUp) {
      finish.d_weight = gradients.up_weight.data_ptr();
      finish.d_bias = gradients.up_bias.data_ptr();
      finish.weight = w.up_weight.data_ptr();
      finish.norm_weight = w.norm_weight.data_ptr();
      finish.norm_bias = w.norm_bias.data_ptr();
      finish.d_norm_weight = gradients.norm_weight.data_ptr();
      finish.d_norm_bias = gradients.norm_bias.data_ptr();
    } else {
      finish.d_weight = gradients.down_weight.data_ptr();
      finish.d_bias = gradients.down_bias.data_ptr();
    }
    cuda::finish_weight_gradient(finish, context.stream);
  }
  return gradients;
}

class FeedForwardFunction : public torch::autograd::Function<FeedForwardFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const Tensor& norm_weight,
                        const Tensor& norm_bias, const Tensor& up_weight, const Tensor& up_bias,
                        const Tensor& down_weight, const Tensor& down_bias) {
    const c10::DeviceGuard guard(x.device());
    Saved saved;
    Tensor y = forward_pass(x, {norm_weight, norm_bias, up_weight, up_bias, down_weight, down_bias}, nullptr,
                            &saved);
    ctx->save_for_backward({x, norm_weight, norm_bias, up_weight, up_bias, down_weight, down_bias,
                            saved.packed, saved.mean, saved.rstd});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const auto v = ctx->get_saved_variables();
    const c10::DeviceGuard guard(v[0].device());
    const Gradients g = backward_pass(outputs[0].contiguous(), v[0], {v[1], v[2], v[3], v[4], v[5], v[6]},
                                      {v[7], v[8], v[9]});
    return {g.x, g.norm_weight, g.norm_bias, g.up_weight, g.up_bias, g.down_weight, g.down_bias};
  }
};

}  // namespace

bool feed_forward_cuda_supports(const Tensor& x, const FeedForwardWeights& weights) {
  const std::int64_t width = weights.up_weight.size(0);
  return x.size(-1) == kChannels && (width == 128 || width % 256 == 0) && width <= 1024 && x.numel() > 0 &&
         x.numel() / kChannels < std::numeric_limits<std::int32_t>::max() && cuda::has_kernels(x);
}

Tensor feed_forward_cuda(const Tensor& x, const FeedForwardWeights& w, PackedWeights* packed) {
  const Tensor input = x.contiguous();
  if (!wants_gradient({x, w.norm_weight, w.norm_bias, w.up_weight, w.up_bias, w.down_weight, w.down_bias})) {
    const c10::DeviceGuard guard(x.device());
    return forward_pass(input, w, packed, nullptr);
  }
  return FeedForwardFunction::apply(input, w.norm_weight, w.norm_bias, w.up_weight, w.up_bias, w.down_weight,
                                    w.down_bias);
}

}  // namespace causcale::autograd
