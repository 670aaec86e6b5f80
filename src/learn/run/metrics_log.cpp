#include "learn/run/metrics_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/standard_error.h"
#include "causcale/error.h"

namespace causcale {

namespace {

constexpr auto kPlainLineEvery = std::chrono::seconds(10);

// A line that a crash cut short is no JSON and goes, too.
bool keeps(const std::string& line, std::int64_t steps_done) {
  const nlohmann::json entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!entry.is_object()) return false;
  const auto step = entry.find("step");
  return step == entry.end() || (step->is_number_integer() && step->get<std::int64_t>() <= steps_done);
}

}  // namespace

MetricsLog::MetricsLog(const std::filesystem::path& file, std::int64_t steps_done) : path_(file) {
  std::string kept;
  if (steps_done > 0) {
    std::ifstream before(file);
    for (std::string line; std::getline(before, line);)
      if (keeps(line, steps_done)) kept += line + "\n";
  }
  write_file_atomically(file, kept);
  file_.open(file, std::ios::app);
  if (!file_) throw InputError(fmt::format("{}: cannot be written", file.string()));
}

void MetricsLog::write(const nlohmann::json& entry) {
  file_ << entry.dump() << std::endl;
  if (!file_) throw InputError(fmt::format("{}: writing failed (disk full?)", path_.string()));
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (pending_) print_error("\n");
}

void ProgressLine::show(const std::string& text) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    print_error("\r\033[K{}", text);
    std::fflush(stderr);
    pending_ = true;
  } else if (now - shown_ >= kPlainLineEvery) {
    print_error("{}\n", text);
    shown_ = now;
  }
}

void ProgressLine::say(const std::string& text) {
  if (quiet_) return;
  print_error("{}{}\n", pending_ ? "\r\033[K" : "", text);
  pending_ = false;
}

}  // namespace causcale
