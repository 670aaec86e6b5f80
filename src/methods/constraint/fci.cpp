#include <fmt/format.h>

#include <chrono>

#include "methods/constraint/constraint_problem.h"
#include "methods/constraint/fci_search.h"
#include "methods/constraint/fisher_z.h"

namespace causcale {
namespace {

// Fisher's z takes nanoseconds in a search, other tests some microseconds or more.
constexpr int kTestsPerPair = 100000, kSlowTestsPerPair = 1000;

FciOptions fci_options(const MethodOptions& options, const std::string& method) {
  FciOptions result;
  result.skeleton = skeleton_options(options, method, SeparatorPool::kPossibleAncestors);
  return result;
}

MethodResult finished(const ConstraintProblem& problem, const FciResult& found,
                      std::chrono::steady_clock::time_point start) {
  MethodResult result = constraint_result(problem, found.skeleton, found.graph, GraphClass::kPag);
  result.log.push_back(
      fmt::format("{} tests of sets of neighbours, conditioning sets of up to {}, {} adjacent pairs",
                  found.skeleton.tests, found.skeleton.deepest, found.skeleton.edge_count()));
  result.seconds = {
      {"search", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
  return result;
}

MethodResult run_fci(const Dataset& dataset, const MethodOptions& options) {
  FciOptions search = fci_options(options, "fci");
  search.max_path = static_cast<int>(number_setting(options, "possible-d-sep-path", -1, -1, 1e6));
  search.progress = [&](double share) {
    report_progress(options, "fci: possible-d-sep", 0.8 + 0.15 * share);
  };
  const auto start = std::chrono::steady_clock::now();
  const ConstraintProblem problem = constraint_problem(dataset, options);
  const bool fast = dynamic_cast<const FisherZ*>(problem.test.get()) != nullptr;
  search.tests_per_pair = static_cast<std::int64_t>(
      number_setting(options, "possible-d-sep-tests", fast ? kTestsPerPair : kSlowTestsPerPair, -1, 1e15));
  search.possible_d_sep = search.tests_per_pair != 0 && search.max_path != 0;
  const FciResult found = fci_search(*problem.test, problem.rules, search);
  MethodResult result = finished(problem, found, start);
  if (!search.possible_d_sep) {
    result.log.push_back("possible-d-sep sets were not searched");
    return result;
  }
  result.log.push_back(fmt::format("possible-d-sep sets of up to {} variables: {} tests, {} pairs separated",
                                   found.largest_possible_d_sep, found.possible_d_sep_tests,
                                   found.removed_by_possible_d_sep));
  if (found.incomplete_pairs > 0)
    result.log.push_back(
        fmt::format("for {} pairs the search through possible-d-sep sets ended after {} tests, smallest sets "
                    "first (setting possible-d-sep-tests)",
                    found.incomplete_pairs, search.tests_per_pair));
  return result;
}

MethodResult run_rfci(const Dataset& dataset, const MethodOptions& options) {
  const FciOptions search = fci_options(options, "rfci");
  const auto start = std::chrono::steady_clock::now();
  const ConstraintProblem problem = constraint_problem(dataset, options);
  return finished(problem, rfci_search(*problem.test, problem.rules, search), start);
}

}  // namespace

Method fci_method() {
  Method method;
  method.name = "fci";
  method.summary = "FCI: like PC, but hidden common causes and selection may be at work";
  method.assumptions =
      "what its test assumes (setting test), acyclic, faithful; hidden causes and selection allowed";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kPag;
  method.cost = "as pc, and up to possible-d-sep-tests for every adjacent pair";
  method.citation =
      "Spirtes, Meek and Richardson, Causal inference in the presence of latent variables and selection "
      "bias, "
      "1995; Zhang, On the completeness of orientation rules for causal discovery in the presence of latent "
      "confounders and selection bias, 2008";
  method.settings = constraint_settings();
  method.settings.push_back(
      {"possible-d-sep-tests", fmt::format("{}", kTestsPerPair),
       fmt::format(
           "tests for every pair in the second search, small sets first, {} unless the test is Fisher's z; "
           "-1: all; 0: none",
           kSlowTestsPerPair)});
  method.settings.push_back(
      {"possible-d-sep-path", "-1", "length of paths to members of possible-d-sep sets; -1: any"});
  method.takes_missing = true;
  method.run = run_fci;
  return method;
}

Method rfci_method() {
  Method method;
  method.name = "rfci";
  method.summary = "RFCI: a fast relative of FCI whose edges and circles say a little less";
  method.assumptions =
      "what its test assumes (setting test), acyclic, faithful; hidden causes and selection allowed";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kPag;
  method.cost = "as pc";
  method.citation =
      "Colombo, Maathuis, Kalisch and Richardson, Learning high-dimensional directed acyclic graphs with "
      "latent "
      "and selection variables, 2012";
  method.settings = constraint_settings();
  method.takes_missing = true;
  method.run = run_rfci;
  return method;
}

}  // namespace causcale
