// causcale compare DATA [--methods a,b,c]: several methods on the same table, side by side.
#include "methods/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "causcale/error.h"
#include "command_tree.h"
#include "commands.h"
#include "data/audit.h"
#include "input_options.h"
#include "method_options.h"
#include "output_paths.h"
#include "report/compare_report.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShownAgreement = 30;

struct CompareOptions {
  InputOptions input;
  CommonOptions common;
  std::vector<std::string> methods;
  std::vector<std::string> settings;
  std::filesystem::path truth, output, edges;
  std::string model;
  double method_timeout = kMethodSeconds;
};

std::vector<std::string> accepted_names(bool with_training = true) {
  std::vector<std::string> names;
  names.push_back("causcale");
  for (const Method& method : classical_methods())
    if (with_training || !method.trains_networks) names.push_back(method.name);
  // Known by name, so that no option needs the training library to be opened.
  if (with_training) names.insert(names.end(), kTensorMethodNames.begin(), kTensorMethodNames.end());
  return names;
}

std::vector<std::string> training_names() {
  std::vector<std::string> names;
  for (const Method& method : classical_methods())
    if (method.trains_networks) names.push_back(method.name);
  names.insert(names.end(), kTensorMethodNames.begin(), kTensorMethodNames.end());
  return names;
}

// True when nobody named a method.
bool fill_in_methods(CompareOptions& options) {
  if (options.methods.empty()) {
    options.methods = accepted_names(/*with_training=*/false);
    return true;
  }
  if (options.methods == std::vector<std::string>{"all"}) options.methods = accepted_names();
  return false;
}

void check_names(const CompareOptions& options) {
  std::vector<std::string> accepted = accepted_names();
  accepted.insert(accepted.end(), kPretrainedMethodNames.begin(), kPretrainedMethodNames.end());
  for (auto name = options.methods.begin(); name != options.methods.end(); ++name) {
    if (std::ranges::find(accepted, *name) == accepted.end())
      throw UsageError(
          fmt::format("--methods: unknown method '{}'; accepted: {}", *name, fmt::join(accepted, ", ")));
    if (std::find(options.methods.begin(), name, *name) != name)
      throw UsageError(fmt::format("--methods: '{}' is named twice", *name));
  }
  const std::string extension = options.output.extension().string();
  if (!options.output.empty() && extension != ".json" && extension != ".csv")
    throw UsageError(fmt::format("{}: use a name that ends in .json or .csv", options.output.string()));
  if (!options.edges.empty() && options.edges.extension() != ".csv")
    throw UsageError(fmt::format("--edges {}: use a name that ends in .csv", options.edges.string()));
  const InputOptions& input = options.input;
  check_output_paths({options.output, options.edges},
                     {input.data, input.interventions, input.targets, options.truth});
}

// "pc.alpha=0.01" -> settings["pc"]["alpha"]
std::map<std::string, std::map<std::string, std::string>> settings_by_method(const CompareOptions& options) {
  std::map<std::string, std::map<std::string, std::string>> result;
  for (const std::string& text : options.settings) {
    const auto [key, value] = parse_setting(text);
    const std::size_t dot = key.find('.');
    const std::string method = key.substr(0, dot);
    if (dot == std::string::npos || method == "causcale" ||
        std::ranges::find(options.methods, method) == options.methods.end())
      throw UsageError(fmt::format(
          "--set {}: write METHOD.KEY=VALUE, such as pc.alpha=0.01, with a method named in --methods", text));
    result[method][key.substr(dot + 1)] = value;
  }
  return result;
}

MethodResult run_network(const Dataset& dataset, const CompareOptions& options) {
  MethodProgress progress("causcale", options.common.quiet || options.common.json);
  DiscoverOptions discovery;
  discovery.model = options.model;
  discovery.seed = options.common.seed;
  discovery.threads = options.common.threads;
  discovery.progress = [&](const std::string& stage, double share) { progress(stage, share); };
  DiscoverResult found = discover(dataset, discovery);
  MethodResult result;
  result.scores = std::move(found.probabilities);
  result.graph = with_opposites_joined(found.graph);
  result.log.push_back(fmt::format("model {}, {} pass(es) of up to {} rows on {}", found.model_name,
                                   found.passes, found.rows_per_pass, found.device));
  if (!found.missing_rule.empty()) result.log.push_back(found.missing_rule);
  return result;
}

std::vector<Contestant> contestants(const CompareOptions& options) {
  const auto settings = settings_by_method(options);
  std::vector<Contestant> result;
  for (const std::string& name : options.methods) {
    if (name == "causcale") {
      result.push_back({name, [&options](const Dataset& dataset) { return run_network(dataset, options); }});
      continue;
    }
    MethodOptions method_options;
    if (const auto own = settings.find(name); own != settings.end()) method_options.settings = own->second;
    method_options.seed = options.common.seed;
    method_options.threads = options.common.threads;
    method_options.seconds = options.method_timeout;
    const Method& method = method_named(name);
    result.push_back({name, [&options, &method, method_options](const Dataset& dataset) mutable {
                        MethodProgress progress(method.name, options.common.quiet || options.common.json);
                        method_options.progress = [&](const std::string& stage, double share) {
                          progress(stage, share);
                        };
                        return run_method(method, dataset, method_options);
                      }});
  }
  return result;
}

void run(CompareOptions& options) {
  const bool by_default = fill_in_methods(options);
  check_names(options);
  options.input.threads = options.common.threads;
  take_standard_input(options.input);
  std::vector<Contestant> list = contestants(options);
  ReadNotes notes;
  const Dataset dataset = read_input(options.input, &notes);
  if (by_default && dataset.interventions.observational())
    std::erase_if(list, [](const Contestant& contestant) {
      return contestant.name != "causcale" && method_named(contestant.name).needs_interventions;
    });
  const AuditReport findings = audit(dataset, data_name(options.input), &notes);
  findings.throw_if_errors();
  if (!options.common.quiet)
    for (const Finding& finding : findings.findings)
      if (finding.severity == Severity::kWarning) print_remark("warning", finding.message, finding.hint);
  std::optional<Digraph> truth;
  if (!options.truth.empty()) truth = read_truth(options.truth, dataset.table.names);
  const Comparison comparison =
      compare_methods(dataset, list, truth ? &*truth : nullptr, options.common.threads);

  const auto json_text = [&] {
    return comparison_json(comparison).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  };
  if (options.output.extension() == ".json") write_file_atomically(options.output, json_text());
  if (options.output.extension() == ".csv")
    write_file_atomically(options.output, format_comparison_csv(comparison));
  if (!options.edges.empty()) write_file_atomically(options.edges, format_agreement_csv(comparison));
  if (options.common.json)
    fmt::print("{}", json_text());
  else
    fmt::print("{} rows, {} variables, {} intervened rows\n\n{}", dataset.table.rows(), dataset.table.cols(),
               findings.intervened_rows, format_comparison(comparison, kShownAgreement));
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Several methods on the same table, side by side");
  command->footer(
      "A method that fails or takes too long says so in its line; the others go on. MiB is the memory that\n"
      "a method took on top of what was in use. Scores of methods other than causcale are rankings, no\n"
      "probabilities.\n\n"
      "Examples:\n"
      "  causcale compare data.csv\n"
      "  causcale compare data.csv --truth truth.csv --methods causcale,pc,ges,notears\n"
      "  causcale compare data.csv --interventions targets.csv --methods gies,sdcd -o table.csv\n"
      "  causcale compare data.csv --methods pc,fci --set pc.alpha=0.01 -o all.json --edges edges.csv");
  auto options = std::make_shared<CompareOptions>();
  add_input_options(*command, options->input);
  command
      ->add_option("--methods", options->methods,
                   fmt::format("Names from 'causcale methods', comma-separated, or all; causcale is the "
                               "network. Without it all but\nthose that train networks on the table ({})",
                               fmt::join(training_names(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(any_case(method_words()))
      ->group("Methods");
  command->add_option("--set", options->settings, "Setting of a method, METHOD.KEY=VALUE (repeatable)")
      ->allow_extra_args(false)
      ->group("Methods");
  add_method_timeout(*command, options->method_timeout, "Methods");
  command->add_option("--model", options->model, "The network's weights: an installed model or a file")
      ->group("Methods");
  command->add_option("--truth", options->truth, "The true graph, for the metrics: matrix or edge list")
      ->group("Output");
  command
      ->add_option("-o,--output", options->output, "The table: .json (everything) or .csv (a line a method)")
      ->group("Output");
  command->add_option("--edges", options->edges, "Which method found which edge: FILE.csv")->group("Output");
  add_common_options(*command, options->common, kSeed | kThreads | kQuiet | kJson);
  command->callback([options] { run(*options); });
}

}  // namespace causcale::cli
