// All weights in one flat tensor, laid out for the optimisers: first the matrices that Muon steers, grouped
// by shape so that each group is one [count, rows, cols] batch, then the tensors for AdamW, matrices before
// vectors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "learn/networks/parameters.h"

namespace causcale {

enum class OptimiserKind { kMuon, kAdamW };

struct MatrixGroup {
  std::int64_t offset, count, rows, cols;
};

struct WeightSlice {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0, count = 0;
};

struct WeightLayout {
  std::vector<WeightSlice> slices;  // in the order of ModelParams::visit
  std::vector<MatrixGroup> groups;  // Muon's part, [0, muon_end)
  std::int64_t muon_end = 0;
  std::int64_t decay_end = 0;  // [muon_end, decay_end): matrices, the rest are vectors
  std::int64_t total = 0;

  WeightLayout(ModelParams& params, OptimiserKind optimiser);
};

// fp32 masters, and the copy that the network computes with: the masters themselves, or a bf16 image of them.
class TrainingWeights {
 public:
  TrainingWeights(ModelParams initial, OptimiserKind optimiser, at::Device device, at::ScalarType master_type,
                  at::ScalarType working_type);

  const WeightLayout& layout() const { return layout_; }
  at::Tensor& masters() { return masters_; }
  const at::Tensor& masters() const { return masters_; }
  // Leaves of autograd; they see the masters' values as of the last publish().
  const ModelParams& working() const { return working_params_; }
  const std::vector<at::Tensor>& leaves() const { return leaves_; }

  void publish();
  // Gradients of leaves(), in that order and undefined where a leaf took no part, as one flat tensor of the
  // masters' type.
  at::Tensor flatten_gradients(const std::vector<at::Tensor>& gradients) const;
  // The same structure as views of another flat tensor, such as a moving average.
  ModelParams views_of(const at::Tensor& flat) const;

 private:
  WeightLayout layout_;
  ModelParams structure_;
  at::Tensor masters_, working_, zeros_;
  ModelParams working_params_;
  std::vector<at::Tensor> leaves_;
  std::vector<std::size_t> by_offset_;  // slices in memory order
};

}  // namespace causcale
