#include "methods/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

#include "base/peak_memory.h"
#include "causcale/error.h"
#include "graph/graph_file.h"
#include "graph/order.h"
#include "metrics/aid.h"
#include "metrics/auc.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/precision_recall.h"
#include "metrics/shd.h"

namespace causcale {
namespace {

// Beyond this the o-set AID, one search a pair, takes longer than most methods.
constexpr int kMostNodesForOset = 300;

ComparisonRow run_one(const Dataset& dataset, const Contestant& contestant, const Digraph* truth,
                      int threads) {
  ComparisonRow row;
  row.method = contestant.name;
  const PeakMemory memory;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  try {
    const MethodResult found = contestant.run(dataset);
    row.seconds = elapsed();
    row.peak_bytes = memory.bytes();
    row.outcome = to_outcome(contestant.name, dataset, found, {}, {});
    if (truth) {
      const EdgeSelection acyclic{.threshold = {}, .top = 0, .acyclic = true};
      row.metrics = compare_with_truth(row.outcome,
                                       to_outcome(contestant.name, dataset, found, {}, acyclic).result.graph,
                                       *truth, threads);
    }
  } catch (const UsageError&) {
    throw;  // a wrong setting is the user's to mend, whatever the data
  } catch (const std::bad_alloc&) {
    row.seconds = elapsed();
    row.problem = "out of memory";
  } catch (const std::exception& error) {
    row.seconds = elapsed();
    row.problem = error.what();
  }
  return row;
}

std::vector<AgreedEdge> agreement(const std::vector<ComparisonRow>& rows, const Digraph* truth, int nodes) {
  std::vector<AgreedEdge> edges;
  const MixedGraph true_marks = truth ? with_opposites_joined(*truth) : MixedGraph(nodes);
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b) {
      AgreedEdge edge{a, b, std::vector<std::string>(rows.size()), 0, ""};
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const MixedGraph& marks = rows[k].outcome.marks;
        if (marks.nodes() != nodes || !marks.adjacent(a, b)) continue;
        edge.found[k] = edge_text(marks, a, b);
        ++edge.methods;
      }
      if (true_marks.adjacent(a, b)) edge.truth = edge_text(true_marks, a, b);
      if (edge.methods > 0) edges.push_back(std::move(edge));
    }
  std::ranges::stable_sort(edges,
                           [](const AgreedEdge& x, const AgreedEdge& y) { return x.methods > y.methods; });
  return edges;
}

}  // namespace

ComparisonMetrics compare_with_truth(const MethodOutcome& outcome, const Digraph& acyclic,
                                     const Digraph& truth, int threads) {
  ComparisonMetrics metrics;
  const Matrix<double>& scores = outcome.result.probabilities;
  const Digraph& graph = outcome.result.graph;
  metrics.average_precision = average_precision(scores, truth);
  metrics.average_precision_skeleton = skeleton_average_precision(scores, truth);
  metrics.auc = roc_auc(scores, truth);
  metrics.orientation_accuracy = orientation_accuracy(scores, truth);
  metrics.shd = structural_hamming_distance(truth, graph);
  metrics.f1 = direction_precision_recall(truth, graph).f1();
  metrics.f1_skeleton = skeleton_precision_recall(truth, graph).f1();
  if (is_acyclic(truth)) {
    metrics.ancestor_aid = ancestor_aid(truth, acyclic, threads).normalised;
    metrics.parent_aid = parent_aid(truth, acyclic, threads).normalised;
    if (truth.nodes() <= kMostNodesForOset) metrics.oset_aid = oset_aid(truth, acyclic, threads).normalised;
  }
  return metrics;
}

Comparison compare_methods(const Dataset& dataset, const std::vector<Contestant>& contestants,
                           const Digraph* truth, int threads) {
  Comparison comparison;
  comparison.names = dataset.table.names;
  comparison.has_truth = truth != nullptr;
  for (const Contestant& contestant : contestants)
    comparison.rows.push_back(run_one(dataset, contestant, truth, threads));
  comparison.edges = agreement(comparison.rows, truth, static_cast<int>(comparison.names.size()));
  return comparison;
}

Digraph read_truth(const std::filesystem::path& path, const std::vector<std::string>& names) {
  const GraphFile truth = read_graph_file(path);
  GraphFile table;
  table.path = "the table";
  table.named = true;
  table.names = names;
  table.matrix = Matrix<double>(names.size(), names.size());
  const GraphPair pair = match_graphs(table, truth);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (pair.truth(i, i) != 0.0)
      throw InputError(fmt::format("{}: variable '{}' has an edge to itself", path.string(), names[i]));
    for (std::size_t j = 0; j < names.size(); ++j)
      if (pair.truth(i, j) != 0.0) edges.push_back({static_cast<int>(i), static_cast<int>(j)});
  }
  return Digraph(static_cast<int>(names.size()), std::move(edges));
}

}  // namespace causcale
