#include "discover_method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "command_tree.h"
#include "core/option_names.h"
#include "discover/combine.h"
#include "discover/method_bootstrap.h"
#include "discover/option_list.h"
#include "method_options.h"
#include "report/method_report.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShownEdges = 30;

MethodOptions common_options(const MethodJob& job) {
  MethodOptions options;
  options.knowledge = job.knowledge;
  options.seed = job.common.seed;
  options.threads = job.common.threads;
  options.seconds = job.choice.timeout;
  return options;
}

// The settings of one method as typed, checked for repetition, and the device where it has a choice.
std::map<std::string, std::string> settings_of(const MethodJob& job, const std::string& name) {
  std::map<std::string, std::string> settings;
  for (const std::string& text : job.choice.settings) {
    auto [key, value] = parse_setting(text);
    if (job.choice.combine) {
      const std::size_t dot = key.find('.');
      if (dot == std::string::npos || key.substr(0, dot) == "causcale" ||
          std::ranges::find(job.choice.names, key.substr(0, dot)) == job.choice.names.end())
        throw UsageError(fmt::format(
            "--set {}: write METHOD.KEY=VALUE, such as pc.alpha=0.01, with a method named in --method",
            text));
      if (key.substr(0, dot) != name) continue;
      key = key.substr(dot + 1);
    }
    if (!settings.emplace(key, value).second)
      throw UsageError(fmt::format("--set {}: '{}' is set twice", text, key));
  }
  if (name == "causcale") return settings;
  const Method& method = method_named(name);
  const bool has_device = std::ranges::any_of(
      method.settings, [](const MethodSetting& setting) { return setting.name == "device"; });
  if (has_device)
    settings.emplace("device", name_of(kDeviceNames, job.network.device));
  else if (job.network.device == Device::kCuda && !job.choice.combine)
    throw UsageError(fmt::format("--device cuda: {} runs on the CPU only", method.name));
  return settings;
}

// One method, or the agreement of several.
MethodRun method_run(const MethodJob& job) {
  if (job.choice.combine) {
    std::vector<CombinedMethod> methods;
    for (const std::string& name : job.choice.names) methods.push_back({name, settings_of(job, name)});
    return [methods, network = job.network](const Dataset& dataset, const MethodOptions& options) {
      return run_combined(methods, dataset, options, network);
    };
  }
  const std::string& name = job.choice.names.front();
  return [&method = method_named(name), settings = settings_of(job, name)](const Dataset& dataset,
                                                                           const MethodOptions& options) {
    MethodOptions own = options;
    own.settings = settings;
    return run_method(method, dataset, own);
  };
}

std::string shown_name(const MethodChoice& choice) {
  return fmt::format("{}", fmt::join(choice.names, "+"));
}

std::string options_json(const MethodJob& job) {
  nlohmann::ordered_json json = {
      {"method", shown_name(job.choice)},
      {"top", job.selection.top},
      {"dag", job.selection.acyclic ? name_of(kAcyclicRuleNames, job.selection.acyclic_rule) : std::string()},
      {"seed", job.common.seed},
      {"threads", job.common.threads}};
  if (job.network.min_probability > 0) json["min_probability"] = job.network.min_probability;
  if (job.network.bootstrap > 0) json["bootstrap"] = job.network.bootstrap;
  json["threshold"] = job.selection.threshold ? nlohmann::ordered_json(*job.selection.threshold) : nullptr;
  for (const std::string& text : job.choice.settings) {
    const auto [key, value] = parse_setting(text);
    json["settings"][key] = value;
  }
  return json.dump();
}

// Interventions count as observations to methods that do not know them.
bool uses_interventions(const MethodChoice& choice) {
  return std::ranges::any_of(choice.names, [](const std::string& name) {
    return name == "causcale" || method_named(name).interventions == "used";
  });
}

void print_outcome(const MethodOutcome& outcome, const MethodChoice& choice, const AuditReport& findings,
                   const EdgeSelection& selection) {
  fmt::print(
      "{} rows, {} variables, {} intervened {}{}; {} {} ({}).\n", outcome.result.rows,
      outcome.result.names.size(), findings.intervened_rows, findings.intervened_rows == 1 ? "row" : "rows",
      findings.intervened_rows > 0 && !uses_interventions(choice) ? " (taken as observational)" : "",
      choice.combine ? "agreement of" : "method", shown_name(choice), graph_class_name(outcome.graph_class));
  fmt::print("{} {}. {}\n", outcome.marks.edge_count(), outcome.marks.edge_count() == 1 ? "edge" : "edges",
             choice.combine
                 ? "Probabilities are shares of the methods; open directions count half for either."
                 : "The scores are a ranking, not probabilities: higher is surer.");
  if (outcome.graph_class == GraphClass::kCpdag)
    fmt::print("-->: a cause of; ---: the direction cannot be told from the data.\n");
  if (outcome.graph_class == GraphClass::kPag)
    fmt::print("-->: a cause of; <->: a common cause that was not measured; o: either mark is possible.\n");
  fmt::print("\n{}", format_method_terminal(outcome, kShownEdges));
  for (const std::string& line : outcome.log) fmt::print("{}\n", line);
  if (!selection.acyclic) return;
  if (outcome.result.removed_edges.empty()) fmt::print("\nNo edge had to go to make the graph acyclic.\n");
  for (const ScoredEdge& removed : outcome.result.removed_edges)
    fmt::print("  removed to break a cycle: {} -> {} (score {:.4g})\n",
               outcome.result.names[removed.edge.source], outcome.result.names[removed.edge.target],
               removed.score);
  if (!outcome.price || !(outcome.price->greedy > 0)) return;
  fmt::print("  sum of scores given up: {:.4g}", outcome.price->removed);
  if (selection.acyclic_rule == AcyclicRule::kOptimal)
    fmt::print(" ({}; the greedy rule gives up {:.4g})",
               outcome.price->exact ? "the least possible" : "best found", outcome.price->greedy);
  fmt::print("\n");
}

}  // namespace

void add_method_options(CLI::App& command, MethodChoice& choice) {
  command
      .add_option("--method", choice.names,
                  "Another method in the network's place (see: causcale methods); with --combine several, "
                  "separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(any_case(method_words()))
      ->group("Method");
  command
      .add_flag("--combine", choice.combine,
                "One graph of the methods that --method names (causcale: the network): which share of them "
                "finds each edge")
      ->group("Method");
  command
      .add_option("--set", choice.settings,
                  "Setting of that method, KEY=VALUE; with --combine METHOD.KEY=VALUE (repeatable)")
      ->allow_extra_args(false)
      ->group("Method");
  add_method_timeout(command, choice.timeout, "Method");
}

void check_method_choice(const CLI::App& command, const MethodChoice& choice) {
  if (choice.combine && choice.names.size() < 2)
    throw UsageError("--combine takes at least two methods, such as --method pc,ges,boss --combine");
  if (choice.network()) {
    if (!choice.settings.empty())
      throw UsageError("--set belongs to --method; the network's options are listed by --help");
    if (command.count("--method-timeout") > 0)
      throw UsageError("--method-timeout belongs to --method; the network has no time limit");
    return;
  }
  if (!choice.combine && choice.names.size() > 1)
    throw UsageError(
        fmt::format("--method {}: several methods make one graph with --combine; causcale compare shows them "
                    "side by side",
                    fmt::join(choice.names, ",")));
  for (const std::string& name : choice.names)
    if (name != "causcale" || !choice.combine) method_named(name);
  const bool with_network = std::ranges::find(choice.names, std::string("causcale")) != choice.names.end();
  std::vector<std::string> meaningless = {"--samples", "--ancestry", "--plan", "--all-pairs"};
  for (const DiscoverOption& option : discover_option_list())
    if (option.network_only && !with_network) meaningless.push_back(command_line_name(option));
  for (const std::string& option : meaningless)
    if (command.count(option) > 0)
      throw UsageError(fmt::format("{} concerns the network and has no meaning with --method {}", option,
                                   fmt::join(choice.names, ",")));
}

void discover_with_method(const MethodJob& job, const Dataset& dataset, const AuditReport& findings,
                          RunRecord record) {
  const std::string name = shown_name(job.choice);
  const MethodRun run = method_run(job);
  MethodOptions options = common_options(job);
  MethodOutcome outcome;
  {
    MethodProgress progress(name, job.common.quiet || job.common.json);
    const int repetitions = job.network.bootstrap;
    const double own_share = 1.0 / (1.0 + repetitions);
    options.progress = [&](const std::string& stage, double share) { progress(stage, own_share * share); };
    outcome = to_outcome(name, dataset, run(dataset, options), job.knowledge, job.selection);
    outcome.result.min_probability = job.network.min_probability;
    options.progress = [&](const std::string& stage, double share) {
      progress(stage, own_share + (1.0 - own_share) * share);
    };
    if (repetitions > 0) bootstrap_method(run, dataset, options, job.selection, repetitions, outcome);
  }
  record.options_json = options_json(job);
  for (const auto& path : job.outputs) write_method_outcome(path, outcome, record);
  if (!job.matrix.empty()) write_matrix(job.matrix, outcome.result);
  const bool prints_list = std::ranges::any_of(job.outputs, is_standard_output);
  if (job.common.json)
    fmt::print("{}", format_method_json(outcome, record));
  else if (job.common.quiet && job.outputs.empty() && job.matrix.empty())
    fmt::print("{}", format_method_csv(outcome));
  else if (!job.common.quiet && !prints_list)
    print_outcome(outcome, job.choice, findings, job.selection);
}

}  // namespace causcale::cli
