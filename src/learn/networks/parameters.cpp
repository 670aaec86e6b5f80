#include "learn/networks/parameters.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "causcale/error.h"
#include "learn/networks/subset_estimates.h"

namespace causcale {
namespace {

// Few pairs are edges, and the first guess says so.
constexpr double kAviciBias = -3.0, kAviciTemperature = 2.0;

// Feedback and hidden causes are rare, too.
constexpr double kFirstOutput = 0.02;

using Visitor = std::function<void(const std::string&, at::Tensor&)>;

// Walks the structs, building each tensor's name on the way.
struct Walk {
  const Visitor& visitor;

  void operator()(const std::string& name, at::Tensor& tensor) const {
    if (tensor.defined()) visitor(name, tensor);
  }
  void operator()(const std::string& name, LinearParams& linear) const {
    (*this)(name + ".weight", linear.weight);
    (*this)(name + ".bias", linear.bias);
  }
  void operator()(const std::string& name, NormParams& norm) const {
    (*this)(name + ".weight", norm.weight);
    (*this)(name + ".bias", norm.bias);
  }
  void operator()(const std::string& name, AttentionParams& attention) const {
    (*this)(name + ".norm", attention.norm);
    (*this)(name + ".qkv", attention.qkv);
    (*this)(name + ".out", attention.out);
  }
  void operator()(const std::string& name, FeedForwardParams& feed_forward) const {
    (*this)(name + ".norm", feed_forward.norm);
    (*this)(name + ".up", feed_forward.up);
    (*this)(name + ".down", feed_forward.down);
  }
  void operator()(const std::string& name, AxialParams& axial) const {
    (*this)(name + ".row", axial.row);
    (*this)(name + ".column", axial.column);
    (*this)(name + ".feed_forward", axial.feed_forward);
  }
  void operator()(const std::string& name, ProjectionParams& projection) const {
    (*this)(name + ".first", projection.first);
    (*this)(name + ".norm", projection.norm);
    (*this)(name + ".second", projection.second);
  }
  void operator()(const std::string& name, BlockParams& block) const {
    (*this)(name + ".data", block.data);
    (*this)(name + ".data2graph", block.data2graph);
    (*this)(name + ".u", block.u);
    (*this)(name + ".v", block.v);
    (*this)(name + ".fuse", block.fuse);
    (*this)(name + ".graph", block.graph);
  }
  void operator()(const std::string& name, AviciParams& avici) const {
    (*this)(name + ".embed", avici.embed);
    for (std::size_t b = 0; b < avici.blocks.size(); ++b) {
      const std::string block = name + ".blocks." + std::to_string(b);
      (*this)(block + ".variables", avici.blocks[b].variables);
      (*this)(block + ".variables_forward", avici.blocks[b].variables_forward);
      (*this)(block + ".observations", avici.blocks[b].observations);
      (*this)(block + ".observations_forward", avici.blocks[b].observations_forward);
    }
    (*this)(name + ".final_norm", avici.final_norm);
    (*this)(name + ".u_norm", avici.u_norm);
    (*this)(name + ".u", avici.u);
    (*this)(name + ".v_norm", avici.v_norm);
    (*this)(name + ".v", avici.v);
    (*this)(name + ".temperature", avici.temperature);
    (*this)(name + ".bias", avici.bias);
  }
  void operator()(const std::string& name, SeaParams& sea) const {
    (*this)(name + ".edges", sea.edges);
    (*this)(name + ".pair", sea.pair);
    (*this)(name + ".statistic", sea.statistic);
    (*this)(name + ".source", sea.source);
    (*this)(name + ".target", sea.target);
    (*this)(name + ".estimates_norm", sea.estimates_norm);
    (*this)(name + ".features_norm", sea.features_norm);
    for (std::size_t b = 0; b < sea.blocks.size(); ++b) {
      const std::string block = name + ".blocks." + std::to_string(b);
      (*this)(block + ".estimates", sea.blocks[b].estimates);
      (*this)(block + ".unseen", sea.blocks[b].unseen);
      (*this)(block + ".fuse", sea.blocks[b].fuse);
      (*this)(block + ".features", sea.blocks[b].features);
    }
  }
  void operator()(ModelParams& model) const {
    (*this)("embed_data", model.embed_data);
    (*this)("embed_graph", model.embed_graph);
    (*this)("embed_data_norm", model.embed_data_norm);
    (*this)("embed_graph_norm", model.embed_graph_norm);
    (*this)("final_norm", model.final_norm);
    for (std::size_t b = 0; b < model.blocks.size(); ++b)
      (*this)("blocks." + std::to_string(b), model.blocks[b]);
    (*this)("head", model.head);
    (*this)("avici", model.avici);
    (*this)("sea", model.sea);
  }
};

LinearParams linear(std::int64_t out, std::int64_t in) {
  return {at::zeros({out, in}), at::zeros({out})};
}
NormParams norm(std::int64_t d) {
  return {at::zeros({d}), at::zeros({d})};
}
AttentionParams attention(std::int64_t d) {
  return {norm(d), linear(3 * d, d), linear(d, d)};
}
AxialParams axial(std::int64_t d, std::int64_t F) {
  return {attention(d), attention(d), {norm(d), linear(F, d), linear(d, F)}};
}
ProjectionParams projection(std::int64_t in, std::int64_t out) {
  return {linear(in, in), norm(in), linear(out, in)};
}
SeaParams sea(const ModelConfig& config) {
  const std::int64_t d = config.embed_dim, F = config.ffn_dim;
  SeaParams params;
  params.edges = at::zeros({kEstimatedEdges, d});
  params.pair = linear(d, 2 * d);
  params.statistic = linear(d, 1);
  params.source = linear(d, d);
  params.target = linear(d, d);
  params.estimates_norm = norm(d);
  params.features_norm = norm(d);
  for (int b = 0; b < config.blocks; ++b)
    params.blocks.push_back({axial(d, F), at::zeros({d}), linear(d, 2 * d), axial(d, F)});
  return params;
}
AviciParams avici(const ModelConfig& config) {
  const std::int64_t d = config.embed_dim, F = config.ffn_dim;
  const std::int64_t inner = std::int64_t{config.heads} * config.key_dim;
  const auto attention = [&] { return AttentionParams{norm(d), linear(3 * inner, d), linear(d, inner)}; };
  const auto forward = [&] { return FeedForwardParams{norm(d), linear(F, d), linear(d, F)}; };
  AviciParams params;
  params.embed = linear(d, config.channels.data_width());
  for (int b = 0; b < config.blocks; ++b)
    params.blocks.push_back({attention(), forward(), attention(), forward()});
  params.final_norm = norm(d);
  params.u_norm = norm(d);
  params.v_norm = norm(d);
  params.u = linear(d, d);
  params.v = linear(d, d);
  params.temperature = at::zeros({1});
  params.bias = at::zeros({1});
  return params;
}

}  // namespace

void ModelParams::visit(const Visitor& visitor) {
  Walk{visitor}(*this);
}

void ModelParams::visit(
    const std::function<void(const std::string& name, const at::Tensor& tensor)>& visitor) const {
  ModelParams handles = *this;  // tensors are handles: this copies no weight
  handles.visit(Visitor([&](const std::string& name, at::Tensor& tensor) { visitor(name, tensor); }));
}

ModelParams empty_parameters(const ModelConfig& config) {
  config.check();
  const std::int64_t d = config.embed_dim, F = config.ffn_dim;
  ModelParams params;
  if (config.architecture == Architecture::kAvici) {
    params.avici = avici(config);
    return params;
  }
  if (config.architecture == Architecture::kSea) {
    params.sea = sea(config);
    params.final_norm = norm(d);
    params.head = projection(2 * d, 3);
    return params;
  }
  params.embed_data = linear(d, config.channels.data_width());
  params.embed_graph = linear(d, 1 + config.channels.pair_width());
  params.embed_data_norm = norm(d);
  params.embed_graph_norm = norm(d);
  params.final_norm = norm(d);
  for (int b = 0; b < config.blocks; ++b) {
    BlockParams block{axial(d, F), axial(d, d), projection(d, d), projection(d, d), linear(d, d + 1), {}};
    if (config.use_graph_stream) block.graph = axial(d, F);
    params.blocks.push_back(block);
  }
  params.head =
      config.head == HeadKind::kPairwise ? projection(2 * d, config.pair_logits()) : projection(d, 1);
  return params;
}

ModelParams initialise_parameters(const ModelConfig& config, std::uint64_t seed) {
  ModelParams params = empty_parameters(config);
  std::uint32_t item = 0;
  double bound = 0.0;
  params.visit(Visitor([&](const std::string& name, at::Tensor& tensor) {
    RandomStream stream(seed, 0, Purpose::kInitialWeights, item++);
    const bool is_norm = name.find("norm.") != std::string::npos;
    if (is_norm) {
      if (name.ends_with(".weight")) tensor.fill_(1.0);
      return;
    }
    if (name == "avici.temperature" || name == "avici.bias") {
      tensor.fill_(name == "avici.bias" ? kAviciBias : kAviciTemperature);
      return;
    }
    // A bias follows its weight and shares the weight's fan-in.
    if (tensor.dim() == 2) bound = 1.0 / std::sqrt(double(tensor.size(1)));
    float* values = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      values[i] = static_cast<float>(stream.uniform(-bound, bound));
  }));
  return params;
}

ModelParams convert_parameters(const ModelParams& params, at::Device device, at::ScalarType type) {
  ModelParams result = params;
  result.visit(Visitor([&](const std::string&, at::Tensor& tensor) {
    tensor = tensor.detach().to(at::TensorOptions(device).dtype(type), /*non_blocking=*/false, /*copy=*/true);
  }));
  return result;
}

ModelParams widen_inputs(const ModelParams& params, const InputChannels& from, const InputChannels& to) {
  const auto widened = [](const at::Tensor& weight, std::int64_t known, const auto& old_channels,
                          const auto& new_channels) {
    std::vector<at::Tensor> columns = {weight.narrow(1, 0, known)};
    std::size_t kept = 0;
    for (const auto channel : new_channels) {
      const auto found = std::ranges::find(old_channels, channel);
      if (found == old_channels.end()) {
        columns.push_back(at::zeros({weight.size(0), 1}, weight.options()));
        continue;
      }
      columns.push_back(weight.narrow(1, known + (found - old_channels.begin()), 1));
      ++kept;
    }
    if (kept < old_channels.size())
      throw InputError("the weights take a channel that the configuration does not have");
    return at::cat(columns, 1);
  };
  ModelParams result = params;
  result.embed_data.weight = widened(params.embed_data.weight, 2, from.data, to.data);
  result.embed_graph.weight = widened(params.embed_graph.weight, 1, from.pairs, to.pairs);
  return result;
}

ModelParams widen_outputs(const ModelParams& params, const PairOutputs& from, const PairOutputs& to) {
  const LinearParams& known = params.head.second;
  const std::int64_t classes = known.weight.size(0) - static_cast<std::int64_t>(from.size());
  std::vector<at::Tensor> weights = {known.weight.narrow(0, 0, classes)};
  std::vector<at::Tensor> biases = {known.bias.narrow(0, 0, classes)};
  std::size_t kept = 0;
  for (const PairOutput output : to) {
    const std::int64_t place = place_of(from, output);
    if (place < 0) {
      weights.push_back(at::zeros({1, known.weight.size(1)}, known.weight.options()));
      biases.push_back(at::full({1}, std::log(kFirstOutput / (1.0 - kFirstOutput)), known.bias.options()));
      continue;
    }
    weights.push_back(known.weight.narrow(0, classes + place, 1));
    biases.push_back(known.bias.narrow(0, classes + place, 1));
    ++kept;
  }
  if (kept < from.size()) throw InputError("the weights have an output that the configuration does not have");
  ModelParams result = params;
  result.head.second = {at::cat(weights), at::cat(biases)};
  return result;
}

std::int64_t count_parameters(const ModelParams& params) {
  std::int64_t count = 0;
  params.visit([&](const std::string&, const at::Tensor& tensor) { count += tensor.numel(); });
  return count;
}

}  // namespace causcale
