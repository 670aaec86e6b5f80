// Gene expression as a stochastic dynamical system: the trajectories of all genes in all cell types of many
// experiments, sampled near the end.
//
// For gene i with production P and decay rate l, Euler-Maruyama with step dt:
//   x += dt (P - l x) + sqrt(dt) q (sqrt(P) N1 + sqrt(l x) N2), never below 0.
// The two independent normals are drawn as one of the summed variance, which is the same distribution.
// P is the basal rate of a root, else the sum over regulators of |k| h(x) (repressors: |k| (1 - h(x))), with
// the Hill function h(x) = x^c / (K^c + x^c). The half response K of a regulator is the mean over cell types
// of its mean sampled expression in the same experiment.
#pragma once

#include <cstdint>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "simulate/fast_math.h"

namespace causcale {

struct SergioParameters {
  Digraph graph;
  std::vector<double> strength;  // k of every edge, in the order of graph.edges(); negative = repressor
  Matrix<double> basal_rates;    // [genes, cell types]; roots use them
  double decay = 0.8;
  double noise = 1.0;
  double hill = 2.0;

  int genes() const { return graph.nodes(); }
  int cell_types() const { return static_cast<int>(basal_rates.cols()); }
};

// The production of the target is multiplied by `residual`: 0 is a knock-out, less than 1 a knock-down.
struct SergioExperiment {
  int target = -1;  // -1: wild type
  float residual = 0.0f;
};

struct SergioSchedule {
  int cells_per_type = 1;
  double time_step = 0.01;
  int steps_per_cell = 15;   // a gene without children runs steps_per_cell * cells_per_type steps,
  int steps_per_level = 10;  // and so many more for every level above
};

struct SergioCells {
  int genes = 0;
  int cells = 0;                        // of an experiment: cell types * cells_per_type, type by type
  std::vector<float> expression;        // [experiment][gene][cell]
  Matrix<double> half_response;         // [experiment, gene]: of every gene, regulator or not
  std::vector<std::vector<int>> steps;  // as draw_sampled_steps gives them

  std::size_t offset(int experiment, int gene) const {
    return (static_cast<std::size_t>(experiment) * genes + gene) * cells;
  }
};

// Genes by the longest path to a gene without children (level 0). Throws InputError on a directed cycle.
std::vector<int> sergio_levels(const Digraph& graph);

struct SergioLengths {
  std::vector<int> steps;       // of every gene
  std::vector<int> read_steps;  // how many of them its children read
};
SergioLengths sergio_lengths(const Digraph& graph, const SergioSchedule& schedule);

// Of every gene's regulators, in the order of graph.parents().
std::vector<std::vector<float>> strengths_by_target(const SergioParameters& parameters);

// Sampled steps of every experiment, counted from the end (1 = last); the same for all genes and cell types.
std::vector<std::vector<int>> draw_sampled_steps(const SergioSchedule& schedule, std::size_t experiments,
                                                 std::uint64_t seed, std::uint32_t index,
                                                 std::uint32_t group);

// `group` keeps the random numbers of several calls for one data set apart.
SergioCells run_sergio(const SergioParameters& parameters, const std::vector<SergioExperiment>& experiments,
                       const SergioSchedule& schedule, std::uint64_t seed, std::uint32_t index,
                       std::uint32_t group, int threads);

// x > 0 or 0; `log_half` is the logarithm of the half response.
CAUSCALE_HD_INLINE float hill_response(float x, float log_half, float hill) {
  const float ratio = fast_exp(hill * (fast_log(fast_max(x, 1e-30f)) - log_half));
  return x > 0.0f ? ratio / (1.0f + ratio) : 0.0f;
}

CAUSCALE_HD_INLINE float sergio_step(float x, float production, float decay, float time_step, float diffusion,
                                     float normal) {
  const float loss = decay * x;
  return fast_max(0.0f, x + time_step * (production - loss) + diffusion * sqrtf(production + loss) * normal);
}

}  // namespace causcale
