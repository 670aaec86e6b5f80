// Single-cell gene expression of a random regulatory network under knock-outs or knock-downs of single genes.
#pragma once

#include <cstdint>
#include <vector>

#include "causcale/graph.h"
#include "causcale/table.h"
#include "simulate/graph_model.h"
#include "simulate/sergio_dynamics.h"
#include "simulate/technical_noise.h"

namespace causcale {

enum class PerturbationKind { kKnockOut, kKnockDown };

struct SergioOptions {
  GraphOptions graph{.nodes = 10, .edges_per_node = 2.0};
  int rows = 5000;         // perturbed cells
  int wild_type_rows = 0;  // unperturbed cells, after the perturbed ones
  int min_cell_types = 5;
  int max_cell_types = 10;
  PerturbationKind perturbation = PerturbationKind::kKnockOut;
  double min_residual = 0.1;  // a knock-down leaves a share of the production drawn from this range
  double max_residual = 0.5;
  double coverage = 1.0;  // share of the genes that are perturbed, each in rows of its own
  NoiseProfile profile = NoiseProfile::kChromium;
  double time_step = 0.01;
  int steps_per_cell = 15;
  int steps_per_level = 10;
};

// Cells that are simulated together: all perturbed ones, or all of the wild type.
struct SergioGroup {
  std::uint32_t number = 0;  // keeps random numbers apart
  std::vector<SergioExperiment> experiments;
  SergioSchedule schedule;
  int rows = 0;  // row r is cell r / (number of experiments) of experiment r mod (number of experiments)
};

// A data set before its cells are simulated.
struct SergioPlan {
  SergioParameters parameters;
  NoiseProfile profile = NoiseProfile::kNone;
  TechnicalNoise technical;
  std::uint64_t seed = 0;
  std::uint32_t index = 0;
  std::vector<SergioGroup> groups;  // perturbed cells, then the wild type; a group without rows is left out
};

struct SergioSimulation {
  Dataset dataset;  // counts, or clean expression without a noise profile; genes G0, G1, ...
  Digraph graph;
  Matrix<double> clean;        // [rows, genes] before technical noise
  std::vector<int> cell_type;  // of every row
  SergioParameters parameters;
  TechnicalNoise technical;
  SergioCells perturbed;  // all cells, also those beyond the rows asked for; clean
  SergioCells wild_type;
};

void check_sergio_options(const SergioOptions& options);  // throws UsageError

SergioParameters draw_sergio_parameters(const SergioOptions& options, std::uint64_t seed,
                                        std::uint32_t index);

// With given parameters; the options' graph and cell types are not used.
SergioPlan plan_sergio(const SergioOptions& options, SergioParameters parameters, std::uint64_t seed,
                       std::uint32_t index);
SergioPlan plan_sergio(const SergioOptions& options, SergioParameters parameters,
                       const TechnicalNoise& technical, std::uint64_t seed, std::uint32_t index);

// Perturbed rows are interleaved: row r belongs to perturbed gene number r mod (number of them), and its cell
// type is (r div that number) div (cells per type). The result does not depend on the number of threads.
SergioSimulation simulate_sergio(const SergioOptions& options, std::uint64_t seed, std::uint32_t index,
                                 int threads = 1);
SergioSimulation simulate_sergio(SergioPlan plan, int threads = 1);
// With given parameters; the options' graph and cell types are not used.
SergioSimulation simulate_sergio(const SergioOptions& options, SergioParameters parameters,
                                 std::uint64_t seed, std::uint32_t index, int threads = 1);
SergioSimulation simulate_sergio(const SergioOptions& options, SergioParameters parameters,
                                 const TechnicalNoise& technical, std::uint64_t seed, std::uint32_t index,
                                 int threads = 1);

}  // namespace causcale
