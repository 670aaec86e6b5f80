#include <memory>
#include <string>

#include "choice_option.h"
#include "commands.h"
#include "core/option_names.h"
#include "core/train_library.h"

namespace causcale::cli {

void add_calibrate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Fit temperature and offset of a model, so that edges of probability p exist with frequency p");
  const auto arguments = std::make_shared<CalibrateCommand>();
  command->add_option("--model", arguments->model, "Name of an installed model or a weight file");
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
  add_named_choice(*command, "--device", arguments->device, kDeviceNames, "auto, cpu or cuda");
  const auto common = std::make_shared<CommonOptions>();
  add_common_options(*command, *common, kSeed | kThreads | kQuiet | kJson);
  command->footer(
      "Temperatures leave the ranking of edges and the graph at a threshold of 0.5 as they are; the offset, "
      "which\n"
      "means over several views get, hardly changes the ranking and lets the graph have more edges.\n"
      "Example:\n"
      "  causcale calibrate --model run/model.safetensors --config configs/synthetic.json -o "
      "calibrated.safetensors");
  command->callback([arguments, common] {
    arguments->threads = common->threads;
    arguments->quiet = common->quiet;
    arguments->json = common->json;
    arguments->seed = common->seed;
    train_library("causcale calibrate").calibrate(*arguments);
  });
}

}  // namespace causcale::cli
