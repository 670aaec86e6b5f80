// Gene expression in batches that a GPU makes: what the host draws beforehand, and the tables from the
// simulated cells.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "learn/config/sergio_data.h"
#include "simulate/packed_sergio.h"

namespace causcale {

// Columns before they are standardised, on the device that simulated them.
struct RawTables {
  at::Tensor values;  // [tables, n, m] double
  at::Tensor flags;   // the same in float: 1 where the column was intervened on
};

// G data sets of m rows and n visible genes. Tensors lie on the host.
struct PackedExpression {
  PackedSergio packed;
  at::Tensor packed_bytes;
  at::Tensor first, stride;  // [G, 1, m] int64: SergioRow
  at::Tensor target;         // [G, 1, m] int64: perturbed column, or -1
  at::Tensor gene;           // [G, n, 1] int64: number of a column's gene
  at::Tensor factor;         // [G, n, 1] double: units
  at::Tensor logarithm;      // [G, 1, 1] bool: log(1 + x) is shown
};

PackedExpression pack_expression(std::span<const SergioDataPlan> plans, int rows, int nodes, bool pinned);

// `cells` as in SergioBuffers.
RawTables expression_tables(const PackedExpression& expression, const at::Tensor& cells);

// Memory for a simulation on one device.
class SergioMemory {
 public:
  SergioMemory(const SergioSizes& sizes, at::Device device);

  const at::Tensor& cells() const { return cells_; }
  SergioBuffers buffers() const;

 private:
  at::Tensor cells_, trajectories_, lane_means_, log_halves_, gene_factors_, cell_factors_;
};

}  // namespace causcale
