// Fitting the second stage of a model on tables whose graphs are known.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "discover/stacking/stacked_model.h"

namespace causcale {

// What is known of one table, and what was said of it.
struct StackingExample {
  std::string world;  // what it was drawn from
  PairStatistics statistics;
  core::PairProbabilities network;
  Matrix<std::uint8_t> adjacency, confounded;  // [n, n]: the truth
};

struct StackingFit {
  int members = 4;
  int hidden = 64;
  int epochs = 30;
  double learning_rate = 2e-3;  // falls to zero along half a cosine
  double weight_decay = 0.02;   // per step, times the learning rate
  int batch = 1024;             // pairs per step
  std::uint64_t seed = 0;
};

// Pairs of a table count less the more there are: each by 1 / sqrt(pairs).
struct StackingProgress {
  int member = 0, epoch = 0;
  double loss = 0.0;  // of the epoch
};
StackedModel fit_stacking(std::span<const StackingExample> examples, const StackingFit& fit, int threads,
                          const std::function<void(const StackingProgress&)>& progress = {});

// How good answers are, over some tables.
struct StackingScore {
  std::size_t tables = 0;
  double average_precision = 0.0;   // of directed edges, mean over tables that have any
  double skeleton_precision = 0.0;  // of links, likewise
  double calibration_error = 0.0;   // of all ordered pairs together
  double loss = 0.0;                // cross entropy per pair: none, forward, reverse or both
};
// Of the second stage, or of the network alone where `model` is null.
StackingScore stacking_score(std::span<const StackingExample> examples, const StackedModel* model,
                             int threads);

}  // namespace causcale
