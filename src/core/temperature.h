// How sure probabilities deserve to be: log-odds divided by a temperature and, for means of several answers,
// an offset.
//
// Temperature: an edge of probability p gets the probability whose log-odds are log(p / (1 - p)) / T. As this
// is a rising function of p, the ranking of edges stays as it is, and so does the graph at a threshold of
// 1/2; p(i -> j) + p(j -> i) <= 1 stays true, too. (Dividing the three logits of a pair before the softmax
// would change the ranking between pairs.)
//
// Offset b: "an edge, in whichever direction" gets exp(b) times the odds against "none", and its directions
// share that as before. Where the reverse direction is unlikely, that adds b to the edge's log-odds; the sum
// of both directions stays at most 1. Means need it: answers that disagree average to something in between,
// and edges are rarer than one half, so that a mean of 0.45 is an edge more often than not. Where a model
// tells that both directions hold, "an edge" counts that once.
//
// A model's other outputs are of pairs that either have something or not: log-odds / T + b, of one pass, too.
#pragma once

#include <span>

#include "causcale/matrix.h"

namespace causcale {

struct ProbabilityScale {
  double temperature = 1.0;
  double offset = 0.0;
};

// Scales of a model's answers, by the number of passes through the network whose mean an answer is.
struct AnswerScales {
  double temperature = 1.0;  // of one pass
  ProbabilityScale mean;     // of the mean of `mean_of` passes
  int mean_of = 1;           // 1: means are treated as one pass
  double offset = 0.0;       // of one pass; edges have none

  // What separates a mean from one pass grows like 1 - 1 / passes, the share of their disagreement that
  // averaging takes away.
  ProbabilityScale of(int passes) const;
};

double at_temperature(double probability, double temperature);
// Of one direction of a pair; `reverse` is the probability of the other, and `both`, which each of them
// counts, that of both, at its own scale.
double at_scale(double probability, double reverse, const ProbabilityScale& scale, double both = 0.0);
// `both` may be empty.
void apply_scale(const ProbabilityScale& scale, Matrix<double>& probabilities,
                 const Matrix<double>& both = {});
// Of pairs that either have something or not.
double at_scale_alone(double probability, const ProbabilityScale& scale);
void apply_scale_alone(const ProbabilityScale& scale, Matrix<double>& probabilities);

// Mean binary cross entropy (natural logarithm) of the probabilities against the truth (0 or 1).
double cross_entropy(std::span<const double> probabilities, std::span<const unsigned char> truth);

// The temperature between 1/20 and 20 that minimises the cross entropy. Throws InputError when the truth is
// all the same, or the sizes differ.
double fit_temperature(std::span<const double> probabilities, std::span<const unsigned char> truth);

// Temperature, within the same limits, and offset, within -5 and 5, that minimise the cross entropy of
// log-odds / T + b. Throws as fit_temperature does.
ProbabilityScale fit_scale(std::span<const double> probabilities, std::span<const unsigned char> truth);

}  // namespace causcale
