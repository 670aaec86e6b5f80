#include <fmt/format.h>

#include <cmath>

#include "base/file.h"
#include "causcale/error.h"
#include "learn/run/commands.h"
#include "learn/run/trainer.h"

namespace causcale {
namespace {

void report(const TrainResult& result, const TrainCommand& arguments) {
  const char* end = "finished";
  if (result.end == TrainEnd::kTimeBudget) end = "time budget used up";
  if (result.end == TrainEnd::kStoppedAfterStep) end = "stopped";
  if (result.end == TrainEnd::kInterrupted) end = "interrupted";
  const std::string loss = std::isnan(result.loss) ? "" : fmt::format("loss {:.4f}, ", result.loss);
  fmt::print("{} at step {}: {} graphs in {:.1f} min of training, {}{} step(s) refused\n", end, result.steps,
             result.graphs, result.seconds / 60.0, loss, result.refused);
  for (const ValidationScore& score : result.scores)
    fmt::print("  {:<40} mAP {:5.1f}\n", score.name, 100.0 * score.average_precision);
  fmt::print("model: {}/model.safetensors   log: {}/metrics.jsonl\n", arguments.out.string(),
             arguments.out.string());
  if (result.end != TrainEnd::kFinished)
    fmt::print("go on with: causcale train --config {} --out {} --resume\n", arguments.config.string(),
               arguments.out.string());
}

}  // namespace

void run_train_command(const TrainCommand& command) {
  const std::string text = whole_config_text(command.config);
  TrainConfig config = parse_train_config(text, command.config.string());
  if (command.seed) config.seed = *command.seed;
  TrainOptions options;
  options.out = command.out;
  options.init = command.init;
  options.resume = command.resume;
  options.device = command.device;
  options.threads = command.threads;
  options.quiet = command.quiet;
  options.plain = command.plain;
  options.config_text = text;
  options.launch = launch_from_environment();
  if (!command.time_budget.empty()) options.time_budget = parse_duration(command.time_budget);
  if (options.resume && !options.init.empty())
    throw UsageError("--init starts a run and --resume goes on with one: give only one of them");
  const TrainResult result = train(config, options);
  if (options.launch.rank == 0) report(result, command);
}

}  // namespace causcale
