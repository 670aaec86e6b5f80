#include "benchmark_architectures.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/standard_error.h"
#include "benchmark/architectures.h"
#include "benchmark/run_study.h"
#include "benchmark/tables.h"
#include "causcale/error.h"
#include "choice_option.h"
#include "commands.h"
#include "core/option_names.h"
#include "core/train_library.h"

namespace causcale::cli {
namespace {

struct Arguments {
  ArchitectureRequest request;
  CommonOptions common;
  RunStudyOptions study;
  std::filesystem::path picture, markdown;
};

// From the beginning, or from where the last call was interrupted.
void train(const std::string& architecture, const Arguments& arguments) {
  const ArchitectureRequest& request = arguments.request;
  constexpr double kRounding = 0.01;  // of the card's minutes
  const auto missing = [&] { return trained_minutes(architecture, request) + kRounding < request.minutes; };
  if (!missing()) return;
  TrainCommand command;
  command.config = request.folder / (architecture + ".json");
  command.out = request.folder / architecture;
  command.device = arguments.study.device;
  command.threads = arguments.common.threads;
  command.quiet = arguments.common.quiet || arguments.common.json;
  command.resume = std::filesystem::exists(command.out / "checkpoint.safetensors");
  write_file_atomically(command.config, architecture_config(architecture, request));
  if (!command.quiet) print_error("{}: {:g} minutes of training\n", architecture, request.minutes);
  train_library("causcale benchmark architectures").train(command);
  if (missing())
    throw Error(fmt::format("{} has been trained for {:g} of {:g} minutes: the same command goes on",
                            architecture, trained_minutes(architecture, request), request.minutes));
}

void run(Arguments& arguments) {
  ArchitectureRequest& request = arguments.request;
  request.study.seed = arguments.common.seed;
  for (const std::string& architecture : request.architectures)
    architecture_config(architecture, request);  // refuses unknown names before any work
  const Study study = architectures_study(request);
  std::filesystem::create_directories(request.folder);
  RecordFile records(request.folder / "results.json");
  records.save();  // a place that cannot be written to is noticed before the work
  for (const std::string& architecture : request.architectures) train(architecture, arguments);

  RunStudyOptions options = arguments.study;
  options.threads = arguments.common.threads;
  if (!arguments.common.quiet) options.progress = [](const std::string& line) { print_error("{}\n", line); };
  const StudyOutcome outcome = run_study(study, options, records);
  const nlohmann::ordered_json table = study_to_json(study, outcome);
  records.set_table(study.name, table);
  records.save();
  if (!arguments.picture.empty())
    write_file_atomically(arguments.picture, format_line_plot(training_curves(request)));
  if (!arguments.markdown.empty())
    write_file_atomically(arguments.markdown, format_study_markdown(study, outcome));
  if (arguments.common.json)
    fmt::print("{}\n", table.dump(2));
  else
    fmt::print("{}", format_study_text(study, outcome));
}

}  // namespace

void add_architectures(CLI::App& benchmark, std::uint64_t default_seed) {
  auto arguments = std::make_shared<Arguments>();
  ArchitectureRequest& request = arguments->request;
  arguments->common.seed = default_seed;
  CLI::App* command = benchmark.add_subcommand(
      "architectures", "CauScale, AVICI and SEA trained alike, from scratch, and compared");
  command
      ->add_option("--out,-o", request.folder,
                   "Folder for configurations, runs and results.json; what it holds is not done again")
      ->required();
  const char* training = "Training";
  command->add_option("--architectures", request.architectures, "By commas: causcale, avici, sea")
      ->delimiter(',')
      ->capture_default_str()
      ->group(training);
  command->add_option("--minutes", request.minutes, "Minutes of training, each")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str()
      ->group(training);
  command->add_option("--train-nodes", request.train_nodes, "Variables of training graphs, N or LOW-HIGH")
      ->capture_default_str()
      ->group(training);
  command->add_option("--train-rows", request.train_rows, "Rows of training tables")
      ->check(CLI::Range(10, 10000000))
      ->capture_default_str()
      ->group(training);
  command->add_option("--tokens", request.tokens, "Most cells of a batch: graphs x variables x rows")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str()
      ->group(training);
  command->add_flag("--tiny", request.tiny, "Models of a few thousand weights, to see how it works")
      ->group(training);
  const char* test = "Test data";
  command
      ->add_option("--nodes,-n", request.study.sizes, "Sizes N or N:E (variables, expected edges), by commas")
      ->delimiter(',')
      ->group(test);
  command->add_option("--rows,-m", request.study.rows, "Rows (1000)")
      ->check(CLI::Range(10, 10000000))
      ->group(test);
  command->add_option("--graphs", request.study.graphs, "Data sets a mechanism (5)")
      ->check(CLI::Range(1, 1000000))
      ->group(test);
  add_named_choice(*command, "--device", arguments->study.device, kDeviceNames, "auto, cpu or cuda");
  add_named_choice(*command, "--precision", arguments->study.precision, kPrecisionNames,
                   "Of the tests: auto, fp32 or bf16; auto: bf16 where the hardware multiplies it");
  command->add_option("--plot", arguments->picture, "Accuracy against minutes of training (.svg)");
  command->add_option("--markdown", arguments->markdown, "The table as Markdown");
  add_common_options(*command, arguments->common, kSeed | kThreads | kQuiet | kJson);
  command->footer(
      "Examples:\n"
      "  causcale benchmark architectures --device cuda -o study --markdown study.md --plot study.svg\n"
      "  causcale benchmark architectures --tiny --minutes 0.05 --train-nodes 5 --train-rows 60 --tokens "
      "2400 \\\n"
      "    --nodes 5 --rows 60 --graphs 1 -o look");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace causcale::cli
