#include "methods/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "causcale/error.h"
#include "data/parse_number.h"
#include "data/value_range.h"
#include "methods/column_codes.h"
#include "methods/imputation.h"

namespace causcale {
namespace {

void check_settings(const Method& method, const MethodOptions& options) {
  for (const auto& [name, value] : options.settings) {
    if (std::ranges::find(method.settings, name, &MethodSetting::name) != method.settings.end()) continue;
    std::vector<std::string> accepted;
    for (const MethodSetting& setting : method.settings) accepted.push_back(setting.name);
    throw UsageError(fmt::format("{} has no setting \"{}\"; it accepts: {}", method.name, name,
                                 accepted.empty() ? "none" : fmt::format("{}", fmt::join(accepted, ", "))));
  }
}

// What a search that is cut off has to say.
std::string out_of_time(const Method& method, double seconds, const std::string& stage, double share) {
  std::string text = fmt::format("no answer within {:g} s", seconds);
  if (!stage.empty())
    text += fmt::format("; {} was {:.0f}% through, at \"{}\"", method.name, 100.0 * share, stage);
  text += ". Raise the limit (--method-timeout SECONDS, timeout in Python; 0: none)";
  for (const char* bound : {"max-conditioning", "max-degree"})
    if (std::ranges::find(method.settings, bound, &MethodSetting::name) != method.settings.end())
      text += fmt::format(", or bound the search ({}, see: causcale methods {})", bound, method.name);
  return text;
}

void check_table(const Method& method, const Table& table) {
  if (table.cols() < 2)
    throw InputError(fmt::format("{} needs at least 2 columns, the table has {}", method.name, table.cols()));
  if (table.rows() < 2)
    throw InputError(fmt::format("{} needs at least 2 rows, the table has {}", method.name, table.rows()));
  if (table.names.size() != table.cols())
    throw InputError(fmt::format("the table has {} columns but {} names", table.cols(), table.names.size()));
  require_value_range(table);
  require_some_value(table);
}

void check_interventions(const Dataset& dataset) {
  const Interventions& interventions = dataset.interventions;
  if (interventions.regime_of_row.empty()) return;
  if (interventions.regime_of_row.size() != dataset.table.rows())
    throw InputError(fmt::format("interventions are given for {} rows, the table has {}",
                                 interventions.regime_of_row.size(), dataset.table.rows()));
  for (const int regime : interventions.regime_of_row)
    if (regime < 0 || static_cast<std::size_t>(regime) >= interventions.regimes.size())
      throw InputError(fmt::format("a row belongs to regime {}, there are {} regimes", regime,
                                   interventions.regimes.size()));
  for (const std::vector<int>& targets : interventions.regimes)
    for (const int target : targets)
      if (target < 0 || static_cast<std::size_t>(target) >= dataset.table.cols())
        throw InputError(fmt::format("column {} is intervened on, the table has {} columns", target,
                                     dataset.table.cols()));
}

void check_knowledge(const Knowledge& knowledge, const std::vector<std::string>& names) {
  const int nodes = static_cast<int>(names.size());
  for (const auto* list : {&knowledge.required, &knowledge.forbidden})
    for (const Edge& edge : *list)
      if (std::min(edge.source, edge.target) < 0 || std::max(edge.source, edge.target) >= nodes ||
          edge.source == edge.target)
        throw InputError(fmt::format("knowledge: the edge {} -> {} is no pair of two of the {} columns",
                                     edge.source, edge.target, nodes));
  if (!knowledge.tier_of.empty() && knowledge.tier_of.size() != names.size())
    throw InputError(fmt::format("knowledge: tiers are given for {} variables, the table has {}",
                                 knowledge.tier_of.size(), names.size()));
  knowledge.check(names);
}

}  // namespace

MethodResult run_method(const Method& method, const Dataset& dataset, const MethodOptions& options) {
  check_settings(method, options);
  if (!(options.seconds >= 0.0)) throw UsageError("timeout: the seconds must not be negative");
  check_table(method, dataset.table);
  check_interventions(dataset);
  check_knowledge(options.knowledge, dataset.table.names);
  report_progress(options, method.name, 0.0);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  MethodOptions limited = options;
  std::mutex lock;  // methods ask from any thread
  std::string reached = "getting ready";
  double reached_share = 0.0;
  limited.progress = [&](const std::string& stage, double share) {
    {
      const std::scoped_lock hold(lock);
      reached = stage;
      reached_share = share;
    }
    if (options.progress) options.progress(stage, share);
  };
  if (options.seconds > 0.0)
    limited.cancelled = [&] {
      if (passed() > options.seconds) {
        const std::scoped_lock hold(lock);
        throw OutOfTime(out_of_time(method, options.seconds, reached, reached_share));
      }
      return options.cancelled && options.cancelled();
    };
  const bool gaps = missing_cells(dataset.table) > 0;
  const auto run_filled = [&](const std::string& reason) {
    const Dataset filled = with_imputed_cells(dataset, options.seed, options.threads);
    MethodResult found = method.run(filled, limited);
    found.log.insert(found.log.begin(), imputation_sentence(dataset) + reason);
    return found;
  };
  const auto run_as_it_is = [&] {
    try {
      return method.run(dataset, limited);
    } catch (const NeedsCompleteCells& problem) {
      return run_filled(fmt::format(" ({})", problem.what()));
    }
  };
  MethodResult result = gaps && !method.takes_missing ? run_filled("") : run_as_it_is();
  result.seconds.emplace_back("total", passed());
  for (double& score : result.scores.values())
    if (!std::isfinite(score)) throw Error(method.name + " gave a score that is not a finite number");
  report_progress(options, method.name, 1.0);
  return result;
}

double number_setting(const MethodOptions& options, const std::string& name, double fallback, double low,
                      double high) {
  const auto found = options.settings.find(name);
  if (found == options.settings.end()) return fallback;
  double value = 0.0;
  if (!parse_number(found->second, value) || !(value >= low && value <= high))
    throw UsageError(
        fmt::format("setting {}: \"{}\" is not a number from {} to {}", name, found->second, low, high));
  return value;
}

std::string text_setting(const MethodOptions& options, const std::string& name, const std::string& fallback,
                         std::span<const std::string> accepted) {
  const auto found = options.settings.find(name);
  if (found == options.settings.end()) return fallback;
  if (std::ranges::find(accepted, found->second) == accepted.end())
    throw UsageError(
        fmt::format("setting {}: \"{}\" is none of: {}", name, found->second, fmt::join(accepted, ", ")));
  return found->second;
}

void check_cancelled(const MethodOptions& options, const std::string& stage) {
  if (options.cancelled && options.cancelled()) throw Error(stage + ": cancelled");
}

void report_progress(const MethodOptions& options, const std::string& stage, double share) {
  check_cancelled(options, stage);
  if (options.progress) options.progress(stage, share);
}

}  // namespace causcale
