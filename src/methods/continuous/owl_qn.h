// Minimisation of a smooth function plus weighted absolute values: orthant-wise limited-memory quasi-Newton
// (Andrew and Gao 2007). It solves the same problem as L-BFGS with bounds on the two non-negative halves of
// every variable, with half the variables.
#pragma once

#include <functional>
#include <span>

namespace causcale {

struct OwlQnOptions {
  int memory = 20;
  int max_iterations = 400;
  double value_tolerance = 1e-7;     // relative decrease of one step that ends the search
  double gradient_tolerance = 1e-5;  // largest entry of the pseudo-gradient that ends the search
  // First guess of the inverse Hessian at the point last evaluated, applied in place to the entries of
  // `direction` that `free` names: positive definite on them. The identity when empty.
  std::function<void(std::span<const std::size_t> free, std::span<double> direction)> precondition;
};

struct OwlQnResult {
  double value = 0.0;  // penalty included
  int iterations = 0;
  int evaluations = 0;
};

// Gives the value at x and writes the gradient; infinity where the function is not defined.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

// Starts at x, which has to lie in the domain, and leaves the minimiser there. penalty[i] >= 0 is the factor
// of |x[i]|.
OwlQnResult minimize_with_l1(std::span<double> x, std::span<const double> penalty,
                             const SmoothFunction& smooth, const OwlQnOptions& options);

}  // namespace causcale
