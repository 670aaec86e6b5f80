// Temperature scaling: one number that makes probabilities as sure as they deserve to be.
//
// An edge of probability p gets the probability whose log-odds are log(p / (1 - p)) / T. As this is a rising
// function of p, the ranking of edges stays as it is, and so does the graph at a threshold of 1/2; p(i -> j)
// + p(j -> i) <= 1 stays true, too. (Dividing the three logits of a pair before the softmax would change the
// ranking between pairs.)
#pragma once

#include <span>

#include "causcale/matrix.h"

namespace causcale {

double at_temperature(double probability, double temperature);
void apply_temperature(double temperature, Matrix<double>& probabilities);

// Mean binary cross entropy (natural logarithm) of the probabilities against the truth (0 or 1).
double cross_entropy(std::span<const double> probabilities, std::span<const unsigned char> truth);

// The temperature between 1/20 and 20 that minimises the cross entropy. Throws InputError when the truth is
// all the same, or the sizes differ.
double fit_temperature(std::span<const double> probabilities, std::span<const unsigned char> truth);

}  // namespace causcale
