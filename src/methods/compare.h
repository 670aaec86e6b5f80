// Several methods on the same data: time, memory, what they found, how well, and where they agree.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "methods/to_result.h"

namespace causcale {

// A method ready to run; the network takes part in this form, too.
struct Contestant {
  std::string name;
  std::function<MethodResult(const Dataset& dataset)> run;
};

// NaN marks what is undefined, such as the orientation accuracy where the truth has no edge.
struct ComparisonMetrics {
  double average_precision = 0.0;           // over ordered pairs
  double average_precision_skeleton = 0.0;  // skeleton_average_precision()
  double auc = 0.0;
  double orientation_accuracy = 0.0;
  // Of the method's own graph; an undirected edge has both directions.
  std::size_t shd = 0;
  double f1 = 0.0;
  double f1_skeleton = 0.0;
  // Of a DAG in keeping with it. Absent when the truth has cycles; the o-set one also where it takes long.
  std::optional<double> ancestor_aid, parent_aid, oset_aid;  // normalised
};

struct ComparisonRow {
  std::string method;
  std::string problem;  // why there is no result; empty when there is one
  double seconds = 0.0;
  std::optional<std::int64_t> peak_bytes;
  MethodOutcome outcome;
  std::optional<ComparisonMetrics> metrics;
};

struct AgreedEdge {
  int a, b;  // a < b
  std::vector<std::string>
      found;                // per method "-->", "<--", "---", ... read from a to b; empty: not adjacent
  std::size_t methods = 0;  // how many found the adjacency
  std::string truth;        // likewise; empty without a truth or where it has no edge
};

struct Comparison {
  std::vector<std::string> names;
  std::vector<ComparisonRow> rows;
  std::vector<AgreedEdge> edges;  // every adjacency that any method found; most methods first
  bool has_truth = false;
};

ComparisonMetrics compare_with_truth(const MethodOutcome& outcome, const Digraph& acyclic,
                                     const Digraph& truth, int threads);

// A method that throws gets its message into `problem` and the others go on, UsageError excepted. `truth` may
// be null.
Comparison compare_methods(const Dataset& dataset, const std::vector<Contestant>& contestants,
                           const Digraph* truth, int threads);

// A graph file over the table's variables. Throws InputError when it has others, or a self-loop.
Digraph read_truth(const std::filesystem::path& path, const std::vector<std::string>& names);

}  // namespace causcale
