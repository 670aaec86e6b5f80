#include "discover/combine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>

#include "causcale/error.h"
#include "discover/method_bootstrap.h"

namespace causcale {
namespace {

MethodResult run_network(const Dataset& dataset, const MethodOptions& options, DiscoverOptions network) {
  network.knowledge = options.knowledge;
  network.seed = options.seed;
  network.threads = options.threads;
  network.progress = options.progress;
  network.bootstrap = network.samples = 0;
  DiscoverResult found = discover(dataset, network);
  MethodResult result;
  result.scores = std::move(found.probabilities);
  result.graph = with_opposites_joined(found.graph);
  result.log.push_back("model " + found.model_name);
  if (!found.missing_rule.empty()) result.log.push_back(found.missing_rule);
  return result;
}

MethodResult run_one(const CombinedMethod& method, const Dataset& dataset, const MethodOptions& options,
                     const DiscoverOptions& network) {
  if (method.name == "causcale") return run_network(dataset, options, network);
  MethodOptions own = options;
  own.settings = method.settings;
  return run_method(method_named(method.name), dataset, own);
}

}  // namespace

std::string combined_name(const std::vector<CombinedMethod>& methods) {
  std::string name;
  for (const CombinedMethod& method : methods) name += (name.empty() ? "" : "+") + method.name;
  return name;
}

MethodResult combine_graphs(const std::vector<std::string>& names, const std::vector<MixedGraph>& graphs) {
  const int n = graphs.front().nodes();
  MethodResult result;
  result.shares_of_methods = true;
  result.graph_class = GraphClass::kDirected;
  result.graph = MixedGraph(n);
  result.scores = Matrix<double>(static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  for (const MixedGraph& graph : graphs) {
    const Matrix<double> votes = direction_votes(graph);
    for (std::size_t k = 0; k < votes.size(); ++k) result.scores.data()[k] += votes.data()[k];
  }
  const auto count = static_cast<double>(graphs.size());
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      double& forwards = result.scores(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
      double& backwards = result.scores(static_cast<std::size_t>(b), static_cast<std::size_t>(a));
      // Votes are halves: sums and comparisons are exact.
      if (2 * (forwards + backwards) > count)
        result.graph.set(a, b, backwards > forwards ? Mark::kArrow : Mark::kTail,
                         forwards > backwards ? Mark::kArrow : Mark::kTail);
      forwards /= count;
      backwards /= count;
    }
  result.log.push_back(fmt::format(
      "agreement of {} methods ({}): shares of methods, half for either direction where one leaves it open",
      graphs.size(), fmt::join(names, ", ")));
  return result;
}

MethodResult run_combined(const std::vector<CombinedMethod>& methods, const Dataset& dataset,
                          const MethodOptions& options, const DiscoverOptions& network) {
  if (methods.size() < 2) throw UsageError("--combine takes at least two methods");
  for (std::size_t a = 0; a < methods.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (methods[a].name == methods[b].name)
        throw UsageError(fmt::format("--combine: '{}' is named twice", methods[a].name));
  std::vector<std::string> names, log;
  std::vector<MixedGraph> graphs;
  std::vector<std::pair<std::string, double>> seconds;
  std::exception_ptr first_failure;
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const std::string& name = methods[k].name;
    MethodOptions own = options;
    if (options.progress)
      own.progress = [&, k](const std::string& stage, double share) {
        options.progress(name + ": " + stage,
                         (static_cast<double>(k) + share) / static_cast<double>(methods.size()));
      };
    try {
      MethodResult found = run_one(methods[k], dataset, own, network);
      names.push_back(name);
      graphs.push_back(std::move(found.graph));
      for (const std::string& line : found.log) log.push_back(name + ": " + line);
      for (const auto& [stage, time] : found.seconds) seconds.emplace_back(name + ": " + stage, time);
    } catch (const UsageError&) {
      throw;
    } catch (const InputError& problem) {
      if (!first_failure) first_failure = std::current_exception();
      log.push_back(fmt::format("{} is left out: {}", name, problem.what()));
    }
  }
  if (graphs.empty()) std::rethrow_exception(first_failure);
  MethodResult result = combine_graphs(names, graphs);
  result.log.insert(result.log.end(), log.begin(), log.end());
  result.seconds = std::move(seconds);
  return result;
}

}  // namespace causcale
