#include "learn/autograd/line_attention/line_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;

double score_factor(const Tensor& q) {
  return 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
}

// A part of the work: some of the maps, and of these some of the queries against all keys.
struct Part {
  std::int64_t map, maps, query, queries;

  Tensor of_maps(const Tensor& x) const { return x.narrow(0, map, maps); }
  Tensor of_queries(const Tensor& x) const { return of_maps(x).narrow(1, query, queries); }
};

// x [N H, L, e]
void in_parts(const Tensor& x, std::int64_t max_score_bytes, const std::function<void(const Part&)>& work) {
  const std::int64_t maps = x.size(0), L = x.size(1);
  const std::int64_t line_bytes = L * static_cast<std::int64_t>(x.element_size());  // one query's scores
  const std::int64_t lines = max_score_bytes > 0 ? std::max<std::int64_t>(1, max_score_bytes / line_bytes)
                                                 : maps * std::max<std::int64_t>(1, L);
  const std::int64_t queries = std::min(L, lines), at_once = std::max<std::int64_t>(1, lines / L);
  for (std::int64_t map = 0; map < maps; map += at_once)
    for (std::int64_t query = 0; query < L; query += queries)
      work({map, std::min(at_once, maps - map), query, std::min(queries, L - query)});
}

Tensor attention_map(const Tensor& q, const Tensor& k, const Part& part, double factor) {
  return at::softmax(at::bmm(part.of_queries(q) * factor, part.of_maps(k).transpose(1, 2)), -1);
}

Tensor forward_pass(const Tensor& q, const Tensor& k, const Tensor& v, std::int64_t max_score_bytes) {
  Tensor result = at::empty_like(q);
  const double factor = score_factor(q);
  in_parts(q, max_score_bytes, [&](const Part& part) {
    part.of_queries(result).copy_(at::bmm(attention_map(q, k, part, factor), part.of_maps(v)));
  });
  return result;
}

// Keeps queries, keys, values and the result, and computes the maps again on the way back.
class LineAttention : public torch::autograd::Function<LineAttention> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& q, const Tensor& k,
                        const Tensor& v, std::int64_t max_score_bytes) {
    const Tensor result = forward_pass(q, k, v, max_score_bytes);
    ctx->saved_data["max_score_bytes"] = max_score_bytes;
    ctx->save_for_backward({q, k, v, result});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &q = saved[0], &k = saved[1], &v = saved[2], &result = saved[3];
    const Tensor slope = outputs[0].contiguous();
    // What softmax takes off every line: the sum of its weights times their slopes.
    const Tensor common = (slope * result).sum(-1, /*keepdim=*/true);
    const double factor = score_factor(q);
    Tensor dq = at::empty_like(q), dk = at::zeros_like(k), dv = at::zeros_like(v);
    in_parts(q, ctx->saved_data["max_score_bytes"].toInt(), [&](const Part& part) {
      const Tensor map = attention_map(q, k, part, factor), above = part.of_queries(slope);
      part.of_maps(dv).add_(at::bmm(map.transpose(1, 2), above));
      const Tensor scores =
          map * (at::bmm(above, part.of_maps(v).transpose(1, 2)) - part.of_queries(common)) * factor;
      part.of_queries(dq).copy_(at::bmm(scores, part.of_maps(k)));
      part.of_maps(dk).add_(at::bmm(scores.transpose(1, 2), part.of_queries(q)));
    });
    return {dq, dk, dv, Tensor()};
  }
};

#if TORCH_VERSION_MAJOR >= 2
// Kernels that never form the scores; they take no more lines at once than a grid of CUDA has places.
Tensor fused_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  constexpr std::int64_t kLines = 32768;
  if (q.size(0) <= kLines) return at::scaled_dot_product_attention(q, k, v);
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < q.size(0); begin += kLines) {
    const std::int64_t count = std::min(kLines, q.size(0) - begin);
    parts.push_back(at::scaled_dot_product_attention(q.narrow(0, begin, count), k.narrow(0, begin, count),
                                                     v.narrow(0, begin, count)));
  }
  return at::cat(parts);
}
#endif

}  // namespace

Tensor line_attention(const Tensor& q, const Tensor& k, const Tensor& v, std::int64_t max_score_bytes) {
#if TORCH_VERSION_MAJOR >= 2
  if (q.is_cuda()) return fused_attention(q, k, v);
#endif
  const auto flat = [](const Tensor& x) { return x.flatten(0, 1).contiguous(); };  // [N H, L, e]
  const Tensor result = wants_gradient({q, k, v})
                            ? LineAttention::apply(flat(q), flat(k), flat(v), max_score_bytes)
                            : forward_pass(flat(q), flat(k), flat(v), max_score_bytes);
  return result.view(q.sizes());
}

Tensor line_attention_plain(const Tensor& q, const Tensor& k, const Tensor& v) {
  return at::matmul(at::softmax(at::matmul(q, k.transpose(-1, -2)) * score_factor(q), -1), v);
}

}  // namespace causcale::autograd
