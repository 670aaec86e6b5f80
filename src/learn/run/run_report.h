// What a run tells while it works: entries of metrics.jsonl for programs, lines for the person who watches.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learn/config/config.h"
#include "learn/networks/training_device.h"
#include "learn/optimise/weights.h"
#include "learn/run/metrics_log.h"
#include "learn/run/state_file.h"
#include "learn/run/validation.h"

namespace causcale {

class RunReport {
 public:
  // `config` and `layout` must outlive the report.
  RunReport(const TrainConfig& config, const WeightLayout& layout, at::Device device, int processes,
            bool quiet);

  // Until then nothing is logged: of several processes the first one alone writes. See MetricsLog.
  void open_log(const std::filesystem::path& file, std::int64_t steps_done);
  // Speed is measured from here on.
  void start(const RunPosition& position) { logged_ = position; }
  void say(const std::string& text) { line_.say(text); }

  // The device is some steps behind: its counters are fetched when an entry begins and read when it is
  // finished, by when they have long arrived. An entry must be finished before the next one begins.
  void begin_entry(PendingRead counters, const RunPosition& position, double learning_rate_factor,
                   std::size_t stage);
  // Nothing when none was begun.
  std::optional<StepReport> finish_entry(const std::vector<ValidationScore>& last_scores);

  void validated(const RunPosition& position, const std::vector<ValidationScore>& scores);
  void rolled_back(const RunPosition& position);

 private:
  struct Entry {
    PendingRead counters;
    RunPosition position;
    double factor, graphs_per_second;
    std::size_t stage;
  };
  void write(const nlohmann::json& entry);
  void log_step(const Entry& entry, const StepReport& report, std::int64_t memory);
  void show_step(const Entry& entry, const StepReport& report, std::int64_t memory,
                 const std::vector<ValidationScore>& last_scores);

  const TrainConfig& config_;
  const WeightLayout& layout_;
  at::Device device_;
  int processes_;
  ProgressLine line_;
  std::optional<MetricsLog> log_;
  std::optional<Entry> pending_;  // on its way from the device
  RunPosition logged_;            // of the last entry
  std::int64_t refused_ = 0;      // up to then
};

}  // namespace causcale
