// causcale check RESULT.json --data TABLE: does a stored graph fit the data?
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "causcale/error.h"
#include "commands.h"
#include "discover/graph_check.h"
#include "discover/transform.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "input_options.h"
#include "report/read_result.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShown = 10;

struct CheckCommand {
  CommonOptions common;
  InputOptions input;
  GraphCheckOptions options;
  std::string result;
};

// The table that the result was made of, unless another one is given.
void settle_table(CheckCommand& command, const StoredResult& stored) {
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
  command.input.data = file;
}

// The columns in the order of the result's variables.
Dataset in_order_of(const std::vector<std::string>& names, Dataset dataset, const std::string& file) {
  if (dataset.table.names == names) return dataset;
  const Table& table = dataset.table;
  std::vector<int> column_of, number_of(table.cols(), -1);
  for (std::size_t v = 0; v < names.size(); ++v) {
    const auto found = std::ranges::find(table.names, names[v]);
    if (found == table.names.end())
      throw InputError(fmt::format("{}: there is no column '{}', a variable of the result", file, names[v]));
    column_of.push_back(static_cast<int>(found - table.names.begin()));
    number_of[column_of.back()] = static_cast<int>(v);
  }
  Table ordered{.names = names, .values = Matrix<double>(table.rows(), names.size())};
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (!table.kinds.empty()) ordered.kinds.push_back(table.kinds[column_of[v]]);
    if (!table.levels.empty()) ordered.levels.push_back(table.levels[column_of[v]]);
    for (std::size_t r = 0; r < table.rows(); ++r) ordered.values(r, v) = table.values(r, column_of[v]);
  }
  // An intervention on a column that is no variable still makes its rows no observational ones.
  for (std::vector<int>& regime : dataset.interventions.regimes)
    for (int& column : regime)
      column = number_of[column] >= 0 ? number_of[column] : static_cast<int>(names.size());
  for (std::vector<int>& regime : dataset.interventions.regimes) std::ranges::sort(regime);
  return {std::move(ordered), std::move(dataset.interventions)};
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

double median(const std::vector<double>& ascending) {
  return ascending.empty() ? 0.0 : ascending[ascending.size() / 2];
}

std::string claim_text(const TestedClaim& claim, const std::vector<std::string>& names) {
  std::string text = fmt::format("{} and {}", names[claim.x], names[claim.y]);
  for (std::size_t k = 0; k < claim.given.size(); ++k)
    text += (k ? ", " : ", given ") + names[claim.given[k]];
  return text;
}

std::string verdict_text(const GraphCheck& check, double alpha) {
  const double expected = 100 * alpha;
  switch (check.verdict) {
    case CheckVerdict::kFits:
      return fmt::format(
          "The graph fits: it violates fewer of its claims than {:.0f} % of the graphs with exchanged "
          "variables{}.",
          100 * (1 - check.permuted_p),
          check.graph.violated_share() > 2 * alpha
              ? fmt::format(", though more than the {:.0f} % that chance explains", expected)
              : "");
    case CheckVerdict::kRejected:
      return "The graph is rejected: its claims are violated, and about as often as those of graphs that "
             "know "
             "nothing of the data.";
    case CheckVerdict::kUnclear:
      break;
  }
  if (check.graph.tested == 0)
    return "Nothing can be said: the graph claims no independence that can be tested.";
  return "Nothing can be said: graphs that know nothing of the data do about as well, and violations are "
         "rare.";
}

nlohmann::ordered_json to_json(const GraphCheck& check, const CheckCommand& command,
                               const std::vector<std::string>& names) {
  nlohmann::ordered_json out;
  out["format"] = "causcale.check/1";
  out["result"] = command.result;
  out["data"] = command.input.data.string();
  out["rows"] = check.rows;
  out["alpha"] = command.options.alpha;
  out["verdict"] = verdict_name(check.verdict);
  out["message"] = verdict_text(check, command.options.alpha);
  out["claims"] = {{"tested", check.graph.tested},
                   {"violated", check.graph.violated},
                   {"violated_share", check.graph.violated_share()}};
  out["edges"] = {{"tested", check.graph.edges}, {"without_dependence", check.graph.unsupported}};
  out["permuted"] = {{"graphs", check.permuted.size()},
                     {"median_violated_share", median(check.permuted)},
                     {"p", check.permuted_p},
                     {"same_class_share", check.same_class}};
  out["random"] = {{"graphs", check.random.size()},
                   {"median_violated_share", median(check.random)},
                   {"p", check.random_p}};
  out["violations"] = nlohmann::ordered_json::array();
  for (const TestedClaim& claim : check.violations) {
    auto given = nlohmann::ordered_json::array();
    for (const int node : claim.given) given.push_back(names[node]);
    out["violations"].push_back({{"x", names[claim.x]},
                                 {"y", names[claim.y]},
                                 {"given", std::move(given)},
                                 {"strength", claim.strength}});
  }
  out["edges_without_dependence"] = nlohmann::ordered_json::array();
  for (const Edge& edge : check.unsupported)
    out["edges_without_dependence"].push_back(
        {{"source", names[edge.source]}, {"target", names[edge.target]}});
  out["notes"] = check.notes;
  return out;
}

void print_check(const GraphCheck& check, const CheckCommand& command,
                 const std::vector<std::string>& names) {
  const double alpha = command.options.alpha;
  fmt::print("{}\n\n", verdict_text(check, alpha));
  fmt::print("  {:<34} {:>5.1f} % violated ({} of {}; chance explains {:.0f} %)\n",
             "independences that it claims", 100 * check.graph.violated_share(), check.graph.violated,
             check.graph.tested, 100 * alpha);
  if (!check.permuted.empty())
    fmt::print("  {:<34} {:>5.1f} % in the median of {} graphs, p = {:.3f}\n", "with its variables exchanged",
               100 * median(check.permuted), check.permuted.size(), check.permuted_p);
  if (!check.random.empty())
    fmt::print("  {:<34} {:>5.1f} % in the median of {} graphs, p = {:.3f}\n",
               "random graphs with as many edges", 100 * median(check.random), check.random.size(),
               check.random_p);
  if (check.same_class > 0.05)
    fmt::print("  {:.0f} % of the exchanges change none of the claims: so small a graph is hard to reject.\n",
               100 * check.same_class);
  if (check.graph.edges > 0)
    fmt::print("  {} of {} edges show no dependence, given the target's other parents.\n",
               check.graph.unsupported, check.graph.edges);
  if (!check.violations.empty()) fmt::print("\nViolated most clearly, claimed to be independent:\n");
  for (std::size_t k = 0; k < std::min(kShown, check.violations.size()); ++k)
    fmt::print("  {}\n", claim_text(check.violations[k], names));
  if (!check.unsupported.empty()) fmt::print("\nEdges without dependence:\n");
  for (std::size_t k = 0; k < std::min(kShown, check.unsupported.size()); ++k)
    fmt::print("  {} -> {}\n", names[check.unsupported[k].source], names[check.unsupported[k].target]);
  fmt::print("\n");
  for (const std::string& note : check.notes) fmt::print("{}\n", note);
}

void run(CheckCommand& command) {
  const StoredResult stored = read_result(command.result);
  settle_table(command, stored);
  command.input.threads = command.options.threads = command.common.threads;
  command.options.seed = command.common.seed;
  Dataset dataset = in_order_of(stored.result.names, read_input(command.input), command.input.data.string());
  std::vector<std::string> notes;
  const Digraph dag = acyclic_graph(stored, command.result, notes);
  if (stored.result.transform == "log1p") {
    take_logarithms(dataset.table);
    notes.push_back("values are taken as log(1 + x), as the result was made");
  }
  GraphCheck check = check_graph(dataset, dag, command.options);
  check.notes.insert(check.notes.begin(), notes.begin(), notes.end());
  if (command.common.json)
    fmt::print("{}\n", to_json(check, command, stored.result.names)
                           .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else if (command.common.quiet)
    fmt::print("{}\n", verdict_name(check.verdict));
  else
    print_check(check, command, stored.result.names);
}

}  // namespace

void add_check(CLI::App& app) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* sub =
      app.add_subcommand("check", "Test a stored graph's claims of independence against the data");
  sub->add_option("RESULT", command->result, "Result of discover (.json), also with --method")->required();
  sub->add_option("--data", command->input.data,
                  "The table; by default the one that the result was made of, if it is unchanged");
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
