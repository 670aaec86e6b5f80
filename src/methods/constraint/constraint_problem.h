// What PC, FCI and RFCI share around their searches: preparing a table, and bringing the answer into its
// form.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "methods/constraint/independence_test.h"
#include "methods/constraint/skeleton.h"
#include "methods/method.h"

namespace causcale {

// Variables are renumbered by the content of their columns (fourth and third moment, then the values), so
// that no choice within an algorithm can depend on the order of the columns.
struct ConstraintProblem {
  std::unique_ptr<IndependenceTest> test;
  EdgeRules rules;             // in the new numbers
  std::vector<int> column_of;  // new number -> column
  std::vector<std::string> log;
};

// The test is that of choose_test(). Throws InputError when there are fewer than 4 rows.
ConstraintProblem constraint_problem(const Dataset& dataset, const MethodOptions& options);

// Scores, graph and what was done, in the numbers of the columns. The score of a -> b is
//   s / (1 + s) * w,
// s being the least strength of dependence over all tests made of the pair (|z| over its critical value, z
// being the normal quantile of the p value for tests of other statistics; so the first factor is above 1/2
// where the pair is adjacent), and w how far the marks speak for a -> b:
//   a --> b: 1, its reversal 1/4; a o-> b: 3/4, its reversal 1/4; a <-> b: 1/4; undirected, circles at both
//   ends, or not adjacent: 1/2.
// A forbidden edge has score 0, a required one 1.
MethodResult constraint_result(const ConstraintProblem& problem, const Skeleton& skeleton,
                               const MixedGraph& graph, GraphClass graph_class);

// Settings that all of them have.
std::vector<MethodSetting> constraint_settings();
SkeletonOptions skeleton_options(const MethodOptions& options, const std::string& method, SeparatorPool pool);

}  // namespace causcale
