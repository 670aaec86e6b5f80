#include "learn/networks/embedding.h"

#include <ATen/ATen.h>

#include "learn/autograd/embedding/embedding.h"

namespace causcale {
namespace {

at::Tensor embed(const at::Tensor& values, const LinearParams& linear, const NormParams& norm,
                 const ExecutionOptions& execution) {
  return autograd::embed(values, {linear.weight, linear.bias, norm.weight, norm.bias},
                         fuses_outer_layers(execution));
}

// Whatever a caller left in the padding, NaN included, must not reach the network.
at::Tensor without_padding(const at::Tensor& x, const autograd::GridSizes& sizes) {
  if (!sizes.padded()) return x;
  at::Tensor clean = at::zeros_like(x);
  for (std::size_t b = 0; b < sizes.rows.size(); ++b)
    clean[b]
        .narrow(0, 0, sizes.rows[b])
        .narrow(1, 0, sizes.cols[b])
        .copy_(x[b].narrow(0, 0, sizes.rows[b]).narrow(1, 0, sizes.cols[b]));
  return clean;
}

}  // namespace

at::Tensor embed_data(const ModelParams& params, const at::Tensor& data, const autograd::GridSizes& sizes,
                      const ExecutionOptions& execution) {
  const at::Tensor values = without_padding(data, sizes).to(params.embed_data.weight.scalar_type());
  return embed(values, params.embed_data, params.embed_data_norm, execution);
}

at::Tensor embed_graph(const ModelParams& params, const ModelConfig& config, const at::Tensor& prior,
                       const at::Tensor& pairs, const autograd::GridSizes& sizes,
                       const ExecutionOptions& execution) {
  at::Tensor values = config.use_prior
                          ? without_padding(prior, sizes).to(params.embed_graph.weight.scalar_type())
                          : at::ones(prior.sizes(), params.embed_graph.weight.options().requires_grad(false));
  values = values.unsqueeze(-1);
  if (pairs.defined()) values = at::cat({values, without_padding(pairs, sizes).to(values.scalar_type())}, -1);
  return embed(values, params.embed_graph, params.embed_graph_norm, execution);
}

at::Tensor final_norm(const ModelParams& params, const at::Tensor& graph) {
  return at::layer_norm(graph, {graph.size(-1)}, params.final_norm.weight, params.final_norm.bias, 1e-5);
}

}  // namespace causcale
