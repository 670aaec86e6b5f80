#include <memory>
#include <string>

#include "choice_option.h"
#include "commands.h"
#include "core/option_names.h"
#include "core/train_library.h"

namespace causcale::cli {

void add_train(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Train a model on freshly simulated data sets");
  auto arguments = std::make_shared<TrainCommand>();
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
  const auto common = std::make_shared<CommonOptions>();
  command->add_option("--seed", common->seed, "Instead of the configuration's");
  add_common_options(*command, *common, kThreads | kQuiet);
  command->footer(
      "Examples:\n"
      "  causcale train --config configs/tiny_cpu.json --out run\n"
      "  causcale train --config configs/synthetic.json --out run --time-budget 9m\n"
      "  causcale train --config configs/synthetic.json --out run --time-budget 9m --resume\n"
      "  torchrun --no_python --nproc_per_node 8 causcale train --config configs/synthetic.json --out run\n"
      "  python3 tools/plot_training.py run/metrics.jsonl run/training.svg\n"
      "Ctrl-C or SIGTERM ends a run with a checkpoint. docs/training.md explains the configuration.");
  command->callback([arguments, common, command] {
    arguments->threads = common->threads;
    arguments->quiet = common->quiet;
    if (command->count("--seed") > 0) arguments->seed = common->seed;
    train_library("causcale train").train(*arguments);
  });
}

}  // namespace causcale::cli
