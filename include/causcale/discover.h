// The main job: a table of observations in, a causal graph with a probability for every edge out.
//
//   causcale::DiscoverResult result = causcale::discover(dataset, options);
//   result.probabilities(i, j)  // that names[i] is a direct cause of names[j]
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "causcale/graph.h"
#include "causcale/knowledge.h"
#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale {

enum class PriorUnits {
  kAuto,          // as the model was trained (its metadata says so)
  kRaw,           // the paper's protocol: units of measurement matter
  kStandardized,  // unit-free
};
enum class Device { kAuto, kCpu, kCuda };
enum class Precision { kAuto, kFloat32, kBfloat16 };  // auto: fp32 on the CPU, bf16 on CUDA

struct DiscoverOptions {
  std::string model = {};  // name of an installed model or path of a weight file; empty: the default model
  Device device = Device::kAuto;
  Precision precision = Precision::kAuto;
  PriorUnits prior_units = PriorUnits::kAuto;
  double threshold = 0.5;       // an edge is in the graph when its probability is strictly greater
  std::size_t top = 0;          // instead of the threshold: the K most probable edges
  bool acyclic = false;         // break cycles, weakest edge first
  std::size_t max_samples = 0;  // rows per pass, drawn evenly from every regime; 0: what the model is used to
  int ensemble = 0;  // passes over disjoint row subsets, averaged; 0: as many as use every row, at most 8
  std::int64_t max_memory = 0;  // bytes that the network's working memory may take; 0: no limit
  int threads = 0;              // 0: all cores
  std::uint64_t seed = 0;       // chooses the row subsets
  Knowledge knowledge = {};
  std::function<void(const std::string& stage, double share)> progress =
      {};  // called between steps; may be empty
};

struct DiscoverResult {
  std::vector<std::string> names;
  Matrix<double> probabilities;           // [n, n], row -> column, zero diagonal
  Digraph graph;                          // edges above the threshold, knowledge respected
  std::vector<ScoredEdge> removed_edges;  // what breaking cycles took out, in order of removal
  // "ranking": the numbers come from another method; higher is surer, but they are no probabilities.
  std::string score_kind = "probability";
  // What was done, for the record.
  std::string model_name, model_sha256, device, precision, prior_scale;
  std::size_t rows = 0, rows_per_pass = 0;
  int passes = 0;
  std::vector<std::pair<std::string, double>> seconds;  // stage -> time
};

// What discover would do, without doing it.
struct DiscoverPlan {
  std::size_t rows = 0, columns = 0, rows_per_pass = 0;
  int passes = 0;
  std::int64_t peak_bytes = 0;       // working memory of the network, weights included
  std::int64_t unlimited_bytes = 0;  // what it would be without max_memory
  double tera_flops = 0;             // arithmetic of all passes
  double seconds = 0;                // rough estimate on the chosen device
  std::string device, precision;
};

// The table must be free of missing values (see the readers' options). Throws InputError or UsageError.
DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options = {});
DiscoverPlan plan_discover(std::size_t rows, std::size_t columns, const DiscoverOptions& options = {});

// All edges with a probability above `least`, most probable first; ties by (source, target).
std::vector<ScoredEdge> ranked_edges(const Matrix<double>& probabilities, double least = 0.0);

}  // namespace causcale
