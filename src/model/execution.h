// How a forward pass is carried out, apart from what it computes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>

namespace causcale {

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
};

inline void note(const Trace& trace, const std::string& name, const at::Tensor& value) {
  if (trace) trace(name, value);
}

}  // namespace causcale
