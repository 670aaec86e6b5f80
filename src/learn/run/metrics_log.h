// The run's diary: one JSON object a line in metrics.jsonl, and a line for the person who watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace causcale {

class MetricsLog {
 public:
  // A resumed run drops what was logged after `steps_done`: those steps will be done again.
  MetricsLog(const std::filesystem::path& file, std::int64_t steps_done);
  void write(const nlohmann::json& entry);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

// On a terminal a line that is drawn over again; elsewhere a plain line now and then.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  void show(const std::string& text);
  // A line that stays.
  void say(const std::string& text);

 private:
  bool quiet_, terminal_, pending_ = false;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace causcale
