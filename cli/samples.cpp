// causcale samples RESULT.json: whole graphs drawn in proportion to the probabilities of a stored result.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/npy.h"
#include "base/zip.h"
#include "causcale/error.h"
#include "commands.h"
#include "output_paths.h"
#include "stored_samples.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShownPairs = 20, kShownPaths = 10;

struct SamplesCommand {
  CommonOptions common;
  std::string result;
  int count = 1000;
  std::filesystem::path output, ancestry;
  std::string from, to;
  std::vector<std::string> adjust;
  bool adjust_given = false;
};

// An effect in question, in numbers of variables.
struct Question {
  int from, to;
  PathReport paths;
  std::vector<int> set;
  double valid = 0.0;  // that the set is one to adjust for
};

void check_options(const SamplesCommand& command) {
  if (command.from.empty() != command.to.empty())
    throw UsageError("--from and --to belong together: name a cause and an effect");
  if (command.adjust_given && command.from.empty())
    throw UsageError("--adjust needs an effect: name it with --from and --to");
  if (const std::string extension = command.output.extension().string();
      !command.output.empty() && extension != ".csv" && extension != ".npz")
    throw UsageError(fmt::format("--out {}: use a name that ends in .csv or .npz", command.output.string()));
  const std::string extension = command.ancestry.extension().string();
  if (!command.ancestry.empty() && extension != ".npy" && extension != ".csv")
    throw UsageError(
        fmt::format("--ancestry {}: use a name that ends in .npy or .csv", command.ancestry.string()));
  check_output_paths({command.output, command.ancestry}, {command.result});
}

std::string edges_csv(const GraphSamples& samples, const std::vector<std::string>& names) {
  std::string out = "sample,source,target\n";
  for (std::size_t k = 0; k < samples.graphs.size(); ++k)
    for (const Edge& edge : samples.graphs[k].edges())
      out += fmt::format("{},{},{}\n", k, csv_cell(names[edge.source]), csv_cell(names[edge.target]));
  return out;
}

// For NumPy: edges [all edges, 3] (sample, source, target), names, ancestry [n, n] and count.
std::string graphs_npz(const GraphSamples& samples, const std::vector<std::string>& names,
                       const Matrix<double>& ancestry) {
  std::size_t all = 0;
  for (const Digraph& graph : samples.graphs) all += graph.edge_count();
  Matrix<std::int32_t> edges(all, 3);
  std::size_t row = 0;
  for (std::size_t k = 0; k < samples.graphs.size(); ++k)
    for (const Edge& edge : samples.graphs[k].edges()) {
      edges(row, 0) = static_cast<std::int32_t>(k);
      edges(row, 1) = edge.source;
      edges(row++, 2) = edge.target;
    }
  Matrix<std::int32_t> count(1, 1);
  count(0, 0) = static_cast<std::int32_t>(samples.graphs.size());
  const std::string edge_text = format_npy(edges), name_text = format_npy_text(names),
                    ancestry_text = format_npy(ancestry), count_text = format_npy(count);
  const std::pair<std::string, std::string_view> members[] = {{"edges.npy", edge_text},
                                                              {"names.npy", name_text},
                                                              {"ancestry.npy", ancestry_text},
                                                              {"count.npy", count_text}};
  return format_zip(members, ZipMethod::kDeflated);
}

// In the form of discover --matrix.
void write_ancestry(const std::filesystem::path& path, const std::vector<std::string>& names,
                    const Matrix<double>& ancestry) {
  DiscoverResult shown;
  shown.names = names;
  shown.probabilities = ancestry;
  write_matrix(path, shown);
}

std::string path_text(const std::vector<int>& nodes, const std::vector<std::string>& names) {
  std::string text;
  for (const int node : nodes) text += (text.empty() ? "" : " -> ") + names[node];
  return text;
}

nlohmann::ordered_json to_json(const GraphSamples& samples, const StoredResult& stored,
                               const Matrix<double>& ancestry, const Question* question) {
  const std::vector<std::string>& names = stored.result.names;
  nlohmann::ordered_json out;
  out["format"] = "causcale.samples/1";
  out["orientation"] = "source -> target; ancestry[i][j] is that names[i] causes names[j] by any path";
  out["names"] = names;
  out["count"] = samples.graphs.size();
  out["exact"] = samples.exact;
  out["method"] = samples.method;
  if (!samples.exact) {
    out["chains"] = samples.chains;
    out["sweeps_between_samples"] = samples.sweeps;
    out["effective"] = samples.effective;
    out["scale_reduction"] = samples.scale_reduction;
  }
  out["expected_hamming_distance"] = expected_hamming_distance(samples, stored.result.graph);
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < ancestry.rows(); ++i)
    rows.push_back(std::vector<double>(ancestry.row(i).begin(), ancestry.row(i).end()));
  out["ancestry"] = std::move(rows);
  if (!question) return out;
  auto& asked = out["effect"];
  asked["from"] = names[question->from];
  asked["to"] = names[question->to];
  asked["ancestor_probability"] = question->paths.ancestor;
  asked["distinct_paths"] = question->paths.distinct;
  asked["complete"] = question->paths.complete;
  asked["paths"] = nlohmann::ordered_json::array();
  for (const PathProbability& path : question->paths.paths) {
    auto nodes = nlohmann::ordered_json::array();
    for (const int node : path.nodes) nodes.push_back(names[node]);
    asked["paths"].push_back({{"nodes", std::move(nodes)}, {"probability", path.probability}});
  }
  auto set = nlohmann::ordered_json::array();
  for (const int node : question->set) set.push_back(names[node]);
  asked["adjustment"] = {{"set", std::move(set)}, {"valid_probability", question->valid}};
  return out;
}

void print_question(const Question& question, const std::vector<std::string>& names, bool adjust) {
  fmt::print("\n{} is a cause of {}, by any path: {:.1f} %\n", names[question.from], names[question.to],
             100 * question.paths.ancestor);
  for (const PathProbability& path : question.paths.paths)
    fmt::print("  {:>5.1f} %  {}\n", 100 * path.probability, path_text(path.nodes, names));
  if (question.paths.distinct > question.paths.paths.size())
    fmt::print("  ... and {} more paths\n", question.paths.distinct - question.paths.paths.size());
  if (!question.paths.complete)
    fmt::print("  Some graphs have more than 10000 paths between the two; those beyond were not counted.\n");
  std::string set;
  for (const int node : question.set) set += (set.empty() ? "" : ", ") + names[node];
  fmt::print("Adjusting for {} gives the effect without bias with probability {:.1f} %{}\n",
             set.empty() ? "nothing" : "{" + set + "}", 100 * question.valid,
             adjust ? "" : " (--adjust A,B asks for another set)");
}

void print_table(const GraphSamples& samples, const StoredResult& stored, const Matrix<double>& ancestry) {
  const std::vector<std::string>& names = stored.result.names;
  const Matrix<double> edges = edge_probabilities(samples);
  double mean_edges = 0;
  for (const Digraph& graph : samples.graphs)
    mean_edges += static_cast<double>(graph.edge_count()) / static_cast<double>(samples.graphs.size());
  fmt::print("{:.1f} edges in the mean; the stored graph has {}, and differs from a graph by {:.1f} edges.\n",
             mean_edges, stored.result.graph.edge_count(),
             expected_hamming_distance(samples, stored.result.graph));
  const std::vector<ScoredEdge> ranked = ranked_edges(ancestry);
  const std::size_t shown = std::min(kShownPairs, ranked.size());
  std::size_t cause = 5, effect = 6;
  for (std::size_t k = 0; k < shown; ++k) {
    cause = std::max(cause, shown_length(names[ranked[k].edge.source]));
    effect = std::max(effect, shown_length(names[ranked[k].edge.target]));
  }
  fmt::print("\n  {}  ->  {}  by any path  directly\n", padded("cause", cause), padded("effect", effect));
  for (std::size_t k = 0; k < shown; ++k) {
    const auto [source, target] = ranked[k].edge;
    fmt::print("  {}  ->  {}  {:>9.1f} %  {:>6.1f} %\n", padded(names[source], cause),
               padded(names[target], effect), 100 * ranked[k].score, 100 * edges(source, target));
  }
  if (ranked.empty()) fmt::print("  (no edge in any graph)\n");
  if (shown < ranked.size())
    fmt::print("  ... and {} more pairs: --ancestry FILE.csv has all\n", ranked.size() - shown);
}

void run(const SamplesCommand& command) {
  check_options(command);
  const StoredResult stored = read_probabilities(command.result);
  const std::vector<std::string>& names = stored.result.names;
  Question question{};
  const bool asked = !command.from.empty();
  if (asked) {
    question.from = variable_named(names, command.from, "--from");
    question.to = variable_named(names, command.to, "--to");
    if (question.from == question.to) throw UsageError("--from and --to name the same variable");
    for (const std::string& name : command.adjust)
      question.set.push_back(variable_named(names, name, "--adjust"));
  }
  const GraphSamples samples =
      sample_graphs(stored.result.probabilities, {.count = command.count,
                                                  .seed = command.common.seed,
                                                  .threads = command.common.threads,
                                                  .knowledge = stored.record.knowledge,
                                                  .feedback = stored.result.feedback});
  const Matrix<double> ancestry = ancestor_probabilities(samples, command.common.threads);
  if (asked) {
    question.paths = likely_paths(samples, question.from, question.to, kShownPaths);
    question.valid = adjustment_probability(samples, question.from, question.to, question.set);
  }
  if (!command.output.empty())
    write_file_atomically(command.output, command.output.extension() == ".npz"
                                              ? graphs_npz(samples, names, ancestry)
                                              : edges_csv(samples, names));
  if (!command.ancestry.empty()) write_ancestry(command.ancestry, names, ancestry);
  if (command.common.json) {
    fmt::print("{}\n", to_json(samples, stored, ancestry, asked ? &question : nullptr)
                           .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  if (command.common.quiet) return;
  fmt::print("{}", describe_samples(samples));
  if (asked)
    print_question(question, names, command.adjust_given);
  else
    print_table(samples, stored, ancestry);
}

}  // namespace

void add_samples(CLI::App& app) {
  auto command = std::make_shared<SamplesCommand>();
  CLI::App* sub = app.add_subcommand(
      "samples", "Draw whole graphs from a stored result: who causes whom by any path, along which paths");
  sub->add_option("RESULT", command->result, "Result of discover (.json)")->required();
  sub->add_option("--count", command->count, "Number of graphs")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--out", command->output,
                  "The edges of every graph: FILE.csv (sample,source,target) or FILE.npz (for NumPy)");
  sub->add_option("--ancestry", command->ancestry,
                  "All n x n probabilities that the row causes the column by any path: FILE.npy or FILE.csv");
  sub->add_option("--from", command->from, "A cause: with --to, the probability of its effect and its paths");
  sub->add_option("--to", command->to, "The effect");
  sub->add_option("--adjust", command->adjust,
                  "With --from and --to: variables, separated by commas, whose adjustment is judged")
      ->delimiter(',');
  add_common_options(*sub, command->common, kSeed | kThreads | kQuiet | kJson);
  sub->footer(
      "Every pair of variables has an edge one way, the other way or none, with the result's probabilities;\n"
      "graphs without cycles are drawn in proportion to the product.\n\n"
      "Examples:\n"
      "  causcale discover data.csv -o result.json && causcale samples result.json\n"
      "  causcale samples result.json --from smoking --to cancer --adjust age,sex\n"
      "  causcale samples result.json --count 5000 --seed 1 --out graphs.csv --ancestry ancestry.csv");
  sub->callback([command, sub] {
    command->adjust_given = sub->count("--adjust") > 0;
    run(*command);
  });
}

}  // namespace causcale::cli
