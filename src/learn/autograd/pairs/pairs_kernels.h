// Launchers of the kernels that join pairs. Device pointers; a channel's type does not matter here, so
// channels are counted in pieces of 16 bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace causcale::cuda {

struct PairShape {
  std::int64_t batch, nodes, pieces;  // pieces of a cell
  bool reversed;
};

// graph [batch, nodes, nodes, pieces] -> joined [batch, nodes (nodes - 1) / 2, 2 pieces].
void join_pairs(const void* graph, void* joined, const PairShape& shape, cudaStream_t stream);

// The way back; cells on the diagonal become zero.
void part_pairs(const void* joined, void* graph, const PairShape& shape, cudaStream_t stream);

}  // namespace causcale::cuda
