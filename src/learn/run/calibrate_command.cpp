#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "core/installed.h"
#include "learn/run/calibrate.h"
#include "learn/run/commands.h"

namespace causcale {
namespace {

nlohmann::ordered_json to_json(const CalibrationFigures& figures) {
  return {{"expected_calibration_error", figures.expected_error},
          {"cross_entropy", figures.cross_entropy},
          {"brier", figures.brier}};
}

void print_figures(const CalibrationFigures& before, const CalibrationFigures& after) {
  fmt::print("{:<28} {:>10} {:>10}\n", "", "before", "after");
  fmt::print("{:<28} {:>10.5f} {:>10.5f}\n", "expected calibration error", before.expected_error,
             after.expected_error);
  fmt::print("{:<28} {:>10.5f} {:>10.5f}\n", "cross entropy", before.cross_entropy, after.cross_entropy);
  fmt::print("{:<28} {:>10.5f} {:>10.5f}\n", "Brier score", before.brier, after.brier);
}

void print(const CalibrateResult& result, const CalibrateCommand& arguments) {
  if (arguments.json) {
    nlohmann::ordered_json out = {
        {"temperature", result.scales.temperature}, {"temperature_before", result.temperature_before},
        {"mean_of", result.scales.mean_of},         {"mean_temperature", result.scales.mean.temperature},
        {"mean_offset", result.scales.mean.offset}, {"graphs", result.graphs},
        {"held_out_pairs", result.pairs},           {"before", to_json(result.before)},
        {"after", to_json(result.after)},           {"written", arguments.out.string()}};
    for (const OutputCalibration& of : result.outputs)
      out["outputs"][name_of(kPairOutputNames, of.output)] = {
          {"fitted", of.fitted},
          {"temperature", of.scales.temperature},
          {"offset", of.scales.offset},
          {"mean_of", of.scales.mean_of},
          {"mean_temperature", of.scales.mean.temperature},
          {"mean_offset", of.scales.mean.offset},
          {"held_out_pairs", of.pairs},
          {"held_out_there", of.there},
          {"before", to_json(of.before)},
          {"after", to_json(of.after)}};
    for (const auto& [trait, range] : result.ranges) out["trained_on"][trait] = {range.low, range.high};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("temperature {:.4f} (before: {:.4f}), fitted to {} simulated data sets, measured on {} others\n",
             result.scales.temperature, result.temperature_before, (result.graphs + 1) / 2,
             result.graphs / 2);
  if (result.scales.mean_of > 1)
    fmt::print("mean of {} views: temperature {:.4f}, offset {:.4f}\n", result.scales.mean_of,
               result.scales.mean.temperature, result.scales.mean.offset);
  print_figures(result.before, result.after);
  for (const OutputCalibration& of : result.outputs) {
    const std::string name = name_of(kPairOutputNames, of.output);
    if (!of.fitted) {
      fmt::print("{}: nothing to fit to, the data sets have no such pair\n", name);
      continue;
    }
    fmt::print("{}: temperature {:.4f}, offset {:.4f}", name, of.scales.temperature, of.scales.offset);
    if (of.scales.mean_of > 1)
      fmt::print("; mean of {} views: temperature {:.4f}, offset {:.4f}", of.scales.mean_of,
                 of.scales.mean.temperature, of.scales.mean.offset);
    fmt::print("; {} of {} pairs have it\n", of.there, of.pairs);
    print_figures(of.before, of.after);
  }
  fmt::print("trained on (for the comparison with a user's table):\n");
  for (const auto& [trait, range] : result.ranges)
    fmt::print("  {:<18} {:.4g} to {:.4g}\n", trait, range.low, range.high);
  if (!arguments.out.empty()) fmt::print("written: {}\n", arguments.out.string());
}

}  // namespace

void run_calibrate_command(const CalibrateCommand& command) {
  const TrainConfig config = read_train_config(command.config);
  DiscoverOptions asked;
  asked.model = command.model;
  asked.device = command.device;
  const LoadedModel loaded = load_for_discover(asked);
  CalibrateResult result;
  {
    Progress bar("calibrate", static_cast<std::size_t>(command.graphs), command.quiet || command.json);
    result = calibrate_model(loaded, config,
                             {.graphs = command.graphs,
                              .seed = command.seed,
                              .grown_from = command.grown_from,
                              .threads = command.threads,
                              .progress = [&](int done) { bar.advance(done > 0 ? 1 : 0); }});
  }
  if (!command.out.empty()) write_calibrated(find_model(command.model), command.out, result);
  if (!command.quiet || command.json) print(result, command);
}

}  // namespace causcale
