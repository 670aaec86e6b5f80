// Which of the candidates in a causal order are direct causes? An additive regression of every variable on
// its predecessors, and a test of every term: the last step of CAM (Buehlmann, Peters, Ernest 2014).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "causcale/matrix.h"

namespace causcale {

// -log10 of the p-value of every predecessor's term, row -> column; 0 for pairs that are against the order or
// not allowed. `order`: causes first. Terms are natural cubic splines of up to `basis` functions, fewer where
// rows are short; where even straight lines are too many, the predecessors of highest correlation compete.
// `step` is called after every variable, from any thread; it may be empty.
Matrix<double> additive_evidence(const Matrix<double>& data, std::span<const int> order,
                                 const Matrix<std::uint8_t>& allowed, int basis, int threads,
                                 const std::function<void()>& step);

// log10 of P(F >= value) with these degrees of freedom; exact far into the tail.
double log10_f_tail(double value, double numerator, double denominator);

}  // namespace causcale
