// Where everything that a pass computes lies on the GPU: one block, the same places for the same shape.
#pragma once

#include <array>
#include <cstdint>

#include "core/config.h"
#include "core/cuda/device_memory.h"
#include "core/cuda/layers.h"

namespace causcale::cuda {

// B tables in V views, each m x n.
struct PassShape {
  std::int64_t tables, views, m, n;
  std::int64_t batch() const { return tables * views; }
  bool operator==(const PassShape&) const = default;
};

// How a pass goes about it.
struct PassPlan {
  // The graph stream is computed beside the data layers of later blocks; takes memory for both.
  bool overlaps = false;
  std::int64_t max_score_bytes = 0;
  std::int64_t bytes = 0;  // of the workspace
};

struct Workspace {
  Workspace(const ModelConfig& config, const PassShape& shape, const PassPlan& plan, Storage storage,
            std::int64_t blas_bytes, DeviceArena& arena);

  // As they come from the host, floats.
  float *data_input, *prior_input, *pairs_input, *signs_input;
  // Activations.
  void *data_values, *pair_values;  // [V B, m, n, 2 + channels], [V B, n, n, 1 + channels]
  std::array<void*, 3> data;        // [V B, m, n, 128]; as many as there are readers at once
  int data_buffers;
  void* side;              // [V B, m, n, 128]
  void* graph;             // [V B, n, n, 128]
  void *pooled, *u, *v;    // [V B, n, 128]
  void* message;           // [V B, n, n]
  float *edges, *outputs;  // [V B, n, n], [outputs][V B, n, n]
  // Of cuBLAS and of operations, for either queue; where one queue does everything they are the same.
  void *main_blas, *side_blas;
  std::int64_t blas_bytes;
  Scratch main, beside;
};

// Bytes of a pair in the head, and how many pairs go at a time.
std::int64_t head_bytes_per_pair(Storage storage);
std::int64_t pairs_at_a_time(const Scratch& scratch, Storage storage);

// The fastest plan of at most `max_bytes` (0: no limit), or that of the least memory where that is more.
PassPlan plan_pass(const ModelConfig& config, const PassShape& shape, Storage storage,
                   std::int64_t blas_bytes, std::int64_t max_bytes);

// Small passes: handing out their kernels takes longer than running them, so they are recorded, and they
// overlap.
bool is_small(const PassShape& shape);

}  // namespace causcale::cuda
