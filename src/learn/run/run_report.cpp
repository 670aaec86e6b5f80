#include "learn/run/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace causcale {

namespace {

using nlohmann::json;

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

}  // namespace

RunReport::RunReport(const TrainConfig& config, const WeightLayout& layout, at::Device device, int processes,
                     bool quiet)
    : config_(config), layout_(layout), device_(device), processes_(processes), line_(quiet) {}

void RunReport::open_log(const std::filesystem::path& file, std::int64_t steps_done) {
  log_.emplace(file, steps_done);
}

void RunReport::write(const json& entry) {
  if (log_) log_->write(entry);
}

void RunReport::begin_entry(PendingRead counters, const RunPosition& position, double learning_rate_factor,
                            std::size_t stage) {
  const double seconds = position.seconds - logged_.seconds;
  const double rate = seconds > 0.0 ? static_cast<double>(position.graphs - logged_.graphs) / seconds : 0.0;
  pending_.emplace(Entry{std::move(counters), position, learning_rate_factor, rate, stage});
  logged_ = position;
}

std::optional<StepReport> RunReport::finish_entry(const std::vector<ValidationScore>& last_scores) {
  if (!pending_) return std::nullopt;
  const Entry entry = std::move(*pending_);
  pending_.reset();
  const StepReport report = StepGuard::read(entry.counters.get());
  const std::int64_t memory = peak_memory(device_);
  log_step(entry, report, memory);
  if (report.refused > refused_)
    say(fmt::format(
        "step {}: refused {} step(s) with a loss or gradient that was not finite or far too large",
        entry.position.step, report.refused - refused_));
  refused_ = report.refused;
  show_step(entry, report, memory, last_scores);
  return report;
}

void RunReport::log_step(const Entry& entry, const StepReport& report, std::int64_t memory) {
  json line = {{"step", entry.position.step},
               {"seconds", entry.position.seconds},
               {"graphs", entry.position.graphs},
               {"stage", config_.stages[entry.stage].name},
               {"loss", number_or_null(report.mean_loss)},
               {"gradient_norm", number_or_null(report.mean_gradient_norm)},
               {"largest_gradient_norm", number_or_null(report.largest_gradient_norm)},
               {"shortened", report.shortened},
               {"learning_rate", entry.factor * config_.adamw_learning_rate},
               {"muon_learning_rate", entry.factor * config_.muon_learning_rate},
               {"graphs_per_second", entry.graphs_per_second},
               {"peak_memory_bytes", memory},
               {"refused", report.refused}};
  for (std::size_t k = 0; k < config_.model.outputs.size(); ++k)
    line["output_loss"][name_of(kPairOutputNames, config_.model.outputs[k])] =
        number_or_null(report.mean_parts[k]);
  if (report.largest_part >= 0) {
    // The number by which the step's batches can be drawn again.
    line["largest_gradient_step"] = entry.position.step - report.steps + report.largest_at;
    line["largest_gradient_in"] = layout_.slices[static_cast<std::size_t>(report.largest_part)].name;
  }
  if (processes_ > 1) line["processes"] = processes_;
  write(line);
}

void RunReport::show_step(const Entry& entry, const StepReport& report, std::int64_t memory,
                          const std::vector<ValidationScore>& last_scores) {
  std::string scores;
  for (const ValidationScore& score : last_scores)
    scores += fmt::format(" {:.1f}", 100.0 * score.average_precision);
  const double done = config_.timed() ? entry.position.seconds : static_cast<double>(entry.position.step);
  const double left = entry.position.seconds * (config_.total_length() - done) / std::max(done, 1e-9);
  std::string parts;
  for (std::size_t k = 0; k < config_.model.outputs.size(); ++k)
    parts +=
        fmt::format(" {} {:.4f}", name_of(kPairOutputNames, config_.model.outputs[k]), report.mean_parts[k]);
  line_.show(fmt::format(
      "step {} {} loss {:.4f}{} norm {:.2f} {:.1f} graphs/s lr {:.2e} {:.1f} GiB{}{} left {:.1f} min",
      entry.position.step, config_.stages[entry.stage].name, report.mean_loss, parts,
      report.mean_gradient_norm, entry.graphs_per_second, entry.factor * config_.adamw_learning_rate,
      static_cast<double>(memory) / (1 << 30), scores.empty() ? "" : " mAP", scores, left / 60.0));
}

void RunReport::validated(const RunPosition& position, const std::vector<ValidationScore>& scores) {
  json entry = {{"step", position.step}, {"seconds", position.seconds}, {"graphs", position.graphs}};
  std::string text;
  for (const ValidationScore& score : scores) {
    entry["map"][score.name] = score.average_precision;
    text += fmt::format("  {} {:.1f}", score.name, 100.0 * score.average_precision);
    for (const auto& [output, precision] : score.outputs) {
      entry["outputs"][score.name][output] = precision;
      text += fmt::format(" {} {:.1f}", output, 100.0 * precision);
    }
  }
  write(entry);
  say(fmt::format("step {}, {:.1f} min: mAP{}", position.step, position.seconds / 60.0, text));
}

void RunReport::rolled_back(const RunPosition& position) {
  write({{"step", position.step}, {"event", "rolled back"}});
  say(fmt::format("step {}: too many refused steps in a row, back to the weights of the last checkpoint",
                  position.step));
}

}  // namespace causcale
