#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "causcale/effects.h"
#include "causcale/error.h"
#include "causcale/samples.h"
#include "commands.h"
#include "effects/total_effect.h"
#include "graph/cycles.h"
#include "report/total_effect_report.h"
#include "stored_graph.h"
#include "stored_samples.h"
#include "stored_table.h"

namespace causcale::cli {
namespace {

struct Arguments : CommonOptions {
  std::string result;
  std::string format;
  std::string cause, outcome;
  InputOptions input;
  bool acyclic = false;
  bool no_data = false;
  int samples = 0, bootstrap = 0;
};

Dataset empty_table(std::vector<std::string> names) {
  Dataset dataset;
  dataset.table.values = Matrix<double>(0, names.size());
  dataset.table.names = std::move(names);
  return dataset;
}

GraphSamples drawn_graphs(const Arguments& arguments, const StoredGraph& stored) {
  if (stored.by_method)
    throw UsageError(fmt::format("--samples draws graphs by their probabilities, and {} gives none",
                                 stored.method == "file" ? "a graph file" : stored.method));
  return sample_graphs(stored.result.probabilities, {.count = arguments.samples,
                                                     .seed = arguments.seed,
                                                     .threads = arguments.threads,
                                                     .knowledge = stored.record.knowledge,
                                                     .feedback = stored.result.feedback});
}

// The variables of a graph file that are not called latent but have no column.
void say_absent(const std::vector<std::string>& absent, const StoredGraph& stored, bool quiet) {
  std::vector<std::string> said;
  for (const std::string& name : absent) {
    const auto place = std::ranges::find(stored.result.names, name) - stored.result.names.begin();
    if (!stored.document->hidden.contains(static_cast<int>(place))) said.push_back(name);
  }
  if (said.empty() || quiet) return;
  print_remark("warning", fmt::format("there is no column {}: taken as not measured", fmt::join(said, ", ")),
               "other columns are adjusted for where that suffices");
}

// In a graph file of arrows and <->: what has no column, or is called latent, was not measured.
// `names` are then those of the answer's variables.
TotalEffect effect_with_hidden(const Arguments& arguments, StoredGraph stored,
                               const TotalEffectOptions& options, std::vector<std::string>& names) {
  const std::vector<std::string> all = stored.result.names;
  std::vector<std::string> measured, absent;
  for (std::size_t k = 0; k < all.size(); ++k)
    (stored.document->hidden.contains(static_cast<int>(k)) ? absent : measured).push_back(all[k]);
  for (const auto& [option, name] : {std::pair{"--of", arguments.cause}, {"--on", arguments.outcome}})
    if (std::ranges::find(absent, name) != absent.end())
      throw UsageError(fmt::format("{} {}: the file calls it latent", option, name));
  Dataset dataset;
  if (arguments.no_data) {
    dataset = empty_table(measured);
  } else {
    StoredResult visible;
    visible.result.names = measured;
    dataset = read_stored_table(visible, arguments.input, arguments.quiet, &absent);
  }
  const std::vector<std::string>& columns = dataset.table.names;
  for (const auto& [option, name] : {std::pair{"--of", arguments.cause}, {"--on", arguments.outcome}})
    if (std::ranges::find(absent, name) != absent.end())
      throw InputError(fmt::format("{} {}: {} has no such column", option, name, data_name(arguments.input)));
  say_absent(absent, stored, arguments.quiet);
  if (arguments.acyclic) {
    // The arrows of the file, also where a common cause stands beside one.
    const Digraph arrows = arrows_of(*stored.document);
    Matrix<double> scores = stored.result.probabilities;
    for (const Edge& edge : arrows.edges()) {
      double& score = scores(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target));
      if (score == 0.0) score = 1.0;
    }
    const CycleBreaking broken = break_cycles(arrows, scores);
    std::erase_if(stored.document->edges, [&](const DocumentEdge& edge) {
      return edge.is_arrow() && !broken.graph.has_edge(edge.a, edge.b);
    });
  }
  const GraphOfColumns graph = graph_of_columns(stored, columns, absent);
  names = graph.names;
  return total_effect_with_hidden(dataset, graph.graph, graph.names,
                                  variable_named(columns, arguments.cause, "--of"),
                                  variable_named(columns, arguments.outcome, "--on"), options);
}

void run(Arguments& arguments) {
  const StoredGraph stored = read_result_or_graph(arguments.result, arguments.format);
  std::vector<std::string> names = stored.result.names;
  const int cause = variable_named(names, arguments.cause, "--of"),
            outcome = variable_named(names, arguments.outcome, "--on");
  arguments.input.threads = arguments.threads;
  if (!arguments.no_data) take_standard_input(arguments.input);
  TotalEffectOptions options;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  options.bootstrap = arguments.bootstrap;
  GraphSamples samples;
  if (arguments.samples > 0) {
    samples = drawn_graphs(arguments, stored);
    options.graphs = &samples.graphs;
  }
  const bool plain = !stored.by_method || stored.graph_class == GraphClass::kDag ||
                     stored.graph_class == GraphClass::kDirected;
  TotalEffect effect;
  if (stored.document && (plain || stored.has_hidden_causes())) {
    Arguments of_names = arguments;
    of_names.cause = names[static_cast<std::size_t>(cause)];
    of_names.outcome = names[static_cast<std::size_t>(outcome)];
    effect = effect_with_hidden(of_names, stored, options, names);
  } else {
    if (stored.document && !stored.document->hidden.empty())
      throw InputError(
          fmt::format("{}: '{}' is called latent, which only a graph of arrows and <-> can take into account",
                      arguments.result, names[static_cast<std::size_t>(*stored.document->hidden.begin())]));
    const Dataset dataset =
        arguments.no_data ? empty_table(names) : read_stored_table(stored, arguments.input, arguments.quiet);
    Digraph graph = stored.result.graph;
    if (plain && arguments.acyclic) graph = break_cycles(graph, stored.result.probabilities).graph;
    effect = plain ? total_effect(dataset, graph, cause, outcome, options)
                   : total_effect(dataset, stored.marks, stored.graph_class, cause, outcome, options);
  }
  fmt::print("{}",
             arguments.json ? format_total_effect_json(effect, names) : format_total_effect(effect, names));
}

}  // namespace

void add_effects(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "effects", "What happens to one variable when another is changed, by the graph of a result");
  command
      ->add_option("RESULT", arguments->result,
                   "Result of discover (.json), or with --data a graph in any format of causcale convert")
      ->required();
  command->add_option("--of", arguments->cause, "The variable that is changed")->required()->type_name("X");
  command->add_option("--on", arguments->outcome, "The variable that is watched")->required()->type_name("Y");
  command->add_option("--data", arguments->input.data,
                      "The table, or - for text from standard input, read by the options below; by default "
                      "the result's own, read as it was then");
  command->add_flag("--no-data", arguments->no_data, "Only say what to adjust for");
  command->add_flag("--acyclic", arguments->acyclic, "Break cycles first: the weakest edge of each goes");
  command
      ->add_option("--samples", arguments->samples,
                   "Also the effect over K graphs drawn from the probabilities: the doubt about the graph")
      ->check(CLI::Range(0, 1000000))
      ->type_name("K");
  command
      ->add_option("--bootstrap", arguments->bootstrap,
                   "Also the effect over B tables of rows drawn anew, with --samples each in another graph")
      ->check(CLI::Range(0, 100000))
      ->type_name("B");
  command->add_option("--from", arguments->format, "Format of a graph file where its content leaves it open")
      ->type_name("FORMAT");
  add_common_options(*command, *arguments, kSeed | kThreads | kQuiet | kJson);
  add_reading_options(*command, arguments->input);
  command->footer(
      "The effect is identified by adjustment in a graph without cycles. A CPDAG (--method pc, ges) gives "
      "bounds, a PAG one\nnumber or a reason why there is none. Variables of a graph file that have no "
      "column, "
      "or are called latent, and <-> stand\nfor causes that were not measured. Negative controls are effects "
      "that have to be zero if the graph is right. "
      "See docs/effects.md.\n\n"
      "Examples:\n"
      "  causcale discover data.csv --dag -o result.json\n"
      "  causcale effects result.json --of dose --on response\n"
      "  causcale effects result.json --of dose --on response --samples 1000 --bootstrap 500\n"
      "  causcale effects graph.dagitty --of dose --on response --data data.csv\n"
      "  causcale effects result.json --of dose --on response --data other.csv --interventions targets.csv "
      "--json\n"
      "  causcale effects result.json --of dose --on response --no-data");
  command->callback([arguments] {
    if (arguments->no_data && !arguments->input.data.empty())
      throw UsageError("--data and --no-data contradict each other: leave one of them out");
    run(*arguments);
  });
}

}  // namespace causcale::cli
