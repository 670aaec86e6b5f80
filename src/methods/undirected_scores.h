// What methods share whose scores are symmetric: turning them into an undirected graph.
#pragma once

#include <functional>

#include "methods/method.h"

namespace causcale {

// Settings "edges" and "alpha" of such methods.
std::vector<MethodSetting> undirected_settings();

// Keeps as many of the n^2 entries as the setting "edges" says, highest first, an undirected edge being two
// of them (the rule of the paper, whose threshold is the (1 - e / n^2) quantile); pairs that tie with the
// last one kept are kept, too. Without that setting, keeps the pairs with significance(a, b) (a two-sided p
// value) below alpha / number of pairs. Knowledge is respected: forbidden entries get score 0, required ones
// the highest score; a pair forbidden both ways is not joined.
MethodResult undirected_result(Matrix<double> scores, const std::function<double(int a, int b)>& significance,
                               const MethodOptions& options);

// The p value of a partial correlation given `given` other variables; 1 when the rows do not suffice.
double correlation_p_value(double correlation, std::size_t rows, std::size_t given);

}  // namespace causcale
