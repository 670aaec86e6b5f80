// One interface for all methods of causal discovery other than the network: table, interventions and options
// in; a score for every ordered pair and a graph out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "causcale/error.h"
#include "causcale/knowledge.h"
#include "causcale/matrix.h"
#include "causcale/table.h"
#include "graph/mixed_graph.h"

namespace causcale {

struct MethodOptions {
  // Settings of the method by name, such as {"alpha", "0.01"}; see Method::settings.
  std::map<std::string, std::string> settings;
  Knowledge knowledge;
  std::uint64_t seed = 0;
  int threads = 0;                                                       // 0 = all cores
  std::function<void(const std::string& stage, double share)> progress;  // may be empty
  std::function<bool()> cancelled;  // asked between steps; true ends the work with an Error; may be empty
  double seconds = 0.0;             // then the work ends with OutOfTime, after the step it is in; 0: no limit
};

// What commands allow a method when nothing is said.
inline constexpr double kMethodSeconds = 600.0;

class OutOfTime : public InputError {
 public:
  using InputError::InputError;
};

// Thrown by a method that takes missing cells, where this table, test or score does not allow it.
class NeedsCompleteCells : public InputError {
 public:
  using InputError::InputError;
};

struct MethodResult {
  Matrix<double> scores;  // [n, n], row -> column, higher is surer; zero diagonal; a ranking, no probability
  MixedGraph graph;
  GraphClass graph_class = GraphClass::kDirected;
  std::vector<std::string> log;                         // what a user should know about the run
  std::vector<std::pair<std::string, double>> seconds;  // stage -> time
  bool shares_of_methods = false;  // scores are shares of several methods (discover/combine.h), from 0 to 1
};

struct MethodSetting {
  std::string name;
  std::string fallback;  // the value when nothing is said
  std::string meaning;
};

struct Method {
  std::string name;
  std::string summary;        // one line
  std::string assumptions;    // "linear, Gaussian, no hidden causes"
  std::string interventions;  // "used" or "ignored"
  GraphClass graph_class;
  std::string cost;      // how time grows: "O(n^3)", ...
  std::string citation;  // authors, title, year
  std::vector<MethodSetting> settings;
  MethodResult (*run)(const Dataset& dataset, const MethodOptions& options);
  bool trains_networks = false;  // on the table itself, which takes minutes
  // Cells that are NaN; the log then says what was done with them. For others they are filled in first.
  bool takes_missing = false;
  bool needs_interventions = false;
};

// The methods of this library, in the order in which they are to be listed.
std::span<const Method> classical_methods();
// And those of the training library behind them, where it is installed.
std::span<const Method> methods();
// The names of the latter, known without opening it.
inline constexpr std::array kTensorMethodNames = {"notears-mlp", "diffan"};
// Further ones of the training library, each of which needs an installed model of its name; it lists those
// that have theirs.
inline constexpr std::array kPretrainedMethodNames = {"avici", "sea"};
// Throws UsageError that lists what is accepted, or says how to get the model.
const Method& method_named(const std::string& name);

// Runs it with everything checked first: unknown settings, infinite values, fewer than two columns, knowledge
// that contradicts itself. Missing cells that the method cannot take are filled in (methods/imputation.h),
// which the log says in its first line. Out of time, the error says how far it came. The entry that commands
// use.
MethodResult run_method(const Method& method, const Dataset& dataset, const MethodOptions& options);

// For the methods themselves. Settings are numbers unless said otherwise; a value that does not parse, or
// lies outside [low, high], throws UsageError naming the setting.
double number_setting(const MethodOptions& options, const std::string& name, double fallback, double low,
                      double high);
std::string text_setting(const MethodOptions& options, const std::string& name, const std::string& fallback,
                         std::span<const std::string> accepted);
// Throws Error when the caller has cancelled.
void check_cancelled(const MethodOptions& options, const std::string& stage);

// Reports progress, and throws Error when the caller has cancelled.
void report_progress(const MethodOptions& options, const std::string& stage, double share);

// One function a method, each in the file of that name.
Method correlation_method();
Method inverse_covariance_method();
Method var_sort_regress_method();
Method r2_sort_regress_method();
Method pc_method();
Method fci_method();
Method rfci_method();
Method ges_method();
Method gies_method();
Method boss_method();
Method mean_shift_method();
Method direct_lingam_method();
Method notears_method();
Method dagma_method();
Method sdcd_method();

}  // namespace causcale
