#include "model/embedding.h"

#include <ATen/ATen.h>

namespace causcale {
namespace {

at::Tensor normalise(const at::Tensor& x, const NormParams& norm) {
  return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, 1e-5);
}

// Whatever a caller left in the padding, NaN included, must not reach the network.
at::Tensor without_padding(const at::Tensor& x, const ops::GridSizes& sizes) {
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

at::Tensor embed_data(const ModelParams& params, const at::Tensor& data, const ops::GridSizes& sizes) {
  const at::Tensor values = without_padding(data, sizes).to(params.embed_data.weight.scalar_type());
  return normalise(at::linear(values, params.embed_data.weight, params.embed_data.bias),
                   params.embed_data_norm);
}

at::Tensor embed_graph(const ModelParams& params, const ModelConfig& config, const at::Tensor& prior,
                       const ops::GridSizes& sizes) {
  const at::Tensor values =
      config.use_prior ? without_padding(prior, sizes).to(params.embed_graph.weight.scalar_type())
                       : at::ones(prior.sizes(), params.embed_graph.weight.options().requires_grad(false));
  return normalise(at::linear(values.unsqueeze(-1), params.embed_graph.weight, params.embed_graph.bias),
                   params.embed_graph_norm);
}

at::Tensor final_norm(const ModelParams& params, const at::Tensor& graph) {
  return normalise(graph, params.final_norm);
}

}  // namespace causcale
