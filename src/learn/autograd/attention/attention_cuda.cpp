#include "learn/autograd/attention/attention_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "causcale/error.h"
#include "core/cuda/attention_kernels.h"
#include "core/cuda/batched_product.h"
#include "core/cuda/check.h"
#include "core/cuda/pack_weights.h"
#include "learn/autograd/cuda/context.h"
#include "learn/autograd/cuda/weight_gradient.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;
using cuda::kChannels;
using cuda::kHeads;
using cuda::Storage;

constexpr std::int64_t kHeadChannels = kChannels / kHeads;

struct Problem {
  std::int64_t batch, rows, cols;
  std::int64_t length, tied;  // of the mixed and of the tied axis
  std::int64_t stride;        // the mixed axis as stored: rounded up to a multiple of 8
  std::int64_t depth;         // channels of a head times tied length: the sum in a score
  std::int64_t max_score_bytes;
  Storage storage;     // of activations and weights
  std::int64_t bytes;  // of one value there
  float scale;
  cuda::TokenMap map;

  Problem(const Tensor& x, bool row_attention, bool scaled, double sharpness, std::int64_t max_bytes)
      : batch(x.size(0)),
        rows(x.size(1)),
        cols(x.size(2)),
        length(row_attention ? cols : rows),
        tied(row_attention ? rows : cols),
        stride(cuda::TokenMap::round_up(length)),
        depth(tied * kHeadChannels),
        max_score_bytes(max_bytes),
        storage(cuda::storage_of(x)),
        bytes(x.element_size()),
        scale((scaled ? 1.f / std::sqrt(static_cast<float>(depth)) : 1.f) * static_cast<float>(sharpness)),
        map(batch, rows, cols, row_attention) {}

  std::int64_t maps() const { return batch * kHeads; }  // attention maps
  std::int64_t plane_values() const { return stride * depth; }
  std::int64_t map_values() const { return stride * stride; }
  char* at_value(void* start, std::int64_t index) const { return static_cast<char*>(start) + index * bytes; }

  // A plane matrix [stride, depth] of every map from `map` on, rows from `row` on.
  cuda::BatchedMatrix planes(const void* data, std::int64_t first_map = 0, std::int64_t row = 0) const {
    return {static_cast<const char*>(data) + bytes * (first_map * plane_values() + row * depth), depth,
            plane_values()};
  }
};

// Padding rows of `count` planes must be zero where a product sums over them.
void clear_padding(const Problem& p, void* planes, std::int64_t count, cudaStream_t stream) {
  if (p.stride == p.length) return;
  cuda::check(cudaMemset2DAsync(p.at_value(planes, p.length * p.depth), p.bytes * p.plane_values(), 0,
                                p.bytes * (p.stride - p.length) * p.depth, count, stream),
              "cudaMemset2DAsync");
}

cuda::BatchedMatrix transposed(cuda::BatchedMatrix matrix) {
  matrix.transposed = true;
  return matrix;
}

// Values kept for the backward pass.
struct Saved {
  Tensor packed;  // both weights, for the bf16 kernels
  Tensor mean, rstd;
  Tensor stack;          // q, k, v planes
  Tensor probabilities;  // [maps, stride, stride]
  Tensor mixed_values;   // planes after attention
};

// How many maps and how many queries of each are worked on at a time.
struct Chunks {
  std::int64_t maps, queries;
  Chunks(const Problem& p, std::int64_t bytes_per_score, bool whole_maps)
      : maps(p.maps()), queries(p.stride) {
    const std::int64_t row_bytes = p.stride * bytes_per_score, map_bytes = row_bytes * p.stride;
    if (p.max_score_bytes <= 0 || map_bytes * maps <= p.max_score_bytes) return;
    maps = std::max<std::int64_t>(1, p.max_score_bytes / map_bytes);
    if (map_bytes <= p.max_score_bytes || whole_maps) return;
    constexpr std::int64_t kQueryTile = 128;
    queries =
        std::min(p.stride, std::max(kQueryTile, p.max_score_bytes / row_bytes / kQueryTile * kQueryTile));
  }
};

// softmax(scale q k^T) v for all maps. `probabilities` holds everything (kept for backward) or one chunk.
void mix(const Problem& p, const Tensor& stack, const Tensor& mixed_values, const Tensor& probabilities,
         const Chunks& chunks, const cuda::Context& context) {
  const bool keep = probabilities.size(0) == p.maps() && probabilities.size(1) == p.stride;
  const bool in_place = p.storage == Storage::kFloat;  // probabilities take the place of their scores
  Tensor scores;
  if (!in_place)
    scores = at::empty({chunks.maps, chunks.queries, p.stride}, stack.options().dtype(at::kFloat));
  for (std::int64_t map = 0; map < p.maps(); map += chunks.maps) {
    const std::int64_t maps = std::min(chunks.maps, p.maps() - map);
    for (std::int64_t query = 0; query < p.stride; query += chunks.queries) {
      const std::int64_t queries = std::min(chunks.queries, p.stride - query);
      const std::int64_t real_queries = std::min(queries, p.length - query);
      void* weights = p.at_value(probabilities.data_ptr(), keep ? map * p.map_values() : 0);
      auto* raw = static_cast<float*>(in_place ? weights : scores.data_ptr());
      const auto q = p.planes(stack.data_ptr(), map, query), k = p.planes(stack.data_ptr(), p.maps() + map),
                 v = p.planes(stack.data_ptr(), 2 * p.maps() + map);
      cuda::multiply(context.blas, {q, transposed(k), raw, p.stride, queries * p.stride, p.storage,
                                    Storage::kFloat, queries, p.stride, p.depth, maps});
      cuda::softmax(raw, weights, {maps, queries, real_queries, p.length, p.stride}, p.scale, p.storage,
                    context.stream);
      cuda::multiply(context.blas,
                     {{weights, p.stride, queries * p.stride},
                      v,
                      p.at_value(mixed_values.data_ptr(), map * p.plane_values() + query * p.depth),
                      p.depth,
                      p.plane_values(),
                      p.storage,
                      p.storage,
                      queries,
                      p.depth,
                      p.stride,
                      maps});
    }
  }
}

void check_weights(const Tensor& x, const AttentionWeights& w) {
  for (const Tensor& weight :
       {w.norm_weight, w.norm_bias, w.qkv_weight, w.qkv_bias, w.out_weight, w.out_bias}) {
    if (weight.scalar_type() != x.scalar_type() || weight.device() != x.device() || !weight.is_contiguous()) {
      throw Error("attention: the weights must be contiguous and of the type and on the device of the input");
    }
  }
}

void* packed_out(const Tensor& packed) {
  return static_cast<char*>(packed.data_ptr()) + 3 * kChannels * kChannels * packed.element_size();
}

Tensor pack(const AttentionWeights& w, cudaStream_t stream) {
  const Tensor packed = at::empty({4 * kChannels, kChannels}, w.qkv_weight.options());
  cuda::pack_weights({w.qkv_weight.data_ptr(), packed.data_ptr(), 3 * kChannels, kChannels, kChannels},
                     {w.out_weight.data_ptr(), packed_out(packed), kChannels, kChannels, kChannels}, stream);
  return packed;
}

// Both matrices as the kernels want them: packed in bf16, as they are in fp32.
struct Matrices {
  const void* qkv;
  const void* out;
  Matrices(const Problem& p, const AttentionWeights& w, const Tensor& packed)
      : qkv(p.storage == Storage::kBf16 ? packed.data_ptr() : w.qkv_weight.data_ptr()),
        out(p.storage == Storage::kBf16 ? packed_out(packed) : w.out_weight.data_ptr()) {}
};

// `saved` null: no derivative is wanted, so values of attention take the place of the queries that made them.
Tensor forward_pass(const Problem& p, const Tensor& x, const AttentionWeights& w, PackedWeights* cache,
                    Saved* saved) {
  check_weights(x, w);
  const cuda::Context context = cuda::current_context();
  const auto floats = x.options().dtype(at::kFloat);
  const Tensor packed = p.storage == Storage::kFloat
                            ? at::empty({0}, floats)
                            : cuda::packed_weights(cache, w.qkv_weight, w.out_weight, context.stream,
                                                   [&] { return pack(w, context.stream); });
  const Matrices matrices(p, w, packed);

  const Tensor stack = at::empty({3, p.batch, kHeads, p.stride, p.tied, kHeadChannels}, x.options());
  clear_padding(p, stack.data_ptr(), 3 * p.maps(), context.stream);
  Tensor mean, rstd;
  if (saved != nullptr) {
    mean = at::empty({p.batch * p.rows * p.cols}, floats);
    rstd = at::empty_like(mean);
  }
  cuda::project_qkv(
      {x.data_ptr(), w.norm_weight.data_ptr(), w.norm_bias.data_ptr(), matrices.qkv, w.qkv_bias.data_ptr(),
       stack.data_ptr(), saved ? mean.data_ptr<float>() : nullptr, saved ? rstd.data_ptr<float>() : nullptr},
      p.map, p.storage, context.stream);

  const Tensor mixed_values = saved != nullptr ? at::empty_like(stack[0]) : stack[0];
  const bool keep = saved != nullptr;
  const Chunks chunks(p, p.storage == Storage::kFloat ? sizeof(float) : sizeof(float) + p.bytes, keep);
  const Tensor probabilities =
      at::empty({keep ? p.maps() : chunks.maps, keep ? p.stride : chunks.queries, p.stride}, x.options());
  mix(p, stack, mixed_values, probabilities, chunks, context);

  Tensor y = at::empty_like(x);
  cuda::project_out(
      {mixed_values.data_ptr(), matrices.out, w.out_bias.data_ptr(), x.data_ptr(), y.data_ptr()}, p.map,
      p.storage, context.stream);
  if (saved != nullptr) *saved = {packed, mean, rstd, stack, probabilities, mixed_values};
  return y;
}

struct Gradients {
  Tensor x, norm_weight, norm_bias, qkv_weight, qkv_bias, out_weight, out_bias;
};

void out_weight_gradient(const Problem& p, const Tensor& dy, const Saved& saved, Gradients& gradients,
                         cudaStream_t stream) {
  const cuda::WeightGradient job{cuda::WeightGradient::Kind::kOut,
                                 0,
                                 dy.data_ptr(),
                                 saved.mixed_values.data_ptr(),
                                 nullptr,
                                 nullptr,
                                 p.storage};
  const int parts = cuda::weight_gradient_parts(job, p.map);
  const Tensor workspace =
      at::empty({cuda::weight_gradient_floats(job, parts)}, dy.options().dtype(at::kFloat));
  cuda::weight_gradient(job, p.map, workspace.data_ptr<float>(), parts, stream);
  cuda::finish_weight_gradient(
      {job.rows(), job.cols(), workspace.data_ptr<float>(), parts, gradients.out_weight.data_ptr(),
       gradients.out_bias.data_ptr(), nullptr, nullptr, nullptr, nullptr, nullptr, p.storage},
      stream);
}

void qkv_weight_gradient(const Problem& p, const Tensor& d_stack, const Tensor& x, const AttentionWeights& w,
                         const Saved& saved, Gradients& gradients, cudaStream_t stream) {
  const cuda::WeightGradient job{cuda::WeightGradient::Kind::kQkv,
                                 0,
                                 d_stack.data_ptr(),
                                 x.data_ptr(),
                                 saved.mean.data_ptr<float>(),
                                 saved.rstd.data_ptr<float>(),
                                 p.storage};
  const int parts = cuda::weight_gradient_parts(job, p.map);
  const Tensor workspace =
      at::empty({cuda::weight_gradient_floats(job, parts)}, x.options().dtype(at::kFloat));
  cuda::weight_gradient(job, p.map, workspace.data_ptr<float>(), parts, stream);
  cuda::finish_weight_gradient(
      {job.rows(), job.cols(), workspace.data_ptr<float>(), parts, gradients.qkv_weight.data_ptr(),
       gradients.qkv_bias.data_ptr(), w.qkv_weight.data_ptr(), w.norm_weight.data_ptr(),
       w.norm_bias.data_ptr(), gradients.norm_weight.data_ptr(), gradients.norm_bias.data_ptr(), p.storage},
      stream);
}

Gradients backward_pass(const Problem& p, const Tensor& dy, const Tensor& x, const AttentionWeights& w,
                        const Saved& saved) {
  const cuda::Context context = cuda::current_context();
  Gradients gradients{at::empty_like(x),           at::empty_like(w.norm_weight),
                      at::empty_like(w.norm_bias), at::empty_like(w.qkv_weight),
                      at::empty_like(w.qkv_bias),  at::empty_like(w.out_weight),
                      at::empty_like(w.out_bias)};
  const Matrices matrices(p, w, saved.packed);
  const Tensor d_mixed = at::empty_like(saved.mixed_values);
  clear_padding(p, d_mixed.data_ptr(), p.maps(), context.stream);
  cuda::project_out_backward(dy.data_ptr(), matrices.out, d_mixed.data_ptr(), p.map, p.storage,
                             context.stream);
  out_weight_gradient(p, dy, saved, gradients, context.stream);

  const Tensor d_stack = at::empty_like(saved.stack), d_scores = at::empty_like(saved.probabilities);
  const std::int64_t maps = p.maps(), stack_values = maps * p.plane_values();
  const auto q = p.planes(saved.stack.data_ptr()), k = p.planes(saved.stack.data_ptr(), maps),
             v = p.planes(saved.stack.data_ptr(), 2 * maps), d_out = p.planes(d_mixed.data_ptr());
  const cuda::BatchedMatrix weights{saved.probabilities.data_ptr(), p.stride, p.map_values()};
  const cuda::BatchedMatrix ds{d_scores.data_ptr(), p.stride, p.map_values()};
  const auto into_planes = [&](const cuda::BatchedMatrix& left, const cuda::BatchedMatrix& right, int part) {
    cuda::multiply(context.blas, {left, right, p.at_value(d_stack.data_ptr(), part * stack_values), p.depth,
                                  p.plane_values(), p.storage, p.storage, p.stride, p.depth, p.stride, maps});
  };
  into_planes(transposed(weights), d_out, 2);  // dv
  cuda::multiply(context.blas, {d_out, transposed(v), d_scores.data_ptr(), p.stride, p.map_values(),
                                p.storage, p.storage, p.stride, p.stride, p.depth, maps});
  cuda::softmax_backward(weights.data, d_scores.data_ptr(), {maps, p.stride, p.length, p.length, p.stride},
                         p.scale, p.storage, context.stream);
  into_planes(ds, k, 0);              // dq
  into_planes(transposed(ds), q, 1);  // dk

  cuda::project_qkv_backward(
      {d_stack.data_ptr(), matrices.qkv, w.norm_weight.data_ptr(), x.data_ptr(), dy.data_ptr(),
       saved.mean.data_ptr<float>(), saved.rstd.data_ptr<float>(), gradients.x.data_ptr()},
      p.map, p.storage, context.stream);
  qkv_weight_gradient(p, d_stack, x, w, saved, gradients, context.stream);
  return gradients;
}

class AttentionFunction : public torch::autograd::Function<AttentionFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const Tensor& norm_weight,
                        const Tensor& norm_bias, const Tensor& qkv_weight, const Tensor& qkv_bias,
                        const Tensor& out_weight, const Tensor& out_bias, bool row_attention, bool scaled,
                        double sharpness, std::int64_t max_score_bytes) {
    const c10::DeviceGuard guard(x.device());
    Saved s;
    Tensor y =
        forward_pass(Problem(x, row_attention, scaled, sharpness, max_score_bytes), x,
                     {norm_weight, norm_bias, qkv_weight, qkv_bias, out_weight, out_bias}, nullptr, &s);
    ctx->save_for_backward({x, norm_weight, norm_bias, qkv_weight, qkv_bias, out_weight, out_bias, s.packed,
                            s.mean, s.rstd, s.stack, s.probabilities, s.mixed_values});
    ctx->saved_data["row_attention"] = row_attention;
    ctx->saved_data["scaled"] = scaled;
    ctx->saved_data["sharpness"] = sharpness;
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const auto v = ctx->get_saved_variables();
    const Tensor& x = v[0];
    const c10::DeviceGuard guard(x.device());
    const Problem problem(x, ctx->saved_data["row_attention"].toBool(), ctx->saved_data["scaled"].toBool(),
                          ctx->saved_data["sharpness"].toDouble(), 0);
    const Gradients g =
        backward_pass(problem, outputs[0].contiguous(), x, {v[1], v[2], v[3], v[4], v[5], v[6]},
                      {v[7], v[8], v[9], v[10], v[11], v[12]});
    return {g.x,        g.norm_weight, g.norm_bias, g.qkv_weight, g.qkv_bias, g.out_weight,
            g.out_bias, Tensor(),      Tensor(),    Tensor(),     Tensor()};
  }
};

}  // namespace

bool attention_cuda_supports(const Tensor& x, const AttentionOptions& options, const GridSizes& sizes) {
  return x.dim() == 4 && x.size(3) == kChannels && options.heads == kHeads && options.tied &&
         !sizes.padded() && x.numel() > 0 &&
         x.numel() / kChannels < std::numeric_limits<std::int32_t>::max() / 8 && cuda::has_kernels(x);
}

Tensor attention_cuda(const Tensor& x, const AttentionWeights& weights, const AttentionOptions& options) {
  const Tensor input = x.contiguous();
  const bool row_attention = options.axis == Axis::kRow;
  if (!wants_gradient({x, weights.norm_weight, weights.norm_bias, weights.qkv_weight, weights.qkv_bias,
                       weights.out_weight, weights.out_bias})) {
    const c10::DeviceGuard guard(x.device());
    return forward_pass(
        Problem(input, row_attention, options.scaled, options.sharpness, options.max_score_bytes), input,
        weights, options.packed, nullptr);
  }
  return AttentionFunction::apply(input, weights.norm_weight, weights.norm_bias, weights.qkv_weight,
                                  weights.qkv_bias, weights.out_weight, weights.out_bias, row_attention,
                                  options.scaled, options.sharpness, options.max_score_bytes);
}

}  // namespace causcale::autograd
