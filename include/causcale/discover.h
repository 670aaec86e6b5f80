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

#include "causcale/effects.h"
#include "causcale/export.h"
#include "causcale/graph.h"
#include "causcale/knowledge.h"
#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale {

enum class PriorUnits {
  kAuto,          // as the model's metadata say, else standardized
  kRaw,           // the paper's protocol: units of measurement matter
  kStandardized,  // unit-free
};
enum class ValueTransform {
  kAuto,   // logarithms where the model takes those and the values look like counts
  kNone,   // values as they are
  kLog1p,  // log(1 + x)
};
enum class Device { kAuto, kCpu, kCuda };
enum class Precision { kAuto, kFloat32, kBfloat16 };  // auto: bf16 where the hardware multiplies it
enum class AcyclicRule {
  kGreedy,   // the paper's: the weakest edge of each cycle goes
  kOptimal,  // the edges that are kept have the largest possible sum of log-odds
};

enum class EvidenceRule {
  kStrike,  // every edge is tested on the data; those without any dependence are left out of the graph
  kOff,     // no tests
};

enum class StackingRule {
  kAuto,  // the network's answer is joined with statistics of every pair, where the model has a part for that
  kOff,   // the network's answer alone
};

// Values of DiscoverOptions::block_columns beside a number of columns.
inline constexpr std::size_t kAutoBlocks = 0, kNoBlocks = static_cast<std::size_t>(-1);

struct DiscoverOptions {
  std::string model = {};  // name of an installed model or path of a weight file; empty: the default model
  Device device = Device::kAuto;
  Precision precision = Precision::kAuto;
  PriorUnits prior_units = PriorUnits::kAuto;
  ValueTransform transform = ValueTransform::kAuto;
  double threshold = 0.5;  // an edge is in the graph when its probability is strictly greater
  std::size_t top = 0;     // instead of the threshold: the K most probable edges
  bool acyclic = false;    // break cycles
  AcyclicRule acyclic_rule = AcyclicRule::kGreedy;
  EvidenceRule evidence = EvidenceRule::kStrike;  // required edges are never struck out
  StackingRule stacking = StackingRule::kAuto;
  std::size_t max_samples = 0;  // rows per pass, drawn evenly from every regime; 0: what the model is used to
  int ensemble = 0;  // passes over disjoint row subsets, averaged; 0: as many as use every row, at most 8
  // How often the network sees the rows, each time with other columns mirrored (x -> -x), averaged; passes
  // over disjoint rows count. 0: what the model is used to.
  int views = 0;
  // Of tables with more columns than this the network sees overlapping blocks of so many, each variable
  // together with those that it is likeliest joined to; a pair that is in no block gets the least that was
  // said of any. kAutoBlocks: where the table is far wider than those of the model's training.
  std::size_t block_columns = kAutoBlocks;
  // Repetitions on rows drawn with replacement within every regime, as many rows as there are; 0: none.
  int bootstrap = 0;
  std::int64_t max_memory = 0;  // bytes that the network's working memory may take; 0: no limit
  int threads = 0;              // 0: all cores
  std::uint64_t seed = 0;       // chooses the row subsets and the resampled rows
  Knowledge knowledge = {};
  std::function<void(const std::string& stage, double share)> progress =
      {};  // called between steps; may be empty
  // Whole acyclic graphs to draw in proportion to the probabilities (causcale/samples.h), for the result's
  // `ancestry`; 0: none.
  int samples = 0;
  // Pairs less probable than this are not edges and are left out of files that would hold every pair; 0: none
  // is left out of files of up to 2000 variables, and those below 0.01 of sparse files and larger tables.
  double min_probability = 0.0;
};

// What making the graph acyclic cost, in log-odds log(p / (1 - p)) of the removed edges; where the threshold
// is below 1/2, counted from the threshold's own log-odds.
struct AcyclicPrice {
  double removed_log_odds = 0.0;
  double greedy_log_odds = 0.0;  // what the greedy rule removes
  bool exact = false;            // no acyclic graph of the same edges gives up less
};

// Something a user should know before trusting the result.
struct Remark {
  std::string code;     // stable, for programs: "columns_beyond_training"
  std::string message;  // plain language
  std::string hint;     // what to do; may be empty
};

// What the data themselves say about an edge, whatever the network says. Values are NaN where nothing could
// be tested.
struct EdgeEvidence {
  Edge edge;
  std::size_t rows;  // in which the target is not intervened on; the dependence is tested on these
  double p, q;       // of independence of the two columns; q by Benjamini and Hochberg over the listed edges
  double shift_p, shift_q;  // of an unmoved target where the source is intervened on
  bool struck;              // left out of the graph: at least 300 rows, and neither q nor shift_q at most 0.2
};

// What tells which way an edge points.
enum class DirectionBasis {
  kUntested,      // too few rows, or columns for which there is no test
  kNone,          // nothing in the data: the reverse explains them as well
  kKnowledge,     // required, or the reverse is forbidden
  kIntervention,  // interventions on the source move the target
  kShape,         // the source explains the target with independent noise, the target not the source
  kStructure,     // a collider that the data bear out, or what follows from one
  kReverse,       // the shapes speak for the reverse
};

struct DirectionEvidence {
  Edge edge;
  // Of independence of the two columns given the target's other causes in the graph; NaN where not tested.
  double given_p;
  // In standard deviations, positive for the edge, negative for its reverse; NaN where not tested.
  double shape_z, structure_z;
  DirectionBasis basis;
};

struct DiscoverResult {
  std::vector<std::string> names;
  Matrix<double> probabilities;  // [n, n], row -> column, zero diagonal
  // [n, n], symmetric, where the model tells, else empty: that both i -> j and j -> i, and that a hidden
  // variable causes both.
  Matrix<double> feedback, confounded;
  bool stacked = false;                   // statistics of every pair were joined with the network's answer
  Digraph graph;                          // edges above the threshold, knowledge respected
  std::vector<ScoredEdge> removed_edges;  // what breaking cycles took out, most probable first
  AcyclicPrice acyclic_price;
  std::vector<EdgeEvidence> evidence;  // per selected edge, sorted by edge; empty when it was not asked for
  // Sign and size of every edge whose target's parents are settled, sorted by edge; of transformed values
  // where `transform` says so.
  std::vector<EdgeEffect> effects;
  // Per edge of the graph, in its order; empty when no evidence was asked for.
  std::vector<DirectionEvidence> directions;
  std::vector<ScoredEdge> struck_edges;  // selected edges without any dependence, most probable first
  // [n, n] over the bootstrap's repetitions, empty without one: mean and standard deviation (divisor B - 1)
  // of the probability, and the share of repetitions in which the edge is selected (before cycles are
  // broken).
  Matrix<double> bootstrap_mean, bootstrap_deviation, selection_frequency;
  int bootstrap = 0;
  // How the table compares with what the model was trained on: what was measured, and what lies far away.
  std::vector<std::pair<std::string, double>> traits;
  std::vector<Remark> applicability;
  // "ranking": the numbers come from another method; higher is surer, but they are not probabilities.
  std::string score_kind = "probability";
  // What was done, for the record.
  std::string model_name, model_sha256, device, precision, prior_scale;
  std::string transform = "none";  // of the values: none or log1p
  std::size_t rows = 0, rows_per_pass = 0;
  int passes = 0;            // of the estimate itself; each repetition of the bootstrap takes as many
  int views = 1;             // how many of them saw the same rows, with different columns mirrored
  double temperature = 1.0;  // by which the model's log-odds were divided
  double offset = 0.0;       // and what was added to those of an edge in either direction
  std::vector<std::pair<std::string, double>> seconds;  // stage -> time
  // [n, n], empty without samples: probability that the row is a cause of the column by any path, as the
  // share of `samples` graphs; exact: they were drawn independently and not by Markov chains.
  Matrix<double> ancestry;
  int samples = 0;
  bool samples_exact = true;
  // Cells of the table that were missing, and what was done with them in a sentence: the network knew them as
  // missing, or they were filled in.
  std::size_t missing_cells = 0;
  std::string missing_rule;
  double min_probability = 0.0;  // as it was asked for; it decides what files leave out
};

// What discover would do, without doing it.
struct DiscoverPlan {
  std::size_t rows = 0, columns = 0, rows_per_pass = 0;
  int passes = 0;
  int bootstrap = 0;  // repetitions, each of as many passes
  int batch = 1;      // passes of the bootstrap, or blocks, that run together
  // Columns of a block and number of blocks that every pass consists of; 0 and 1: the table as a whole.
  std::size_t block_columns = 0, blocks = 1;
  std::int64_t peak_bytes = 0;       // working memory of the network, weights included
  std::int64_t unlimited_bytes = 0;  // what it would be without max_memory
  // The most that the process will have in memory, with what it has now (the table, the program, the model);
  // on a GPU without the network. 0 where the system does not tell what it has now.
  std::int64_t process_bytes = 0;
  double tera_flops = 0;  // arithmetic of all passes
  double seconds = 0;     // rough estimate on the chosen device
  std::string device, precision;
};

// Missing values are NaN: a model that knows of them is told so, for others they are filled in by regression
// on the other cells of their rows, which `missing_rule` says. Throws InputError or UsageError.
CAUSCALE_API DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options = {});
CAUSCALE_API DiscoverPlan plan_discover(std::size_t rows, std::size_t columns,
                                        const DiscoverOptions& options = {});

}  // namespace causcale
