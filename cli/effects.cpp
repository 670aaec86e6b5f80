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

void run(Arguments& arguments) {
  const StoredResult stored = read_result_or_graph(arguments.result, arguments.format);
  const std::vector<std::string>& names = stored.result.names;
  const int cause = variable_named(names, arguments.cause, "--of"),
            outcome = variable_named(names, arguments.outcome, "--on");
  Dataset dataset;
  if (arguments.no_data) {
    dataset.table.names = names;
    dataset.table.values = Matrix<double>(0, names.size());
  } else {
    arguments.input.threads = arguments.threads;
    dataset = read_stored_table(stored, arguments.input, arguments.quiet);
  }
  TotalEffectOptions options;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  options.bootstrap = arguments.bootstrap;
  const bool plain = !stored.by_method || stored.graph_class == GraphClass::kDag ||
                     stored.graph_class == GraphClass::kDirected;
  GraphSamples samples;
  if (arguments.samples > 0) {
    if (stored.by_method)
      throw UsageError(fmt::format("--samples draws graphs by their probabilities, and {} gives none",
                                   stored.method == "file" ? "a graph file" : stored.method));
    samples = sample_graphs(stored.result.probabilities, {.count = arguments.samples,
                                                          .seed = arguments.seed,
                                                          .threads = arguments.threads,
                                                          .knowledge = stored.record.knowledge});
    options.graphs = &samples.graphs;
  }
  TotalEffect effect;
  if (plain) {
    Digraph graph = stored.result.graph;
    if (arguments.acyclic) graph = break_cycles(graph, stored.result.probabilities).graph;
    effect = total_effect(dataset, graph, cause, outcome, options);
  } else {
    effect = total_effect(dataset, stored.marks, stored.graph_class, cause, outcome, options);
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
      "bounds, a PAG\nis refused. Negative controls are effects that have to be zero if the graph is right. "
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
