// The loop of owl_qn.h for variables wherever they are kept, in vectors or on a GPU.
#pragma once

#include <algorithm>
#include <cmath>

#include "methods/continuous/owl_qn.h"

namespace causcale {

struct OwlQnTrial {
  double value;  // penalty included
  double slope;  // what the step would gain if the function were linear
};

// Variables: the point, its gradient and the memory of the last steps.
//   double start()             value at the starting point
//   double largest_slope()     of the pseudo-gradient at the point, which the following rest on
//   bool turn_downhill()       direction by the memory; false where it does not lead down
//   void turn_steepest()       direction against the pseudo-gradient
//   double slope_length()      of the pseudo-gradient
//   OwlQnTrial try_step(step)  that far in the direction, staying in the orthant
//   void accept()              the last trial becomes the point and is remembered
//   bool guided()              whether memory or a guess of the curvature decides how long a step is
//   bool forget()              empties the memory; false where it was empty
template <class Variables>
OwlQnResult search_downhill(Variables& variables, const OwlQnOptions& options) {
  constexpr double kArmijo = 1e-4;
  constexpr int kMaxHalvings = 40;
  OwlQnResult result;
  result.value = variables.start();
  result.evaluations = 1;
  while (result.iterations < options.max_iterations) {
    if (variables.largest_slope() <= options.gradient_tolerance) break;
    bool steepest = !variables.guided();
    if (!variables.turn_downhill()) {
      variables.forget();
      steepest = true;
      variables.turn_steepest();
    }
    double step = steepest ? std::min(1.0, 1.0 / variables.slope_length()) : 1.0;

    double value = 0.0;
    bool accepted = false;
    for (int halving = 0; halving < kMaxHalvings && !accepted; ++halving) {
      const OwlQnTrial trial = variables.try_step(step);
      ++result.evaluations;
      value = trial.value;
      accepted = std::isfinite(value) && value <= result.value + kArmijo * trial.slope;
      step *= halving < 2 ? 0.5 : 0.2;
    }
    if (!accepted) {
      // A poor model of the curvature; the plain gradient may still find a way down.
      if (!variables.forget()) break;
      continue;
    }
    variables.accept();
    const double decrease = result.value - value;
    result.value = value;
    ++result.iterations;
    if (decrease <= options.value_tolerance * std::max({1.0, std::abs(value)})) break;
  }
  return result;
}

}  // namespace causcale
