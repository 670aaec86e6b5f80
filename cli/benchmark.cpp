// causcale benchmark TABLE: the paper's tables and pictures, measured anew beside the paper's figures.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/standard_error.h"
#include "benchmark/ablation.h"
#include "benchmark/run_study.h"
#include "benchmark/studies.h"
#include "benchmark/tables.h"
#include "benchmark_architectures.h"
#include "benchmark_battery.h"
#include "causcale/error.h"
#include "choice_option.h"
#include "commands.h"
#include "core/card.h"
#include "core/option_names.h"

namespace causcale::cli {
namespace {

// Not a seed that training configurations use, so that test data are new to every model.
constexpr std::uint64_t kDefaultSeed = 20260;

struct Arguments {
  StudyRequest request;
  CommonOptions common;
  RunStudyOptions study;
  std::filesystem::path output, picture, markdown;
  double method_timeout = 3600.0;
  std::int64_t prior_rows = 0;
  bool no_network = false;
  std::vector<std::string> variants;
  std::filesystem::path write_configs;
  std::int64_t steps = 1000;
};

std::pair<std::string, std::filesystem::path> parse_variant(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(
        fmt::format("--variant {}: write NAME=FILE, such as full=runs/full/model.safetensors", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void settle_request(Arguments& arguments) {
  StudyRequest& request = arguments.request;
  request.seed = arguments.common.seed;
  request.network = !arguments.no_network;
  if (arguments.prior_rows > 0) request.prior_rows = static_cast<std::size_t>(arguments.prior_rows);
  for (const std::string& text : arguments.variants) request.variants.push_back(parse_variant(text));
}

void write_configs(const Arguments& arguments) {
  const auto files = write_ablation_configs(arguments.write_configs, arguments.steps);
  if (arguments.common.quiet) return;
  fmt::print("{} configurations of {} steps each. Train them, then compare:\n", files.size(),
             arguments.steps);
  std::string compare = "causcale benchmark ablation";
  for (const auto& file : files) {
    const std::filesystem::path run = file.parent_path() / file.stem();
    fmt::print("  causcale train --config {} --out {}\n", file.string(), run.string());
    compare += fmt::format(" --variant {}={}", file.stem().string(), (run / "model.safetensors").string());
  }
  fmt::print("  {}\n", compare);
}

void run(Arguments& arguments, const StudyEntry& entry) {
  if (!arguments.write_configs.empty()) {
    write_configs(arguments);
    return;
  }
  settle_request(arguments);
  const Study study = entry.make(arguments.request);
  RunStudyOptions options = arguments.study;
  options.threads = arguments.common.threads;
  options.method_seconds = arguments.method_timeout;
  if (!arguments.common.quiet) options.progress = [](const std::string& line) { print_error("{}\n", line); };

  RecordFile records(arguments.output);
  records.save();  // a place that cannot be written to is noticed before the work
  const StudyOutcome outcome = run_study(study, options, records);
  const nlohmann::ordered_json table = study_to_json(study, outcome);
  records.set_table(study.name, table);
  records.save();
  if (!arguments.picture.empty())
    write_file_atomically(arguments.picture, format_study_picture(study, outcome));
  if (!arguments.markdown.empty())
    write_file_atomically(arguments.markdown, format_study_markdown(study, outcome));
  if (arguments.common.json)
    fmt::print("{}\n", table.dump(2));
  else
    fmt::print("{}", format_study_text(study, outcome));
}

void add_data_options(CLI::App& command, Arguments& arguments) {
  StudyRequest& request = arguments.request;
  const char* group = "Test data";
  command.add_option("--nodes,-n", request.sizes, "Sizes N or N:E (variables, expected edges), by commas")
      ->delimiter(',')
      ->group(group);
  command
      .add_option(
          "--mechanisms", request.mechanisms,
          "By commas: linear, nn, sigmoid, polynomial, any other of 'causcale simulate', synthetic (those "
          "four), sergio")
      ->delimiter(',')
      ->group(group);
  command.add_option("--rows,-m", request.rows, "Rows of synthetic data (samples: several, by commas)")
      ->delimiter(',')
      ->check(CLI::Range(2, 100000000))
      ->group(group);
  command.add_option("--sergio-rows", request.sergio_rows, "Rows of SERGIO data")
      ->check(CLI::Range(1, 100000000))
      ->group(group);
  command.add_option("--graphs", request.graphs, "Data sets a setting (paper: 5)")
      ->check(CLI::Range(1, 1000000))
      ->group(group);
  command.add_flag("--quick", request.quick, "A quick look: 20 variables, 500 rows, 2 graphs, no SERGIO")
      ->group(group);
}

void add_method_options(CLI::App& command, Arguments& arguments) {
  StudyRequest& request = arguments.request;
  const char* group = "Methods";
  command
      .add_option("--model", request.model,
                  "Installed model or weight file; without it synthetic, for real data discover's default")
      ->group(group);
  command
      .add_option("--sergio-model", request.sergio_model,
                  "Model for SERGIO data; without it sergio, or --model if that is not synthetic")
      ->group(group);
  add_named_choice(command, "--device", arguments.study.device, kDeviceNames, "auto, cpu or cuda")
      ->group(group);
  add_named_choice(command, "--precision", arguments.study.precision, kPrecisionNames,
                   "auto, fp32 or bf16; auto: bf16 where the hardware multiplies it")
      ->group(group);
  add_named_choice(command, "--prior-scale", request.prior_units, kPriorUnitNames,
                   "raw, standardized or auto (as the model's file says, else standardized); without it raw "
                   "for simulated data, auto for real ones")
      ->group(group);
  command
      .add_option("--prior-rows", arguments.prior_rows,
                  "Prior from so many random rows (paper: 500); without it from all")
      ->check(CLI::Range(2, 100000000))
      ->group(group);
  command
      .add_option("--max-samples", request.max_samples,
                  "Most rows per pass; without it all rows in one pass (real: as in discover)")
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
  command.add_option("--methods", request.methods, "Competing methods by commas, or all")
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--method-timeout", arguments.method_timeout,
                  "Seconds that a competing method may take for one data set, 0 = no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  command.add_flag("--no-network", arguments.no_network, "Competing methods only")->group(group);
  command.add_flag("--paper-methods", request.paper_methods, "Show the paper's other methods, too")
      ->group(group);
}

void add_output_options(CLI::App& command, Arguments& arguments) {
  const char* group = "Output";
  command
      .add_option(
          "--output,-o", arguments.output,
          "JSON of all results; what it holds already is not computed again, so an interrupted run goes on "
          "where it was")
      ->group(group);
  command.add_option("--plot", arguments.picture, "Picture (.svg)")->group(group);
  command.add_option("--markdown", arguments.markdown, "The table as Markdown")->group(group);
  add_common_options(command, arguments.common, kSeed | kThreads | kQuiet | kJson);
}

void add_own_options(CLI::App& command, const std::string& name, Arguments& arguments) {
  StudyRequest& request = arguments.request;
  if (name == "hidden")
    command.add_option("--hidden", request.hidden, "Numbers of hidden variables, by commas (paper: 1 to 64)")
        ->delimiter(',')
        ->check(CLI::NonNegativeNumber);
  if (name == "prior")
    command
        .add_option("--prior-sizes", request.prior_sizes, "Rows for the prior, by commas (paper: 10 to 500)")
        ->delimiter(',');
  if (name == "real")
    command
        .add_option("folder", request.folder, "Folder of data sets: data.csv, truth.csv, interventions.csv")
        ->required();
  if (name == "ablation") {
    command
        .add_option("--variant", arguments.variants,
                    "NAME=FILE: a variant's trained weights; may be repeated")
        ->allow_extra_args(false);
    command.add_option("--write-configs", arguments.write_configs,
                       "Only write training configurations of all variants to this folder");
    command.add_option("--steps", arguments.steps, "Training steps in these configurations")
        ->check(CLI::Range(1, 100000000))
        ->capture_default_str();
  }
}

}  // namespace

void add_benchmark(CLI::App& app) {
  CLI::App* benchmark =
      app.add_subcommand("benchmark", "The paper's tables measured anew, beside the paper's figures");
  benchmark->require_subcommand(1);
  benchmark->footer(
      "Examples:\n"
      "  causcale benchmark table1 --quick\n"
      "  causcale benchmark table1 --device cuda -o results.json --plot table1.svg --markdown table1.md\n"
      "  causcale benchmark aid -o results.json            (takes what table1 left there)\n"
      "  causcale benchmark table1 --nodes 100 --mechanisms synthetic --methods all\n"
      "  causcale benchmark real datasets/\n"
      "  causcale benchmark battery datasets/ -o battery.json");
  for (const StudyEntry& entry : study_entries()) {
    auto arguments = std::make_shared<Arguments>();
    arguments->common.seed = kDefaultSeed;
    CLI::App* command = benchmark->add_subcommand(std::string(entry.name), std::string(entry.summary));
    add_own_options(*command, std::string(entry.name), *arguments);
    add_data_options(*command, *arguments);
    add_method_options(*command, *arguments);
    add_output_options(*command, *arguments);
    command->callback([arguments, &entry] { run(*arguments, entry); });
  }
  add_architectures(*benchmark, kDefaultSeed);
  add_battery(*benchmark, kDefaultSeed);
}

}  // namespace causcale::cli
