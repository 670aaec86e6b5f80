#include "learn/networks/block.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "learn/autograd/message/message.h"
#include "learn/networks/projection.h"

namespace causcale {
namespace {

AxialOptions axial_options(const BlockContext& context, ScoreScaling scaling, bool of_pairs,
                           const char* layer) {
  return {context.config,    scaling,       of_pairs,
          context.execution, context.trace, fmt::format("step_{:02}_{}", context.index, layer)};
}

void note_result(const BlockContext& context, const char* stream, const at::Tensor& value) {
  note(context.trace, fmt::format("block_{:02}_{}", context.index, stream), value);
}

// Mean over the samples that exist: [B, m, n, d] -> [B, n, d].
at::Tensor mean_over_samples(const at::Tensor& x, const std::vector<std::int64_t>& rows) {
  if (rows.empty()) return x.mean(1);
  std::vector<at::Tensor> means;
  for (std::size_t b = 0; b < rows.size(); ++b) means.push_back(x[b].narrow(0, 0, rows[b]).mean(0));
  return at::stack(means);
}

}  // namespace

at::Tensor data_layer(const BlockParams& params, at::Tensor data, const autograd::GridSizes& sizes,
                      const BlockContext& context) {
  at::Tensor result = axial_layer(params.data, std::move(data), sizes,
                                  axial_options(context, context.config.scale_data, false, "data_layer"));
  note_result(context, "data", result);
  return result;
}

at::Tensor data_to_graph(const BlockParams& params, const at::Tensor& data, const autograd::GridSizes& sizes,
                         const BlockContext& context) {
  const at::Tensor side =
      axial_layer(params.data2graph, data, sizes,
                  axial_options(context, context.config.scale_data2graph, false, "data2graph_axial"));
  const at::Tensor pooled = mean_over_samples(side, sizes.rows);  // [B, n, d]
  const at::Tensor u = project(params.u, pooled);                 // [B, n, d]
  const at::Tensor v = project(params.v, pooled);                 // [B, n, d]
  note(context.trace, fmt::format("step_{:02}_pool_u", context.index), u);
  note(context.trace, fmt::format("step_{:02}_pool_v", context.index), v);
  at::Tensor message = at::bmm(u, v.transpose(1, 2));  // [B, n, n]
  note_result(context, "data2graph", message);
  return message;
}

at::Tensor graph_layer(const BlockParams& params, at::Tensor graph, const at::Tensor& message,
                       const autograd::GridSizes& sizes, const BlockContext& context) {
  graph = autograd::merge_message(graph, message, params.fuse.weight, params.fuse.bias,
                                  fuses_outer_layers(context.execution), context.execution.packed);
  note(context.trace, fmt::format("step_{:02}_fused_linear", context.index), graph);
  if (context.config.use_graph_stream)
    graph = axial_layer(params.graph, std::move(graph), sizes,
                        axial_options(context, context.config.scale_graph, true, "graph_layer"));
  note_result(context, "graph", graph);
  return graph;
}

}  // namespace causcale
