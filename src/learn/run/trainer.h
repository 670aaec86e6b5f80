// A training run from a configuration to a model file: batches, steps, log, validation, checkpoints.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "learn/config/config.h"
#include "learn/processes/process_group.h"
#include "learn/run/validation.h"

namespace causcale {

struct TrainOptions {
  std::filesystem::path
      out;  // checkpoint.safetensors, model.safetensors, weights.safetensors, metrics.jsonl, config.json
  std::filesystem::path init;  // weights to start from; empty: fresh ones
  bool resume = false;
  Device device = Device::kAuto;
  int threads = 0;     // of the simulators; 0 = all cores
  bool plain = false;  // libtorch's own operations instead of the fused ones: for comparisons
  // This invocation ends with a checkpoint before so many seconds have passed since its start.
  std::optional<double> time_budget;
  std::optional<std::int64_t> stop_after_step;
  bool quiet = false;
  std::string config_text;  // kept beside the results
  // Several processes call train() with the same configuration and options but for `launch`. The first one
  // reads and writes `out`.
  LaunchEnvironment launch;
  ProcessGroupOptions group;
};

enum class TrainEnd { kFinished, kTimeBudget, kStoppedAfterStep, kInterrupted };

struct TrainResult {
  TrainEnd end = TrainEnd::kFinished;
  std::int64_t steps = 0, graphs = 0, refused = 0;
  double seconds = 0.0;  // of training, over all invocations
  // Of the last line of the log; NaN when this invocation was too short for one.
  double loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<ValidationScore> scores;
};

TrainResult train(const TrainConfig& config, const TrainOptions& options);

// "90", "90s", "9m", "1.5h" in seconds. Throws UsageError.
double parse_duration(const std::string& text);

}  // namespace causcale
