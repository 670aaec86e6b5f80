// Training batches made on a GPU: the host draws graphs, parameters and regimes exactly as it does for
// itself, the device samples the rows and does all that follows. Numbers differ from the host's by rounding
// only.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simulate/packed_models.h"
#include "train/batches.h"

namespace causcale {

// Everything about a batch that is drawn before its rows. Tensors lie on the host; S of the B data sets are
// sampled on the device, the others the host has made.
struct BatchRecipe {
  BatchPlan plan;
  PackedModels packed;
  at::Tensor packed_bytes;
  std::vector<std::int64_t> sampled, made;  // places in the batch
  at::Tensor columns;                       // [S * n] int64: where the visible nodes lie
  at::Tensor factor, shift;                 // [S, n, 1] double: units
  at::Tensor told;                          // [S, 1, 1] float: 1 where interventions are told
  at::Tensor order;                         // [S * m] int64: rows in the order of the network, through all S
  at::Tensor prior_rows;                    // [S, 1, m] double: 1 for the rows of the prior
  at::Tensor standardized;                  // [S, 1, 1] bool: prior from standardised columns
  at::Tensor adjacency;                     // [B, n, n] uint8
  at::Tensor made_data, made_prior;         // of the others, one after the other
};

BatchRecipe prepare_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed,
                          bool pinned);

// The batch from the sampled columns (row_sampler.h), `values` [columns, 4 * lanes] float and `flags` the
// same in uint8, on their device.
Batch finish_batch(const BatchRecipe& recipe, const at::Tensor& values, const at::Tensor& flags);

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
