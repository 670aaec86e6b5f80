// One forward pass handed out to the GPU: all tables in all views at once. Nothing here waits for the device.
#pragma once

#include <array>
#include <functional>

#include "core/config.h"
#include "core/cuda/device_weights.h"
#include "core/cuda/queue.h"
#include "core/cuda/workspace.h"

namespace causcale::cuda {

// What passes order their two queues with, one pass after the other.
struct PassMarks {
  std::array<Mark, 3> data_read;  // the graph stream has read this buffer of the data for the last time
  Mark handed_over, finished;
};

class Pass {
 public:
  // On the workspace that `plan` was made for.
  Pass(const ModelConfig& config, const DeviceWeights& weights, Storage storage, const PassShape& shape,
       const PassPlan& plan, const Workspace& work, const Queue& main, const Queue& beside, PassMarks& marks);

  // From the workspace's inputs to its edges and outputs. `mirrored`: there are signs. `block_done` is called
  // after each block unless it is empty.
  void run(bool symmetrised, bool mirrored, const std::function<void(int block)>& block_done);

 private:
  void embed(const DeviceEmbedding& weights, const void* values, std::int64_t tokens, void* x);
  void read_inputs(bool mirrored);
  void data_layer(const DeviceAxial& axial);
  void data_to_graph(const DeviceBlockWeights& block);
  void graph_layer(const DeviceBlockWeights& block);
  void reduce_samples();
  void read_pairs(bool symmetrised);

  void axial_layer(const DeviceAxial& axial, const void* x, void* y, std::int64_t R, ScoreScaling scaling,
                   const Queue& queue, const Scratch& scratch, Mark* x_was_read);
  void* next_data();

  const ModelConfig& config_;
  const DeviceWeights& weights_;
  Storage storage_;
  PassShape shape_;
  PassPlan plan_;
  Workspace work_;
  const Queue& main_;
  const Queue& beside_;  // the same queue where nothing overlaps
  PassMarks& marks_;

  std::int64_t m_;                 // shrinks as samples are pooled
  int current_ = 0;                // buffer of the data
  std::array<bool, 3> is_read_{};  // whether the mark of a buffer has been set in this pass
};

}  // namespace causcale::cuda
