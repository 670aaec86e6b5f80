// Training batches made on a GPU: the host draws graphs, parameters and regimes exactly as it does for
// itself, the device samples the rows or simulates the cells and does all that follows. Numbers differ from
// the host's by rounding only.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "learn/data/batches.h"
#include "learn/data/gpu_expression.h"
#include "simulate/packed_models.h"

namespace causcale {

// How S tables are shown to the network.
struct PackedInputDraws {
  at::Tensor told;          // [S, 1, 1] float: 1 where interventions are told
  at::Tensor order;         // [S * m] int64: rows in the order of the network, through all S
  at::Tensor prior_rows;    // [S, 1, m] double: 1 for the rows of the prior
  at::Tensor standardized;  // [S, 1, 1] bool: prior from standardised columns
};

// Everything about a batch that is drawn before its rows. Tensors lie on the host; of the B data sets, S are
// sampled on the device from causal models, others are gene expression that it simulates, and what is left
// the host has made.
struct BatchRecipe {
  BatchPlan plan;
  bool logarithms = false;                             // shown instead of the values
  std::vector<std::int64_t> sampled, expressed, made;  // places in the batch
  PackedModels packed;
  at::Tensor packed_bytes;
  at::Tensor columns;        // [S * n] int64: where the visible nodes lie
  at::Tensor factor, shift;  // [S, n, 1] double: units
  PackedInputDraws inputs;
  PackedExpression expression;
  PackedInputDraws expression_inputs;
  at::Tensor adjacency;              // [B, n, n] uint8
  at::Tensor labels;                 // [B, outputs, n, n] int8; undefined where the model has no outputs
  at::Tensor made_data, made_prior;  // of the last kind, one after the other
  at::Tensor knowledge;              // [B, n, n] float; undefined where the model is told nothing
  InputChannels channels;
};

BatchRecipe prepare_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed,
                          bool pinned);

// What the kernels write.
struct DeviceSamples {
  at::Tensor values;  // [columns, 4 * lanes] float (row_sampler.h)
  at::Tensor flags;   // the same in uint8
  at::Tensor cells;   // of gene expression (SergioBuffers)
};

// On the device where the samples are.
Batch finish_batch(const BatchRecipe& recipe, const DeviceSamples& samples);

// Makes batches on one device, on a stream of its own beside the training. Safe from several threads: they
// prepare in parallel and take turns on the device.
class GpuBatchMaker {
 public:
  static bool supports(at::Device device);
  // Throws UsageError where that is not possible.
  explicit GpuBatchMaker(at::Device device);
  ~GpuBatchMaker();

  // The batch is complete when this returns.
  Batch make(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed);
  // To be called by the thread that trains before it uses the batch, so that its memory is not given away
  // while the training still reads it.
  void hand_over(const Batch& batch) const;

 private:
  struct Stream;
  at::Device device_;
  std::unique_ptr<Stream> stream_;
  std::mutex turn_;
};

}  // namespace causcale
