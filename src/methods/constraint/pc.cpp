#include <fmt/format.h>

#include <array>
#include <chrono>

#include "methods/constraint/constraint_problem.h"
#include "methods/constraint/pc_search.h"

namespace causcale {
namespace {

const std::array<std::string, 3>& collider_rules() {
  static const std::array<std::string, 3> names{"plain", "majority", "conservative"};
  return names;
}

MethodResult run_pc(const Dataset& dataset, const MethodOptions& options) {
  const std::string rule = text_setting(options, "colliders", "plain", collider_rules());
  const auto start = std::chrono::steady_clock::now();
  const ConstraintProblem problem = constraint_problem(dataset, options);
  const SkeletonOptions how = skeleton_options(options, "pc", SeparatorPool::kPossibleParents);
  const Skeleton skeleton = stable_skeleton(*problem.test, problem.rules, how);
  const auto searched = std::chrono::steady_clock::now();
  report_progress(options, "pc: orientation", 0.8);
  const PcResult oriented = orient_pc(skeleton, *problem.test, problem.rules,
                                      rule == "plain"      ? ColliderRule::kPlain
                                      : rule == "majority" ? ColliderRule::kMajority
                                                           : ColliderRule::kConservative,
                                      options.threads, how.check);
  const auto end = std::chrono::steady_clock::now();

  MethodResult result = constraint_result(problem, skeleton, oriented.graph, GraphClass::kCpdag);
  result.log.push_back(fmt::format("{} tests, conditioning sets of up to {}, {} adjacent pairs",
                                   skeleton.tests, skeleton.deepest, skeleton.edge_count()));
  if (oriented.conflicts > 0)
    result.log.push_back(fmt::format(
        "{} colliders contradicted surer ones or the knowledge and were given up", oriented.conflicts));
  if (oriented.ambiguous > 0)
    result.log.push_back(fmt::format("{} triples were left open as ambiguous", oriented.ambiguous));
  result.seconds = {{"skeleton", std::chrono::duration<double>(searched - start).count()},
                    {"orientation", std::chrono::duration<double>(end - searched).count()}};
  return result;
}

}  // namespace

Method pc_method() {
  Method method;
  method.name = "pc";
  method.summary = "stable PC: adjacency by conditional independence, then colliders and Meek's rules";
  method.assumptions = "what its test assumes (setting test), acyclic, faithful, no hidden causes";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kCpdag;
  method.cost = "O(n^2 m) and, with at most k neighbours, O(n^2 k^(k+2)) at worst; fast on sparse graphs";
  method.citation =
      "Colombo and Maathuis, Order-independent constraint-based causal structure learning, 2014; Spirtes, "
      "Glymour and Scheines, Causation, Prediction, and Search, 2000; Ramsey, Zhang and Spirtes, "
      "Adjacency-faithfulness and conservative causal inference, 2006";
  method.settings = constraint_settings();
  method.settings.push_back(
      {"colliders", "plain",
       "plain: by the separating set found; majority, conservative: by all separating sets of neighbours"});
  method.takes_missing = true;
  method.run = run_pc;
  return method;
}

}  // namespace causcale
