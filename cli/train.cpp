#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "causcale/error.h"
#include "choice_option.h"
#include "commands.h"
#include "discover/option_names.h"
#include "train/trainer.h"

namespace causcale::cli {

namespace {

struct Arguments {
  CommonOptions common;
  std::string config, out, init, time_budget;
  Device device = Device::kAuto;
  bool resume = false, plain = false;
};

void report(const TrainResult& result, const Arguments& arguments) {
  const char* end = "finished";
  if (result.end == TrainEnd::kTimeBudget) end = "time budget used up";
  if (result.end == TrainEnd::kStoppedAfterStep) end = "stopped";
  if (result.end == TrainEnd::kInterrupted) end = "interrupted";
  const std::string loss = std::isnan(result.loss) ? "" : fmt::format("loss {:.4f}, ", result.loss);
  fmt::print("{} at step {}: {} graphs in {:.1f} min of training, {}{} step(s) refused\n", end, result.steps,
             result.graphs, result.seconds / 60.0, loss, result.refused);
  for (const ValidationScore& score : result.scores)
    fmt::print("  {:<40} mAP {:5.1f}\n", score.name, 100.0 * score.average_precision);
  fmt::print("model: {}/model.safetensors   log: {}/metrics.jsonl\n", arguments.out, arguments.out);
  if (result.end != TrainEnd::kFinished)
    fmt::print("go on with: causcale train --config {} --out {} --resume\n", arguments.config, arguments.out);
}

void run(const Arguments& arguments, bool seed_given) {
  TrainConfig config = read_train_config(arguments.config);
  if (seed_given) config.seed = arguments.common.seed;
  TrainOptions options;
  options.out = arguments.out;
  options.init = arguments.init;
  options.resume = arguments.resume;
  options.device = arguments.device;
  options.threads = arguments.common.threads;
  options.quiet = arguments.common.quiet;
  options.plain = arguments.plain;
  options.config_text = std::string(MappedFile(arguments.config).text());
  options.launch = launch_from_environment();
  if (!arguments.time_budget.empty()) options.time_budget = parse_duration(arguments.time_budget);
  if (options.resume && !options.init.empty())
    throw UsageError("--init starts a run and --resume goes on with one: give only one of them");
  const TrainResult result = train(config, options);
  if (options.launch.rank == 0) report(result, arguments);
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Train a model on freshly simulated data sets");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("--config,-c", arguments->config, "JSON file: model, optimiser, stages, validation")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--out,-o", arguments->out, "Folder for the model, checkpoint and log")->required();
  command->add_flag("--resume", arguments->resume, "Go on where the run in --out stopped");
  command->add_option("--init", arguments->init, "Start from the weights of this model file")
      ->check(CLI::ExistingFile);
  command->add_option("--time-budget", arguments->time_budget,
                      "End with a checkpoint before this time has passed, such as 9m");
  add_named_choice(*command, "--device", arguments->device, kDeviceNames, "auto, cpu or cuda");
  command->add_flag("--plain", arguments->plain,
                    "Plain libtorch operations instead of the fused ones, to compare");
  command->add_option("--seed", arguments->common.seed, "Instead of the configuration's");
  add_common_options(*command, arguments->common, kThreads | kQuiet);
  command->footer(
      "Examples:\n"
      "  causcale train --config configs/tiny_cpu.json --out run\n"
      "  causcale train --config configs/synthetic.json --out run --time-budget 9m\n"
      "  causcale train --config configs/synthetic.json --out run --time-budget 9m --resume\n"
      "  torchrun --no-python --nproc-per-node 8 causcale train --config configs/synthetic.json --out run\n"
      "  python3 tools/plot_training.py run/metrics.jsonl run/training.svg\n"
      "Ctrl-C or SIGTERM ends a run with a checkpoint. docs/training.md explains the configuration.");
  command->callback([arguments, command] { run(*arguments, command->count("--seed") > 0); });
}

}  // namespace causcale::cli
