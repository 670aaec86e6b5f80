// How strong an arrow is, and what happens to one variable when another is changed.
//
//   for (const EdgeEffect& effect : edge_effects(dataset, graph)) ...           // direct, per edge
//   TotalEffect answer = total_effect(dataset, graph, cause, outcome);          // along all directed paths
//
// All intervals hold 90 %. What cannot be told from the data is NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "causcale/export.h"
#include "causcale/graph.h"
#include "causcale/table.h"

namespace causcale {

enum class EffectKind {
  // Deviations of the target per deviation of the cause, everything else that acts on the target held fixed.
  kStandardizedCoefficient,
  // Change of the probability that a target of two values takes the larger one: per deviation of the cause,
  // or between the two values of a cause that has two.
  kRiskDifference,
  // Where cause or target has categories without an order: the root of the share of the target's variance
  // (of the indicators of its categories) that the cause adds to what the other parents explain. No sign, no
  // interval.
  kCorrelationRatio,
};

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// The direct effect along one edge, given the other parents of its target in the graph, in rows where the
// target is not intervened on.
struct EdgeEffect {
  Edge edge = {};
  EffectKind kind = EffectKind::kStandardizedCoefficient;
  std::size_t rows = 0;
  // Of a linear regression; the interval (HC3) needs no equal variances. NaN: not estimable, because the
  // cause is constant or a combination of the other parents, or for want of rows.
  double size = kNoNumber, low = kNoNumber, high = kNoNumber;
  // The middle 90 % over the repetitions of a bootstrap, in each of which the graph is chosen anew (an edge
  // that is not chosen has effect 0): the doubt about the graph is in it. NaN without a bootstrap.
  double graph_low = kNoNumber, graph_high = kNoNumber;
  double nonlinear_p = kNoNumber;  // of a straight line being enough for this cause
  // What was measured where the cause alone was intervened on (or, if it never was alone, with others):
  // mean of the target there minus that of the observational rows, in deviations of the latter (of a target
  // of two values: difference of probabilities).
  double shift = kNoNumber, shift_low = kNoNumber, shift_high = kNoNumber;
};

// One entry per edge, sorted by edge. Rows with a missing value among those needed are left out. Cycles are
// no obstacle here, but then no number is the effect of an intervention.
CAUSCALE_API std::vector<EdgeEffect> edge_effects(const Dataset& dataset, const Digraph& graph,
                                                  int threads = 0);

// An estimate of a total effect: how much the mean of the outcome (of two values: the probability of the
// larger) changes per unit of the cause, or between the two values of a cause that has two.
struct EffectEstimate {
  // linear, doubly_robust, flexible, front_door, instrument, experiment, experiment_slope
  std::string estimator;
  std::string set;  // why these were adjusted for: parents, optimal, measured, none, ...
  // Variables; of front_door the mediators, of instrument the instrument, then what it is taken given.
  std::vector<int> adjustment;
  std::size_t rows = 0;
  double size = kNoNumber, low = kNoNumber, high = kNoNumber;
  double standardized = kNoNumber;  // size in deviations of the outcome per deviation of the cause
  std::string note = {};            // what to know about it; may be empty
};

struct Instrument {
  int variable;
  std::vector<int> given;
};

// An effect that has to be zero if the graph is right: of the cause on a variable that it does not move, or
// of a variable on the outcome that does not act on it, adjusted like the effect itself.
struct NegativeControl {
  int cause = -1, outcome = -1;
  std::vector<int> adjustment;
  double size = kNoNumber, low = kNoNumber, high = kNoNumber;
  double p = kNoNumber;  // of zero
};

enum class Identification {
  kAdjustment,  // one number, by adjustment for any of the sets
  kZero,        // the graph has no directed path: no effect
  kBounds,      // a CPDAG leaves several possible numbers, one per entry of `estimates`
  kNone,        // not identified; `reason` says why
  kFrontDoor,   // one number, by mediators, where causes that were not measured rule out adjustment
  kInstrument,  // one number if lines are straight, by an instrument, where mediators will not do either
};

struct TotalEffect {
  int cause = -1, outcome = -1;
  Identification identification = Identification::kNone;
  std::string reason;  // in words, why it is or is not identified
  // Two valid adjustment sets. Where some of the parents were not measured, or are not known, the first is
  // empty; where the set of smallest variance was not measured, the second is another one that was.
  std::vector<int> parents, optimal;
  bool parents_measured = true, is_optimal = false;
  std::vector<int> not_measured;               // nodes of the graph beyond the table's columns
  std::vector<std::vector<int>> minimal_sets;  // valid sets of which no part is valid, smallest first
  int searched_size = 0;                       // up to which all minimal sets are listed
  std::vector<int> front_door;                 // mediators through which all of the effect goes; may be empty
  std::vector<Instrument> instruments;
  std::vector<EffectEstimate> estimates;     // the first is the one to quote; empty without data
  double low = kNoNumber, high = kNoNumber;  // over `estimates` where these are bounds
  // Over graphs drawn from the probabilities, with the error of every estimate: the middle 90 %, the mean,
  // and the share of the graphs in which the cause acts on the outcome at all. NaN where none were given.
  double graphs_low = kNoNumber, graphs_high = kNoNumber, graphs_mean = kNoNumber, graphs_share = kNoNumber;
  std::size_t graphs = 0;
  // The middle 90 % over tables whose rows were drawn anew within every regime, each with a graph of its own
  // where graphs were given (0 in those without an effect). NaN without a bootstrap.
  double bootstrap_low = kNoNumber, bootstrap_high = kNoNumber;
  std::size_t bootstrap = 0;  // tables that gave an estimate
  // Where there is one number by adjustment: effects that have to be zero. With so many tests, those with
  // p below 0.05 / their number speak against the graph (or against straight lines).
  std::vector<NegativeControl> negative_controls;
};

struct TotalEffectOptions {
  std::uint64_t seed = 0;  // of the features and folds of the flexible estimator, and of the rows drawn anew
  int threads = 0;
  const std::vector<Digraph>* graphs = nullptr;  // acyclic graphs that stand for the doubt about the graph
  int bootstrap = 0;                             // tables of rows drawn anew; 0: none
};

// In a directed graph in which the ancestors of cause and outcome have no cycle. The table may be empty (no
// rows): then only the sets are told. Throws UsageError when the two are the same or no variables.
CAUSCALE_API TotalEffect total_effect(const Dataset& dataset, const Digraph& graph, int cause, int outcome,
                                      const TotalEffectOptions& options = {});

// The name of a kind in every file: standardized_coefficient, risk_difference, correlation_ratio.
CAUSCALE_API std::string effect_kind_name(EffectKind kind);
CAUSCALE_API EffectKind effect_kind_named(const std::string& name);  // throws InputError
// adjustment, zero, bounds, none, front_door, instrument
CAUSCALE_API std::string identification_name(Identification identification);

}  // namespace causcale
