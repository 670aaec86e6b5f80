#include "learn/networks/causcale.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "causcale/error.h"
#include "learn/autograd/torch_compat.h"
#include "learn/networks/avici.h"
#include "learn/networks/block.h"
#include "learn/networks/embedding.h"
#include "learn/networks/head.h"
#include "learn/networks/reduction.h"
#include "learn/networks/sea.h"
#include "learn/networks/side_stream.h"

namespace causcale {
namespace {

void check(const ModelParams& params, const ModelConfig& config, const ModelInput& input) {
  config.check();
  const std::size_t blocks = config.architecture == Architecture::kAvici ? params.avici.blocks.size()
                             : config.architecture == Architecture::kSea ? params.sea.blocks.size()
                                                                         : params.blocks.size();
  if (static_cast<int>(blocks) != config.blocks)
    throw Error(fmt::format("the configuration has {} blocks, the weights {}", config.blocks, blocks));
  if (input.data.dim() != 4 || input.data.size(3) != config.channels.data_width())
    throw Error(
        fmt::format("the network's data must be [B, m, n, {}]: standardised value, intervention flag, {}",
                    config.channels.data_width(), data_channel_names(config.channels)));
  const std::int64_t B = input.data.size(0), n = input.data.size(2);
  if (input.prior.sizes() != at::IntArrayRef({B, n, n})) throw Error("the network's prior must be [B, n, n]");
  const std::int64_t P = config.channels.pair_width();
  if (P > 0 ? !input.pairs.defined() || input.pairs.sizes() != at::IntArrayRef({B, n, n, P})
            : input.pairs.defined())
    throw Error(
        fmt::format("the network's pairs must be [B, n, n, {}]: {}", P, pair_channel_names(config.channels)));
  if (input.rows.size() != input.cols.size() ||
      (!input.rows.empty() && static_cast<std::int64_t>(input.rows.size()) != B))
    throw Error("a padded batch needs the true rows and cols of every data set");
}

bool logits_of_ordered_pairs(const ModelConfig& config) {
  return config.architecture == Architecture::kAvici || config.head == HeadKind::kVanilla;
}

}  // namespace

at::Tensor encode(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                  const Trace& trace, const ExecutionOptions& execution) {
  check(params, config, input);
  if (config.architecture == Architecture::kSea) return sea_encode(params, config, input, execution);
  autograd::GridSizes data_sizes{input.rows, input.cols};
  const autograd::GridSizes graph_sizes{input.cols, input.cols};

  at::Tensor data = embed_data(params, input.data, data_sizes, execution);  // [B, m, n, d]
  at::Tensor graph =
      embed_graph(params, config, input.prior, input.pairs, graph_sizes, execution);  // [B, n, n, d]
  note(trace, "embed_data", data);
  note(trace, "embed_graph", graph);
  // A recorded pass computes the graph stream beside later data layers.
  OverlappedWork overlap(execution.side, graph);
  for (int b = 0; b < config.blocks; ++b) {
    const BlockContext context{config, execution, trace, b};
    data = data_layer(params.blocks[b], std::move(data), data_sizes, context);  // [B, m_b, n, d]
    overlap.run(data, [&] {
      const at::Tensor message = data_to_graph(params.blocks[b], data, data_sizes, context);   // [B, n, n]
      graph = graph_layer(params.blocks[b], std::move(graph), message, graph_sizes, context);  // [B, n, n, d]
    });
    if (config.pools_after(b)) {
      data = reduce_samples(data, config, data_sizes, execution);  // [B, m_b / r, n, d]
      note(trace, fmt::format("block_{:02}_data_reduced", b), data);
    }
  }
  overlap.join();
  return final_norm(params, graph);  // [B, n, n, d]
}

at::Tensor pair_logits(const ModelParams& params, const ModelConfig& config, const at::Tensor& graph,
                       const ExecutionOptions& execution) {
  if (config.head == HeadKind::kVanilla) return vanilla_logits(params.head, graph);  // [B, n, n]
  return pairwise_logits(params.head, graph, PairReading::kForward,
                         fuses_outer_layers(execution));  // [B, n(n-1)/2, 3 + K]
}

at::Tensor edge_logits(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                       const ExecutionOptions& execution) {
  if (config.architecture == Architecture::kAvici) {
    check(params, config, input);
    return avici_logits(params.avici, config, input, execution);  // [B, n, n]
  }
  return pair_logits(params, config, encode(params, config, input, {}, execution), execution);
}

at::Tensor pair_probabilities(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                              bool symmetrised, const ExecutionOptions& execution) {
  const c10::InferenceMode inference;
  if (config.architecture == Architecture::kAvici)
    return mask_edges(ordered_probabilities(edge_logits(params, config, input, execution)), input.cols)
        .unsqueeze(1);
  const at::Tensor graph = encode(params, config, input, {}, execution);  // [B, n, n, d]
  if (config.head == HeadKind::kVanilla)
    return mask_edges(vanilla_probabilities(params.head, graph), input.cols).unsqueeze(1);
  return mask_edges(
      pairwise_probabilities(params.head, config.outputs, graph, symmetrised, fuses_outer_layers(execution)),
      input.cols);  // [B, 1 + K, n, n]
}

at::Tensor edge_probabilities(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                              bool symmetrised, const ExecutionOptions& execution) {
  return pair_probabilities(params, config, input, symmetrised, execution).select(1, 0);
}

at::Tensor pair_loss(const ModelConfig& config, const at::Tensor& logits, const at::Tensor& adjacency,
                     const ModelInput& input) {
  if (logits_of_ordered_pairs(config)) return vanilla_loss(logits, adjacency, input.cols);
  return pairwise_loss(logits, adjacency, input.cols);
}

at::Tensor output_losses(const at::Tensor& logits, const at::Tensor& labels, const ModelInput& input) {
  return output_losses(logits, labels, input.cols);
}

}  // namespace causcale
