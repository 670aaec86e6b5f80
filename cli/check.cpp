// causcale check RESULT.json --data TABLE: does a stored graph fit the data?
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/sha256.h"
#include "causcale/error.h"
#include "commands.h"
#include "discover/graph_check.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "input_options.h"
#include "report/check_report.h"
#include "stored_graph.h"
#include "stored_table.h"

namespace causcale::cli {
namespace {

struct CheckCommand {
  CommonOptions common;
  InputOptions input;
  GraphCheckOptions options;
  std::string result, format;
};

// Without --data, the table that the result was made of must be there and the same.
void check_table(const CheckCommand& command, const StoredResult& stored) {
  if (!command.input.data.empty()) return;
  const std::string& file = stored.record.data_file;
  std::error_code error;
  if (file.empty() || !std::filesystem::is_regular_file(file, error))
    throw UsageError(
        fmt::format("{}: its table '{}' is not there; name it with --data", command.result, file));
  if (sha256_of_file(file) != stored.record.data_sha256)
    throw InputError(
        fmt::format("{}: {} is not what it was when this result was made; name the table with --data",
                    command.result, file));
}

Digraph acyclic_graph(const StoredResult& stored, const std::string& file, std::vector<std::string>& notes) {
  if (stored.by_method && stored.graph_class == GraphClass::kPag)
    throw InputError(
        fmt::format("{}: a PAG allows for causes that were not measured; its claims are others than those of "
                    "a DAG and are not tested here",
                    file));
  if (stored.by_method && stored.graph_class == GraphClass::kUndirected)
    throw InputError(fmt::format("{}: an undirected graph of {} has no causes and effects to be checked",
                                 file, stored.method));
  if (stored.by_method)
    if (const auto extension = consistent_extension(stored.marks)) {
      if (stored.graph_class == GraphClass::kCpdag)
        notes.push_back("one DAG of the equivalence class is tested; all of them claim the same");
      return *extension;
    }
  if (is_acyclic(stored.result.graph)) return stored.result.graph;
  CycleBreaking broken = break_cycles(stored.result.graph, stored.result.probabilities);
  notes.push_back(
      fmt::format("{} edges were left out of the graph to break its cycles", broken.removed.size()));
  return std::move(broken.graph);
}

void run(CheckCommand& command) {
  const StoredResult stored = read_result_or_graph(command.result, command.format);
  check_table(command, stored);
  take_standard_input(command.input);
  command.input.threads = command.options.threads = command.common.threads;
  command.options.seed = command.common.seed;
  std::vector<std::string> notes;
  const Digraph dag = acyclic_graph(stored, command.result, notes);
  const Dataset dataset = read_stored_table(stored, command.input, command.common.quiet);
  if (stored.result.transform == "log1p")
    notes.push_back("values are taken as log(1 + x), as the result was made");
  GraphCheck check = check_graph(dataset, dag, command.options);
  check.notes.insert(check.notes.begin(), notes.begin(), notes.end());
  const std::string table = command.input.data.empty() ? stored.record.data_file : data_name(command.input);
  if (command.common.json)
    fmt::print("{}", format_check_json(check, command.options.alpha, stored.result.names,
                                       {.result = command.result, .data = table}));
  else if (command.common.quiet)
    fmt::print("{}\n", verdict_name(check.verdict));
  else
    fmt::print("{}", format_check(check, command.options.alpha, stored.result.names));
}

}  // namespace

void add_check(CLI::App& app) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* sub =
      app.add_subcommand("check", "Test a stored graph's claims of independence against the data");
  sub->add_option("RESULT", command->result,
                  "Result of discover (.json), also with --method, or with --data a graph in any format of "
                  "causcale convert")
      ->required();
  sub->add_option("--data", command->input.data,
                  "The table, or - for text from standard input; by default the one that the result was made "
                  "of, if it is unchanged");
  sub->add_option("--alpha", command->options.alpha, "Significance level of the single tests")
      ->check(CLI::Range(1e-6, 0.5))
      ->capture_default_str();
  sub->add_option("--test", command->options.test,
                  "Test of independence, as the setting of pc: auto (by the kinds of the columns), fisher-z, "
                  "chi-square, g2, conditional-gaussian, degenerate-gaussian, rank, rcit")
      ->capture_default_str();
  sub->add_option("--permutations", command->options.permutations, "Graphs with exchanged variables")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  sub->add_option("--random", command->options.random_graphs, "Random graphs with as many edges")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  sub->add_option("--tests", command->options.tests, "Most claims tested per graph")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  sub->add_option("--from", command->format, "Format of a graph file where its content leaves it open")
      ->type_name("FORMAT");
  add_reading_options(*sub, command->input);
  add_common_options(*sub, command->common, kSeed | kThreads | kQuiet | kJson);
  sub->footer(
      "A graph without cycles claims that every variable is independent of those before it, given its "
      "parents.\n"
      "Graphs that know nothing of the data (exchanged variables, random ones) show how often such claims\n"
      "are violated anyway. A graph that fits is not proven: others that claim the same fit as well.\n\n"
      "Examples:\n"
      "  causcale discover data.csv --dag -o result.json && causcale check result.json\n"
      "  causcale check result.json --data more_rows.csv --alpha 0.01 --json");
  sub->callback([command] { run(*command); });
}

}  // namespace causcale::cli
