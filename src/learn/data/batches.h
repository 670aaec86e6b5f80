// Fresh batches for every step, made ahead by a pool of threads, data set by data set.
//
// Batch number `step` of a stage is a pure function of (seed, stage, step, first data set), and data sets are
// numbered through, so a run sees the same data whatever the number of threads and however often it is
// resumed.
#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "learn/config/config.h"
#include "learn/data/example.h"
#include "learn/networks/causcale.h"

namespace causcale {

class GpuBatchMaker;

struct Batch {
  ModelInput input;                // nothing is padded
  at::Tensor adjacency;            // [B, n, n] uint8, 1 at i -> j; of both directions one
  at::Tensor labels = {};          // [B, outputs, n, n] int8: 1, 0, -1 where nobody knows; or undefined
  std::uint64_t next_dataset = 0;  // number of the first data set of the batch that follows

  std::int64_t graphs() const { return adjacency.size(0); }
  // Copied without waiting where the memory is pinned.
  Batch to(at::Device device) const;
};

// Processes that train together share out the data sets of a step one by one: of every `size` in a row, this
// one makes number `rank`.
struct DataShare {
  int rank = 0;
  int size = 1;
};

struct BatchPlan {
  std::size_t stage = 0;
  std::int64_t step = 0;
  std::uint64_t first_dataset = 0;      // of all processes together
  int nodes = 0, rows = 0, graphs = 0;  // graphs of one process
  DataShare share = {};
};

BatchPlan plan_batch(const TrainConfig& config, const ExampleSource& examples, std::uint64_t seed,
                     std::size_t stage, std::int64_t step, std::uint64_t first_dataset);
// Cells (graphs * rows * variables) of the largest batch that a stage may draw; 0 when they come from files.
std::int64_t largest_batch(const Stage& stage);
Batch make_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed, bool pinned);

class BatchQueue {
 public:
  // `config` must outlive the queue. 0 threads = all cores. Pinned memory is for copies to CUDA devices.
  // `device` is the one that trains; where the configuration says so, batches are made on it.
  BatchQueue(const TrainConfig& config, std::uint64_t seed, int threads, bool pinned, DataShare share = {},
             at::Device device = at::kCPU);
  ~BatchQueue();
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  // From here on; what was made ahead for elsewhere is dropped.
  void restart(std::size_t stage, std::int64_t step, std::uint64_t first_dataset);
  // Waits for the next batch. An exception of the thread that made it is thrown here.
  Batch next();

 private:
  struct Slot {
    BatchPlan plan;
    Batch batch;
    std::exception_ptr error;
    std::int64_t failed = std::numeric_limits<std::int64_t>::max();  // the data set that it is of
    std::int64_t parts = 0, started = 0, finished = 0;  // data sets; no parts before its tensors are there
    bool done = false;
  };
  std::shared_ptr<Slot> slot_with_work() const;
  void add_slot(std::unique_lock<std::mutex>& guard);
  void make_part(Slot& slot, std::unique_lock<std::mutex>& guard);
  void work();

  const TrainConfig& config_;
  std::uint64_t seed_;
  bool pinned_;
  DataShare share_;
  std::vector<ExampleSource> sources_;  // one per stage
  std::unique_ptr<GpuBatchMaker> gpu_;  // null where the host makes the batches
  std::size_t depth_;
  std::mutex lock_;
  std::condition_variable room_, ready_;
  std::deque<std::shared_ptr<Slot>> slots_;  // in the order of steps
  BatchPlan following_;                      // where planning goes on
  bool running_ = false, stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace causcale
