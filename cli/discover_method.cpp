#include "discover_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "command_tree.h"
#include "core/option_names.h"
#include "discover/option_list.h"
#include "method_options.h"
#include "report/method_report.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShownEdges = 30;

MethodOptions method_options(const MethodJob& job, const Method& method) {
  MethodOptions options;
  for (const std::string& text : job.choice.settings) {
    const auto [key, value] = parse_setting(text);
    if (!options.settings.emplace(key, value).second)
      throw UsageError(fmt::format("--set {}: '{}' is set twice", text, key));
  }
  const bool has_device = std::ranges::any_of(
      method.settings, [](const MethodSetting& setting) { return setting.name == "device"; });
  if (has_device)
    options.settings.emplace("device", name_of(kDeviceNames, job.device));
  else if (job.device == Device::kCuda)
    throw UsageError(fmt::format("--device cuda: {} runs on the CPU only", method.name));
  options.knowledge = job.knowledge;
  options.seed = job.common.seed;
  options.threads = job.common.threads;
  options.seconds = job.choice.timeout;
  return options;
}

std::string options_json(const MethodJob& job) {
  nlohmann::ordered_json json = {
      {"method", job.choice.name},
      {"top", job.selection.top},
      {"dag", job.selection.acyclic ? name_of(kAcyclicRuleNames, job.selection.acyclic_rule) : std::string()},
      {"seed", job.common.seed},
      {"threads", job.common.threads}};
  json["threshold"] = job.selection.threshold ? nlohmann::ordered_json(*job.selection.threshold) : nullptr;
  for (const std::string& text : job.choice.settings) {
    const auto [key, value] = parse_setting(text);
    json["settings"][key] = value;
  }
  return json.dump();
}

void print_outcome(const MethodOutcome& outcome, const Method& method, const AuditReport& findings,
                   const EdgeSelection& selection) {
  fmt::print(
      "{} rows, {} variables, {} intervened {}{}; method {} ({}).\n", outcome.result.rows,
      outcome.result.names.size(), findings.intervened_rows, findings.intervened_rows == 1 ? "row" : "rows",
      findings.intervened_rows > 0 && method.interventions != "used" ? " (taken as observational)" : "",
      method.name, graph_class_name(outcome.graph_class));
  fmt::print("{} {}. The scores are a ranking, not probabilities: higher is surer.\n",
             outcome.marks.edge_count(), outcome.marks.edge_count() == 1 ? "edge" : "edges");
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
      .add_option("--method", choice.name, "Another method in the network's place (see: causcale methods)")
      ->transform(any_case(method_words()))
      ->group("Method");
  command.add_option("--set", choice.settings, "Setting of that method, KEY=VALUE (repeatable)")
      ->allow_extra_args(false)
      ->group("Method");
  add_method_timeout(command, choice.timeout, "Method");
}

void check_method_choice(const CLI::App& command, const MethodChoice& choice) {
  if (choice.network()) {
    if (!choice.settings.empty())
      throw UsageError("--set belongs to --method; the network's options are listed by --help");
    if (command.count("--method-timeout") > 0)
      throw UsageError("--method-timeout belongs to --method; the network has no time limit");
    return;
  }
  method_named(choice.name);
  std::vector<std::string> meaningless = {"--ancestry", "--plan", "--all-pairs"};
  for (const DiscoverOption& option : discover_option_list())
    if (option.network_only) meaningless.push_back(command_line_name(option));
  for (const std::string& option : meaningless)
    if (command.count(option) > 0)
      throw UsageError(
          fmt::format("{} concerns the network and has no meaning with --method {}", option, choice.name));
}

void discover_with_method(const MethodJob& job, const Dataset& dataset, const AuditReport& findings,
                          RunRecord record) {
  const Method& method = method_named(job.choice.name);
  MethodOptions options = method_options(job, method);
  MethodResult found;
  {
    MethodProgress progress(method.name, job.common.quiet || job.common.json);
    options.progress = [&](const std::string& stage, double share) { progress(stage, share); };
    found = run_method(method, dataset, options);
  }
  const MethodOutcome outcome =
      to_outcome(method.name, dataset, std::move(found), job.knowledge, job.selection);
  record.options_json = options_json(job);
  for (const auto& path : job.outputs) write_method_outcome(path, outcome, record);
  if (!job.matrix.empty()) write_matrix(job.matrix, outcome.result);
  const bool prints_list = std::ranges::any_of(job.outputs, is_standard_output);
  if (job.common.json)
    fmt::print("{}", format_method_json(outcome, record));
  else if (job.common.quiet && job.outputs.empty() && job.matrix.empty())
    fmt::print("{}", format_method_csv(outcome));
  else if (!job.common.quiet && !prints_list)
    print_outcome(outcome, method, findings, job.selection);
}

}  // namespace causcale::cli
