// Causal models of one batch as a single block of memory without pointers, to be copied to a GPU in one go
// and sampled there by row_sampler.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/causal_model.h"
#include "simulate/row_sampler.h"

namespace causcale {

class PackedModels {
 public:
  PackedModels() = default;
  // All models have the same number of rows. Observation effects are no part of it.
  explicit PackedModels(std::span<const CausalModel> models);

  const std::vector<std::byte>& bytes() const { return bytes_; }
  // Into a copy of bytes(), 16-byte aligned, in the host's or a device's memory. Sampling writes to it.
  PackedView view(std::byte* copy) const;

  int rows() const { return rows_; }
  int columns() const { return columns_; }  // nodes of all models together
  int first_column(int model) const { return first_column_[model]; }
  std::size_t entries() const { return static_cast<std::size_t>(columns_) * kLaneRows * ((rows_ + 3) / 4); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t datasets_ = 0, nodes_ = 0, changes_ = 0, parents_ = 0, regime_of_row_ = 0, parameters_ = 0;
  int rows_ = 0, columns_ = 0;
  std::vector<int> first_column_;
};

// What the kernel does, in plain loops: the reference of its tests.
void sample_packed_on_host(const PackedView& view, const SampledColumns& out);

}  // namespace causcale
