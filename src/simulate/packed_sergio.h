// Gene expression data sets of one batch as a single block of memory without pointers, to be copied to a GPU
// in one go and simulated there by sergio_experiment.h and count_sampler.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/sergio.h"
#include "simulate/sergio_experiment.h"

namespace causcale {

// Experiments that are simulated at the same time: their trajectories fit into memory together.
struct SergioWave {
  int first_experiment, experiments;
};

// Entries of the arrays of SergioBuffers.
struct SergioSizes {
  std::int64_t cells = 0, trajectories = 0, gene_values = 0, lane_values = 0, cell_values = 0;
};

// Where row by row a data set's cells lie: entry first + gene * stride of SergioBuffers::cells. Rows are
// grouped by experiment.
struct SergioRow {
  std::int64_t first, stride;
  int target;  // the perturbed gene, or -1
};

class PackedSergio {
 public:
  static constexpr std::int64_t kMostTrajectories = std::int64_t{1} << 28;  // floats: 1 GiB

  PackedSergio() = default;
  // A wave takes no more working memory than asked for, unless a single experiment needs more.
  explicit PackedSergio(std::span<const SergioPlan> plans,
                        std::int64_t most_trajectories = kMostTrajectories);

  const std::vector<std::byte>& bytes() const { return bytes_; }
  // Into a copy of bytes(), 16-byte aligned, in the host's or a device's memory.
  PackedSergioView view(const std::byte* copy) const;

  const SergioSizes& sizes() const { return sizes_; }
  const std::vector<SergioWave>& waves() const { return waves_; }
  const std::vector<SergioRow>& rows(std::size_t plan) const { return rows_[plan]; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t groups_ = 0, experiments_ = 0, genes_ = 0, regulators_ = 0, depth_end_ = 0, sampled_steps_ = 0,
              basal_rates_ = 0;
  SergioSizes sizes_;
  std::vector<SergioWave> waves_;
  std::vector<std::vector<SergioRow>> rows_;
};

// What the kernels do, in plain loops: the reference of their tests.
void simulate_packed_on_host(const PackedSergioView& view, std::span<const SergioWave> waves,
                             const SergioBuffers& buffers);

}  // namespace causcale
