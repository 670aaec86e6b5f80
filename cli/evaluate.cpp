// causcale evaluate PRED TRUTH: every metric of a predicted graph.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/standard_error.h"
#include "causcale/error.h"
#include "commands.h"
#include "exchange/formats.h"
#include "graph/convert.h"
#include "metrics/evaluation.h"

namespace causcale::cli {

namespace {

struct EvaluateOptions : CommonOptions {
  std::string prediction;
  std::string truth;
  double threshold = 0.5;
  int nodes = 0;
  std::string prediction_format, truth_format;
};

GraphFile read(const std::string& path, const std::string& format, const char* option, bool ranking) {
  ReadGraphOptions options;
  options.format_option = option;
  if (!format.empty()) options.format = format_named(format, option);
  return read_any_graph_file(path, ranking, options);
}

// Lists and sparse matrices are never made whole: they may have many thousand variables.
Evaluation evaluate_sparse(const SparsePair& pair, const EvaluateOptions& options) {
  return pair.partial ? evaluate_partial(pair.prediction, *pair.partial, pair.truth, options.threshold,
                                         options.threads)
                      : evaluate(pair.prediction, pair.truth, options.threshold, options.threads);
}

Evaluation compare(GraphFile prediction, const GraphFile& truth, const EvaluateOptions& options) {
  const auto some = [&](auto pair) {
    if (pair.names.empty())
      throw InputError(fmt::format("{} and {} name no variable; say how many there are with --nodes",
                                   options.prediction, options.truth));
    return pair;
  };
  if (prediction.is_edge_list || prediction.is_sparse) {
    Evaluation evaluation =
        evaluate_sparse(some(match_sparse_graphs(prediction, truth, options.nodes)), options);
    if (!prediction.is_sparse) evaluation.stored_pairs.reset();  // a list has no floor
    return evaluation;
  }
  const MatrixPair pair = some(match_matrix(std::move(prediction), truth, options.nodes));
  return evaluate(pair.prediction, pair.truth, options.threshold, options.threads);
}

void run(const EvaluateOptions& options) {
  GraphFile prediction = read(options.prediction, options.prediction_format, "--prediction-format", true);
  const GraphFile truth = read(options.truth, options.truth_format, "--truth-format", false);
  const bool nodes_unsure = prediction.is_edge_list && truth.is_edge_list && options.nodes == 0;
  const Evaluation evaluation = compare(std::move(prediction), truth, options);
  if (evaluation.listed && !options.quiet)
    print_error(
        "causcale: {} gives scores of {} of {} ordered pairs, so mAP, AUC and calibration cannot be told\n"
        "  discover --matrix FILE.csv, or --all-pairs with -o FILE.csv, writes the score of every pair; "
        "--matrix FILE.npz those above a floor, where the others count as 0\n",
        options.prediction, evaluation.listed->scored, evaluation.listed->all);
  if (options.json) {
    nlohmann::json output = to_json(evaluation);
    output["prediction"] = options.prediction;
    output["truth"] = options.truth;
    fmt::print("{}\n", output.dump(2));
    return;
  }
  fmt::print("{}", to_table(evaluation));
  if (nodes_unsure && !options.quiet)
    print_error(
        "causcale: both files are edge lists, so variables without any edge are not counted; "
        "--nodes N says how many there are\n");
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Compare a predicted graph with the true one: all metrics");
  command
      ->add_option(
          "prediction", options->prediction,
          "Scores: a square matrix (.npy, .csv with or without names; row -> column; sparse: .npz, .mtx)\n"
          "or an edge list (.csv with header source,target[,probability[,probability_reverse]]),\n"
          "or any format of causcale convert")
      ->required();
  command
      ->add_option("truth", options->truth,
                   "True graph in any of the same forms; every non-zero entry is an edge")
      ->required();
  command
      ->add_option("--prediction-format", options->prediction_format,
                   "Format of the prediction where its content leaves it open (see causcale convert)")
      ->type_name("FORMAT");
  command->add_option("--truth-format", options->truth_format, "The same for the truth")->type_name("FORMAT");
  command->add_option("--threshold", options->threshold, "Scores above this are edges")
      ->capture_default_str();
  command->add_option("--nodes", options->nodes, "Number of variables when both files are edge lists")
      ->check(CLI::PositiveNumber);
  add_common_options(*command, *options, kThreads | kQuiet | kJson);
  command->footer(
      "Variables are matched by name; files without names match by number, from 0. AID and SID are computed\n"
      "after cycles are broken at their lowest scores. mAP, AUC and calibration need the score of every "
      "ordered\n"
      "pair: from a list that was cut at a threshold they are undefined (null in JSON). Of CPDAGs and PAGs "
      "every\n"
      "direction that the marks leave open is an edge, and a common cause (<->) is none.\n\n"
      "Examples:\n"
      "  causcale evaluate probabilities.csv truth.csv\n"
      "  causcale evaluate edges.csv truth.csv --nodes 100\n"
      "  causcale evaluate probabilities.npy truth.npy --json\n"
      "  causcale evaluate scores.csv truth.csv --threshold 0.3\n"
      "  causcale evaluate result.json truth.dagitty\n"
      "  causcale evaluate amat.csv truth.gml --prediction-format pcalg-cpdag");
  command->callback([options] { run(*options); });
}

}  // namespace causcale::cli
