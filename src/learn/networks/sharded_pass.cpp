#include "learn/networks/sharded_pass.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "learn/autograd/message/message.h"
#include "learn/autograd/torch_compat.h"
#include "learn/networks/embedding.h"
#include "learn/networks/head.h"
#include "learn/networks/projection.h"
#include "learn/networks/reduction.h"
#include "learn/networks/sharded_layer.h"

namespace causcale {
namespace {

// Cells of the graph that the head looks at together.
constexpr std::int64_t kPairsAtATime = 65536;
const ExecutionOptions kPlain{.plain = true};

class Pass {
 public:
  Pass(const ModelParams& params, const ModelConfig& config, const ShardedInput& input,
       const ShardedPassOptions& options, Collectives& group)
      : params_(params),
        config_(config),
        input_(input),
        options_(options),
        group_(group),
        variables_{input.columns, group.size()},
        layer_{config, group, options.max_score_bytes},
        like_(params.embed_data.weight.options().requires_grad(false)),
        wide_(like_.dtype(wide_type(c10::typeMetaToScalarType(like_.dtype())))) {}

  at::Tensor run() {
    at::Tensor data = embedded_data();    // [m of this process, n, d]
    at::Tensor graph = embedded_graph();  // [n of this process, n, d]
    std::int64_t m = input_.rows;
    for (int b = 0; b < config_.blocks; ++b) {
      const BlockParams& block = params_.blocks[b];
      tell(static_cast<double>(b) / config_.blocks);
      // [n of this process, m, d]
      at::Tensor columns =
          axial_layer_sharded(block.data, std::move(data), m, config_.scale_data, false, layer_);
      const bool pools = config_.pools_after(b);
      data = switch_axes(pools ? columns : std::move(columns), input_.columns, group_);
      const at::Tensor message = message_of(block, pools ? std::move(data) : data.clone(), m);
      if (pools) {  // over whole lines of samples, so that groups are those of one process
        columns = pooled(std::move(columns), m);
        m = columns.size(1);
        data = switch_axes(std::move(columns), input_.columns, group_);
      }
      graph = autograd::merge_message(graph, message, block.fuse.weight, block.fuse.bias, /*fused=*/false);
      graph = axial_layer_sharded(block.graph, std::move(graph), input_.columns, config_.scale_graph, true,
                                  layer_);
      graph = switch_axes(std::move(graph), input_.columns, group_);
    }
    data.reset();
    tell(1.0);
    return collected(probabilities(final_norm(params_, graph)));
  }

 private:
  void tell(double share) const {
    if (options_.progress) options_.progress(share);
  }
  std::int64_t own() const { return variables_.size(group_.rank()); }
  std::int64_t first_own() const { return variables_.begin(group_.rank()); }

  // The own lines of a tensor that the first process has, `shape` the whole one's: sent part by part, so that
  // nobody else needs all of it.
  at::Tensor own_lines(const at::Tensor& whole, const std::vector<std::int64_t>& shape) const {
    const Shards lines{shape[0], group_.size()};
    at::Tensor mine;
    for (int part = 0; part < group_.size(); ++part) {
      std::vector<std::int64_t> extent = shape;
      extent[0] = lines.size(part);
      at::Tensor some = at::empty(extent, wide_);
      if (group_.rank() == 0) some.copy_(whole.narrow(0, lines.begin(part), lines.size(part)));
      if (some.numel() > 0) group_.broadcast(some);
      if (part == group_.rank()) mine = some;
    }
    return mine.unsqueeze(0);
  }

  at::Tensor embedded_data() const {
    const at::Tensor mine =
        own_lines(input_.data, {input_.rows, input_.columns, config_.channels.data_width()});
    return embed_data(params_, mine, {}, kPlain).squeeze(0);
  }
  at::Tensor embedded_graph() const {
    const std::int64_t n = input_.columns, P = config_.channels.pair_width();
    const at::Tensor prior = own_lines(input_.prior, {n, n});
    const at::Tensor pairs = P > 0 ? own_lines(input_.pairs, {n, n, P}) : at::Tensor();
    return embed_graph(params_, config_, prior, pairs, {}, kPlain).squeeze(0);
  }

  // What the samples say about the pairs of the own variables with all: [n of this process, n]. The data are
  // written over.
  at::Tensor message_of(const BlockParams& block, at::Tensor data, std::int64_t m) const {
    const at::Tensor side =
        axial_layer_sharded(block.data2graph, std::move(data), m, config_.scale_data2graph, false, layer_);
    at::Tensor pooled = at::zeros({input_.columns, side.size(2)}, wide_);
    if (own() > 0) pooled.narrow(0, first_own(), own()).copy_(side.mean(1));
    group_.sum(pooled);
    const at::Tensor means = pooled.to(like_.dtype());
    const at::Tensor u = project(block.u, means.narrow(0, first_own(), own()));
    return at::mm(u, project(block.v, means).t());
  }

  // columns [n of this process, m, d] -> [.., m / r, d], as one process does it.
  at::Tensor pooled(at::Tensor columns, std::int64_t m) const {
    if (config_.reduction_r == 1 || m < config_.reduction_r) return columns;
    if (columns.size(0) == 0) return columns.narrow(1, 0, m / config_.reduction_r).contiguous();
    autograd::GridSizes sizes;
    return reduce_samples(columns.transpose(0, 1).unsqueeze(0), config_, sizes, kPlain)
        .squeeze(0)
        .transpose(0, 1)
        .contiguous();
  }

  // graph [n of this process, n, d] -> probabilities of the own rows [1 + K, .., n].
  at::Tensor probabilities(const at::Tensor& graph) const {
    const std::int64_t n = input_.columns;
    at::Tensor result = at::zeros({1 + outputs(), own(), n}, wide_);
    const std::int64_t lines = std::max<std::int64_t>(1, kPairsAtATime / n);
    at::Tensor reverse;
    if (config_.head == HeadKind::kPairwise)
      reverse = switch_axes(graph, n, group_);  // (i, j) holds graph (j, i)
    for (std::int64_t begin = 0; begin < own(); begin += lines) {
      const std::int64_t count = std::min(lines, own() - begin);
      const at::Tensor there = graph.narrow(0, begin, count);
      at::Tensor out = result.narrow(1, begin, count);
      if (config_.head == HeadKind::kVanilla) {
        out[0].copy_(project(params_.head, there).squeeze(-1).to(wide_.dtype()).sigmoid());
        continue;
      }
      const at::Tensor back = reverse.narrow(0, begin, count);
      out.copy_(towards(there, back, first_own() + begin));
    }
    at::Tensor columns = at::arange(n, like_.dtype(at::kLong)).unsqueeze(0);
    at::Tensor rows = at::arange(first_own(), first_own() + own(), like_.dtype(at::kLong)).unsqueeze(1);
    return result.masked_fill_(columns.eq(rows), 0.0);
  }

  std::int64_t outputs() const { return static_cast<std::int64_t>(config_.outputs.size()); }

  // Of the cells (i, j), `row` the first i: that i acts on j, then the outputs, [1 + K, .., n]. Read as (i,
  // j) the class is the second, read as (j, i) the third.
  at::Tensor towards(const at::Tensor& there, const at::Tensor& back, std::int64_t row) const {
    const auto read = [&](const at::Tensor& first, const at::Tensor& second, std::int64_t which) {
      const at::Tensor logits = joined_logits(params_.head, at::cat({first, second}, -1)).to(wide_.dtype());
      std::vector<at::Tensor> said = {at::softmax(logits.narrow(-1, 0, 3), -1).select(-1, which)};
      for (std::int64_t k = 0; k < outputs(); ++k) said.push_back(logits.select(-1, 3 + k).sigmoid());
      return at::stack(said);
    };
    return with_feedback(one_reading_or_both(read(there, back, 1), read(back, there, 2), row));
  }

  at::Tensor with_feedback(at::Tensor said) const {
    const std::int64_t feedback = place_of(config_.outputs, PairOutput::kFeedback);
    if (feedback >= 0) said[0].copy_(edges_with_feedback(said[0], said[1 + feedback]));
    return said;
  }

  at::Tensor one_reading_or_both(const at::Tensor& forward, const at::Tensor& backward,
                                 std::int64_t row) const {
    if (options_.symmetrised) return (forward + backward) * 0.5;
    const at::Tensor columns = at::arange(input_.columns, like_.dtype(at::kLong)).unsqueeze(0);
    const at::Tensor rows = at::arange(row, row + forward.size(1), like_.dtype(at::kLong)).unsqueeze(1);
    return at::where(rows < columns, forward, backward);
  }

  at::Tensor collected(const at::Tensor& mine) const {
    at::Tensor whole;
    if (group_.rank() == 0)
      whole = at::empty({1 + outputs(), input_.columns, input_.columns}, wide_.device(at::kCPU));
    for (int part = 0; part < group_.size(); ++part) {
      if (variables_.size(part) == 0) continue;
      at::Tensor some = part == group_.rank()
                            ? mine.clone()
                            : at::zeros({1 + outputs(), variables_.size(part), input_.columns}, wide_);
      group_.sum(some);
      if (group_.rank() == 0) whole.narrow(1, variables_.begin(part), variables_.size(part)).copy_(some);
    }
    return whole;
  }

  const ModelParams& params_;
  const ModelConfig& config_;
  const ShardedInput& input_;
  const ShardedPassOptions& options_;
  Collectives& group_;
  const Shards variables_;
  const ShardedOptions layer_;
  const at::TensorOptions like_, wide_;  // type and device of the streams, and of sums over processes
};

}  // namespace

void require_shardable(const ModelConfig& config) {
  if (config.attention != AttentionKind::kTied || !config.use_graph_stream)
    throw UsageError(
        "--distributed: this model has no tied attention or no graph stream; it runs in one process");
}

at::Tensor pair_probabilities_sharded(const ModelParams& params, const ModelConfig& config,
                                      const ShardedInput& input, const ShardedPassOptions& options,
                                      Collectives& group) {
  require_shardable(config);
  const c10::InferenceMode inference;
  return Pass(params, config, input, options, group).run();
}

std::int64_t sharded_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n, int processes,
                           std::int64_t element_bytes, std::int64_t max_score_bytes) {
  const std::int64_t d = config.embed_dim;
  const std::int64_t own_rows = Shards{m, processes}.largest(),
                     own_variables = Shards{n, processes}.largest();
  const std::int64_t data = std::max(own_rows * n, own_variables * m) * d * element_bytes;
  const std::int64_t graph = own_variables * n * d * element_bytes;
  const std::int64_t longest = std::max(m, n);
  // Scores in single precision and their softmax; queries, keys, values, their planes and the result.
  std::int64_t scores = 2 * config.heads * longest * longest * static_cast<std::int64_t>(sizeof(float));
  std::int64_t heads = 6 * std::max(data, graph);
  if (max_score_bytes > 0) {
    scores = std::min(scores, 2 * max_score_bytes);
    heads = std::min(heads, std::max(max_score_bytes, heads / config.heads));
  }
  const std::int64_t input = own_variables * n * static_cast<std::int64_t>(sizeof(float));
  // A stream and its normed form; beside it the other stream, and of the data a copy for the message.
  return std::max(3 * data + graph, data + 2 * graph) + scores + heads + input;
}

}  // namespace causcale
