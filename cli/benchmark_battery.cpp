#include "benchmark_battery.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/npy.h"
#include "base/standard_error.h"
#include "benchmark/battery_summary.h"
#include "choice_option.h"
#include "commands.h"
#include "core/card.h"
#include "core/option_names.h"

namespace causcale::cli {
namespace {

struct Arguments {
  StudyRequest request;
  CommonOptions common;
  RunStudyOptions study;
  std::filesystem::path output, picture, markdown, scores;
  double method_timeout = 60.0;
  bool no_network = false;
};

void run(Arguments& arguments) {
  StudyRequest& request = arguments.request;
  request.seed = arguments.common.seed;
  request.network = !arguments.no_network;
  RunStudyOptions options = arguments.study;
  options.threads = arguments.common.threads;
  options.method_seconds = arguments.method_timeout;
  if (!arguments.common.quiet) options.progress = [](const std::string& line) { print_error("{}\n", line); };
  if (!arguments.scores.empty())
    options.answered = [&](const StudyRow& row, std::uint32_t, const Matrix<double>& scores) {
      const std::filesystem::path folder = arguments.scores / row.labels.front();
      std::filesystem::create_directories(folder);
      write_file_atomically(folder / (row.contender.label + ".npy"), format_npy(scores));
    };

  RecordFile records(arguments.output);
  records.save();  // a place that cannot be written to is noticed before the work
  const Battery battery = make_battery(request);
  for (const BatterySet& set : battery.sets)
    if (!set.failure.empty())
      print_remark("warning", fmt::format("{} cannot be read: {}", set.name, set.failure), "");
  const StudyOutcome outcome = run_battery(battery, options, records);
  const nlohmann::ordered_json table = battery_to_json(battery, outcome);
  records.set_table(battery.study.name, table);
  records.save();
  if (!arguments.picture.empty())
    write_file_atomically(arguments.picture, format_battery_picture(battery, outcome));
  if (!arguments.markdown.empty())
    write_file_atomically(arguments.markdown, format_battery_markdown(battery, outcome));
  if (arguments.common.json)
    fmt::print("{}\n", table.dump(2));
  else
    fmt::print("{}", format_battery_text(battery, outcome));
}

void add_network_options(CLI::App& command, Arguments& arguments) {
  StudyRequest& request = arguments.request;
  const char* group = "Network";
  command
      .add_option("--model", request.model, "Installed model or weight file; without it discover's default")
      ->group(group);
  add_named_choice(command, "--device", arguments.study.device, kDeviceNames, "auto, cpu or cuda")
      ->group(group);
  add_named_choice(command, "--precision", arguments.study.precision, kPrecisionNames,
                   "auto, fp32 or bf16; auto: bf16 where the hardware multiplies it")
      ->group(group);
  add_named_choice(command, "--prior-scale", request.prior_units, kPriorUnitNames,
                   "raw, standardized or auto (as the model's file says, else standardized); without it auto")
      ->group(group);
  command.add_option("--max-samples", request.max_samples, "Most rows per pass; without it as in discover")
      ->group(group);
  command.add_option("--ensemble", request.ensemble, "Passes over disjoint rows, averaged")
      ->check(CLI::Range(0, 10000))
      ->group(group);
  command
      .add_option("--views", request.views,
                  "Times that the network sees the rows with different columns mirrored, averaged; 0 = what "
                  "the model is used to")
      ->check(CLI::Range(0, kMostViews))
      ->group(group);
  command.add_flag("--no-network", arguments.no_network, "Competing methods only")->group(group);
}

}  // namespace

void add_battery(CLI::App& benchmark, std::uint64_t default_seed) {
  auto arguments = std::make_shared<Arguments>();
  arguments->common.seed = default_seed;
  CLI::App* command = benchmark.add_subcommand(
      "battery", "Every data set in a folder beside the methods that suit it, summed up per class of data");
  command
      ->add_option("folder", arguments->request.folder,
                   "Folder of data sets: data.csv, truth.csv, interventions.csv")
      ->required();
  add_network_options(*command, *arguments);
  command
      ->add_option("--methods", arguments->request.methods,
                   "Competing methods by commas, all or none; without it those that suit the class")
      ->delimiter(',')
      ->group("Competing methods");
  command
      ->add_option("--method-timeout", arguments->method_timeout,
                   "Seconds that a competing method may take for one data set, 0 = no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group("Competing methods");
  const char* group = "Output";
  command
      ->add_option(
          "--output,-o", arguments->output,
          "JSON of all results; what it holds already is not computed again, so an interrupted run goes on "
          "where it was")
      ->group(group);
  command->add_option("--picture,--plot", arguments->picture, "Directed AP per class as bars (.svg)")
      ->group(group);
  command->add_option("--markdown", arguments->markdown, "All tables as Markdown")->group(group);
  command
      ->add_option("--scores", arguments->scores,
                   "Folder for the scores of all pairs, SET/METHOD.npy, of what this run computes")
      ->group(group);
  add_common_options(*command, arguments->common, kSeed | kThreads | kQuiet | kJson);
  command->footer(
      "Examples:\n"
      "  causcale benchmark battery datasets/ -o battery.json --markdown battery.md\n"
      "  causcale benchmark battery datasets/ --methods none --precision fp32");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace causcale::cli
