#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/progress.h"
#include "causcale/error.h"
#include "choice_option.h"
#include "commands.h"
#include "discover/option_names.h"
#include "model/installed.h"
#include "train/calibrate.h"

namespace causcale::cli {
namespace {

struct Arguments {
  CommonOptions common;
  DiscoverOptions discover;
  std::filesystem::path config, grown_from, out;
  int graphs = 64;
};

nlohmann::ordered_json to_json(const CalibrationFigures& figures) {
  return {{"expected_calibration_error", figures.expected_error},
          {"cross_entropy", figures.cross_entropy},
          {"brier", figures.brier}};
}

void print(const CalibrateResult& result, const Arguments& arguments) {
  if (arguments.common.json) {
    nlohmann::ordered_json out = {
        {"temperature", result.scales.temperature}, {"temperature_before", result.temperature_before},
        {"mean_of", result.scales.mean_of},         {"mean_temperature", result.scales.mean.temperature},
        {"mean_offset", result.scales.mean.offset}, {"graphs", result.graphs},
        {"held_out_pairs", result.pairs},           {"before", to_json(result.before)},
        {"after", to_json(result.after)},           {"written", arguments.out.string()}};
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
  fmt::print("{:<28} {:>10} {:>10}\n", "", "before", "after");
  fmt::print("{:<28} {:>10.5f} {:>10.5f}\n", "expected calibration error", result.before.expected_error,
             result.after.expected_error);
  fmt::print("{:<28} {:>10.5f} {:>10.5f}\n", "cross entropy", result.before.cross_entropy,
             result.after.cross_entropy);
  fmt::print("{:<28} {:>10.5f} {:>10.5f}\n", "Brier score", result.before.brier, result.after.brier);
  fmt::print("trained on (for the comparison with a user's table):\n");
  for (const auto& [trait, range] : result.ranges)
    fmt::print("  {:<18} {:.4g} to {:.4g}\n", trait, range.low, range.high);
  if (!arguments.out.empty()) fmt::print("written: {}\n", arguments.out.string());
}

void run(const Arguments& arguments) {
  const TrainConfig config = read_train_config(arguments.config);
  const LoadedModel loaded = load_for_discover(arguments.discover);
  CalibrateResult result;
  {
    Progress bar("calibrate", static_cast<std::size_t>(arguments.graphs),
                 arguments.common.quiet || arguments.common.json);
    result = calibrate_model(loaded, config,
                             {.graphs = arguments.graphs,
                              .seed = arguments.common.seed,
                              .grown_from = arguments.grown_from,
                              .threads = arguments.common.threads,
                              .progress = [&](int done) { bar.advance(done > 0 ? 1 : 0); }});
  }
  if (!arguments.out.empty()) write_calibrated(find_model(arguments.discover.model), arguments.out, result);
  if (!arguments.common.quiet || arguments.common.json) print(result, arguments);
}

}  // namespace

void add_calibrate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Fit temperature and offset of a model, so that edges of probability p exist with frequency p");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--model", arguments->discover.model, "Name of an installed model or a weight file");
  command
      ->add_option("--config,-c", arguments->config,
                   "Training configuration: data sets are drawn as there, with other seeds")
      ->required()
      ->check(CLI::ExistingFile);
  command
      ->add_option(
          "--grown-from", arguments->grown_from,
          "Weight file that training went on from (--init): the ranges of its training data count, too")
      ->check(CLI::ExistingFile);
  command->add_option(
      "--out,-o", arguments->out,
      "Weight file with temperature, offset and the ranges of the training data in its metadata");
  command->add_option("--graphs", arguments->graphs, "Simulated data sets; half of them measure the result")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  add_named_choice(*command, "--device", arguments->discover.device, kDeviceNames, "auto, cpu or cuda");
  add_common_options(*command, arguments->common, kSeed | kThreads | kQuiet | kJson);
  command->footer(
      "Temperatures leave the ranking of edges and the graph at a threshold of 0.5 as they are; the offset, "
      "which\n"
      "means over several views get, hardly changes the ranking and lets the graph have more edges.\n"
      "Example:\n"
      "  causcale calibrate --model run/model.safetensors --config configs/synthetic.json -o "
      "calibrated.safetensors");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace causcale::cli
