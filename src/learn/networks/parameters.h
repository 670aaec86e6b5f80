// The network's weights as plain structs of tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/config.h"

namespace causcale {

struct LinearParams {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
};
struct NormParams {
  at::Tensor weight;  // [d]
  at::Tensor bias;    // [d]
};
struct AttentionParams {
  NormParams norm;
  LinearParams qkv;  // [3d, d]: q, k and v below one another, so that one product serves all three
  LinearParams out;  // [d, d]
};
struct FeedForwardParams {
  NormParams norm;
  LinearParams up;    // [F, d]
  LinearParams down;  // [d, F]
};
struct AxialParams {
  AttentionParams row;     // mixes the second axis
  AttentionParams column;  // mixes the first axis
  FeedForwardParams feed_forward;
};
struct ProjectionParams {  // Linear, GELU, LayerNorm, Linear
  LinearParams first;
  NormParams norm;
  LinearParams second;
};
struct BlockParams {
  AxialParams data;
  AxialParams data2graph;  // FFN width d
  ProjectionParams u, v;
  LinearParams fuse;  // [d, d + 1]
  AxialParams graph;  // undefined tensors where the configuration has no graph stream
};
// Of AVICI (learn/networks/avici.h), whose heads are e wide each.
struct AviciBlockParams {
  AttentionParams variables;  // qkv [3 H e, d], out [d, H e]
  FeedForwardParams variables_forward;
  AttentionParams observations;
  FeedForwardParams observations_forward;
};
struct AviciParams {
  LinearParams embed;  // [d, 2 + channels]
  std::vector<AviciBlockParams> blocks;
  NormParams final_norm, u_norm, v_norm;
  LinearParams u, v;             // [d, d]
  at::Tensor temperature, bias;  // [1] each; the former as its logarithm
};
// Of SEA (learn/networks/sea.h).
struct SeaBlockParams {
  AxialParams estimates;
  at::Tensor unseen;  // [d]: the message to pairs that no estimate had
  LinearParams fuse;  // [d, 2d]
  AxialParams features;
};
struct SeaParams {
  at::Tensor edges;             // [kinds of estimated edges, d]
  LinearParams pair;            // [d, 2d]: names of a pair's variables
  LinearParams statistic;       // [d, 1]
  LinearParams source, target;  // [d, d]: names of rows and columns
  NormParams estimates_norm, features_norm;
  std::vector<SeaBlockParams> blocks;
};
struct ModelParams {
  LinearParams embed_data;   // [d, 2 + channels]
  LinearParams embed_graph;  // [d, 1 + channels]
  NormParams embed_data_norm, embed_graph_norm, final_norm;
  std::vector<BlockParams> blocks;
  ProjectionParams head;
  AviciParams avici;  // in a model of that architecture, which has nothing of the above
  SeaParams sea;      // in a model of that one, with final_norm and head

  // Visits every tensor in a fixed order under its in-memory name ("blocks.0.data.row.qkv.weight", ...).
  // Undefined tensors are left out.
  void visit(const std::function<void(const std::string& name, at::Tensor& tensor)>& visitor);
  void visit(const std::function<void(const std::string& name, const at::Tensor& tensor)>& visitor) const;
};

// Zeros of the right shapes, fp32 on the CPU.
ModelParams empty_parameters(const ModelConfig& config);

// Freshly initialised fp32 weights; `seed` decides every bit. Linear layers uniform in +-1/sqrt(fan-in).
ModelParams initialise_parameters(const ModelConfig& config, std::uint64_t seed);

// The same weights in another type or on another device.
ModelParams convert_parameters(const ModelParams& params, at::Device device, at::ScalarType type);

// Weights of a model that takes more channels and, as theirs are zero, gives the same answers. Throws
// InputError when `to` lacks a channel of `from`.
ModelParams widen_inputs(const ModelParams& params, const InputChannels& from, const InputChannels& to);

// Likewise weights of a model that has more outputs: those start at a small probability that is the same
// everywhere. Throws InputError when `to` lacks an output of `from`.
ModelParams widen_outputs(const ModelParams& params, const PairOutputs& from, const PairOutputs& to);

std::int64_t count_parameters(const ModelParams& params);

}  // namespace causcale
