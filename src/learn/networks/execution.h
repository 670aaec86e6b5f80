// How a forward pass is carried out, apart from what it computes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>

#include "learn/autograd/cuda/packed_weights.h"

namespace causcale {

class SideStream;

// Called with the name and value of intermediate tensors, for golden tests and debugging.
using Trace = std::function<void(const std::string& name, const at::Tensor& value)>;

struct ExecutionOptions {
  // Most bytes that the score matrices of one attention may take; queries are then processed in exact chunks.
  // 0 = no limit.
  std::int64_t max_score_bytes = std::int64_t{1} << 30;
  // Use the plain libtorch composition of every operation: the reference of tests and benchmarks.
  bool plain = false;
  // Share of the values of every attention's and feed-forward's output that is dropped before the residual
  // sum, the others grow to make up for it. For training; drawn from the device's default generator.
  double dropout = 0.0;
  // Use the fused CUDA kernels around the axial layers too: embeddings, message, pooling, pairs of the head.
  bool fused_outer_layers = true;
  // Of PreparedModel: pack the weights for the CUDA kernels once, and record passes of small inputs as CUDA
  // graphs.
  bool pack_once = false;
  bool replay = false;
  bool overlap = false;  // let a recorded pass work on both streams of the network at once
  autograd::PackedWeights* packed = nullptr;  // where packed weights are kept; PreparedModel sets it
  SideStream* side = nullptr;                 // where the graph stream is computed; PreparedModel sets it
};

// Whether the fused kernels around the axial layers may be used.
inline bool fuses_outer_layers(const ExecutionOptions& execution) {
  return execution.fused_outer_layers && !execution.plain;
}

inline void note(const Trace& trace, const std::string& name, const at::Tensor& value) {
  if (trace) trace(name, value);
}

}  // namespace causcale
