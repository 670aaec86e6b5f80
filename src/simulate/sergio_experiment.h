// One experiment of the SERGIO simulator, all genes and cell types, as a team does it: the threads of a CUDA
// block, or a plain loop on the host. Random numbers have the same addresses as in sergio_dynamics.cpp and
// every number comes from the same operations in the same order, so the cells are the same.
//
// Genes are taken by depth, the longest path from a gene without regulators: those of one depth do not read
// each other. Trajectories lie in memory as [gene][step][cell type] and are turned into Hill responses in
// place once the gene's cells are sampled.
//
// A team offers
//   share(count, work)     work(i) for every i < count, in any order and possibly at the same time;
//   sync()                 waits until all have come here and all that was written can be read;
//   for_each(count, work)  both;
//   once(work)             work() by one of them, then sync();
//   add(counter, value), least(place, value)  *counter += value, *place = min(*place, value), by many at
//   once.
#pragma once

#include <cstdint>

#include "simulate/batch_random.h"
#include "simulate/sergio_dynamics.h"
#include "simulate/technical_noise.h"

namespace causcale {

struct PackedRegulator {
  int gene;
  float strength;
  std::int64_t first_step;  // as PackedGene::first_step of the regulator
};

struct PackedGene {
  int gene;
  int steps, read_steps;  // as in SergioLengths
  int first_regulator, end_regulator;
  float constant;           // production without any regulator: of the repressors
  std::int64_t first_step;  // where the gene's trajectory begins, in steps
};

// One group of cells of one data set (SergioGroup).
struct PackedGroup {
  std::uint64_t seed;
  std::uint32_t index, number;
  int genes, types, cells_per_type;
  int first_gene;              // into PackedSergioView::genes, sorted by depth
  int first_depth, end_depth;  // into PackedSergioView::depth_end
  int first_basal_rate;        // [gene][cell type]
  float decay, hill, time_step, diffusion;
  int noisy;  // 1 when counts are drawn
  TechnicalNoise technical;

  CAUSCALE_HD_INLINE int cells() const { return types * cells_per_type; }
};

struct PackedExperiment {
  int group;
  int number;  // within its group, part of the random addresses
  int target;
  float residual;
  int first_sampled_step;
  std::int64_t first_cell;        // [gene][cell] of the results
  std::int64_t first_trajectory;  // of its working memory; experiments of one wave do not overlap
  std::int64_t first_gene_value;  // [gene]
  std::int64_t first_lane_value;  // [gene][cell type]
  std::int64_t first_cell_value;  // [cell]
};

struct PackedSergioView {
  const PackedGroup* groups;
  const PackedExperiment* experiments;
  const PackedGene* genes;
  const PackedRegulator* regulators;
  const int* depth_end;  // number of genes of a group up to and with that depth
  const int* sampled_steps;
  const float* basal_rates;
};

// What simulation writes: the result, and working memory.
struct SergioBuffers {
  float* cells;
  float* trajectories;
  double* lane_means;
  float* log_halves;
  double* gene_factors;
  double* cell_factors;
};

template <class Team>
class ExperimentRun {
 public:
  CAUSCALE_HD_INLINE ExperimentRun(const Team& team, const PackedSergioView& view, int experiment,
                                   const SergioBuffers& buffers)
      : team_(team),
        view_(view),
        experiment_(view.experiments[experiment]),
        group_(view.groups[experiment_.group]),
        cells_(buffers.cells + experiment_.first_cell),
        trajectory_(buffers.trajectories + experiment_.first_trajectory),
        lane_mean_(buffers.lane_means + experiment_.first_lane_value),
        log_half_(buffers.log_halves + experiment_.first_gene_value) {}

  CAUSCALE_HD_INLINE void run() const {
    int first = 0;
    for (int depth = group_.first_depth; depth < group_.end_depth; ++depth) {
      const PackedGene* genes = view_.genes + group_.first_gene + first;
      const int count = view_.depth_end[depth] - first, types = group_.types;
      team_.for_each(count * types, [&](int task) {
        integrate(genes[task / types], task % types);
        sample(genes[task / types], task % types);
      });
      team_.for_each(count, [&](int i) { set_half_response(genes[i].gene); });
      for (int i = 0; i < count; ++i) keep_response(genes[i]);
      team_.sync();
      first += count;
    }
  }

 private:
  CAUSCALE_HD_INLINE float* trajectory(std::int64_t first_step, int type) const {
    return trajectory_ + first_step * group_.types + type;
  }

  // The expected steady state: what the regulators' mean expression calls for.
  CAUSCALE_HD_INLINE float expected_production(const PackedGene& gene, int type) const {
    float production = start_of_production(gene, type);
    for (int r = gene.first_regulator; r < gene.end_regulator; ++r) {
      const PackedRegulator& regulator = view_.regulators[r];
      const auto mean = static_cast<float>(lane_mean_[regulator.gene * group_.types + type]);
      production += regulator.strength * hill_response(mean, log_half_[regulator.gene], group_.hill);
    }
    return production;
  }

  CAUSCALE_HD_INLINE float start_of_production(const PackedGene& gene, int type) const {
    return gene.first_regulator == gene.end_regulator
               ? view_.basal_rates[group_.first_basal_rate + gene.gene * group_.types + type]
               : gene.constant;
  }

  CAUSCALE_HD_INLINE void integrate(const PackedGene& gene, int type) const {
    const int types = group_.types;
    const float residual = experiment_.target == gene.gene ? experiment_.residual : 1.0f;
    const BatchAddress address{
        group_.seed, group_.index, Purpose::kSergioDynamics,
        group_.number * static_cast<std::uint32_t>(group_.genes) + static_cast<std::uint32_t>(gene.gene)};
    const auto blocks = static_cast<std::uint32_t>((gene.steps + 3) / 4);
    const std::uint32_t first_block = static_cast<std::uint32_t>(experiment_.number * types + type) * blocks;
    const float start = start_of_production(gene, type);
    float x = residual * fast_max(expected_production(gene, type), 0.0f) / group_.decay;
    float* own = trajectory(gene.first_step, type);
    own[0] = x;
    // Four steps take their numbers from one block of the generator. Regulators run longer than their
    // targets, so the last four may read steps that are not used, but none that do not exist.
    for (int t = 0; t + 1 < gene.steps; t += 4) {
      const Words4 words = random_words(address, first_block + static_cast<std::uint32_t>(t / 4));
      const NormalPair low = normal_pair(words.w0, words.w1), high = normal_pair(words.w2, words.w3);
      const float normal[4] = {low.first, low.second, high.first, high.second};
      float production[4] = {start, start, start, start};
      for (int r = gene.first_regulator; r < gene.end_regulator; ++r) {
        const PackedRegulator regulator = view_.regulators[r];
        const float* response = trajectory(regulator.first_step + t, type);
        for (int k = 0; k < 4; ++k) production[k] += regulator.strength * response[k * types];
      }
      for (int k = 0; k < 4; ++k) {
        if (t + k + 1 >= gene.steps) break;
        x = sergio_step(x, residual * fast_max(production[k], 0.0f), group_.decay, group_.time_step,
                        group_.diffusion, normal[k]);
        own[(t + k + 1) * types] = x;
      }
    }
  }

  CAUSCALE_HD_INLINE void sample(const PackedGene& gene, int type) const {
    const int cells = group_.cells_per_type;
    const float* own = trajectory(gene.first_step, type);
    float* cell = cells_ + static_cast<std::int64_t>(gene.gene) * group_.cells() + type * cells;
    double sum = 0;
    for (int c = 0; c < cells; ++c) {
      const int from_end = view_.sampled_steps[experiment_.first_sampled_step + c];
      cell[c] = own[(gene.steps - from_end) * group_.types];
      sum += cell[c];
    }
    lane_mean_[gene.gene * group_.types + type] = sum / cells;
  }

  CAUSCALE_HD_INLINE void set_half_response(int gene) const {
    double over_types = 0;
    for (int type = 0; type < group_.types; ++type) over_types += lane_mean_[gene * group_.types + type];
    const double half = over_types / group_.types;
    log_half_[gene] = static_cast<float>(log(half > 1e-30 ? half : 1e-30));
  }

  CAUSCALE_HD_INLINE void keep_response(const PackedGene& gene) const {
    const float log_half = log_half_[gene.gene];
    float* own = trajectory(gene.first_step, 0);
    team_.share(gene.read_steps * group_.types,
                [&](int i) { own[i] = hill_response(own[i], log_half, group_.hill); });
  }

  const Team& team_;
  const PackedSergioView& view_;
  // Copies: a GPU keeps what it needs of them in registers.
  const PackedExperiment experiment_;
  const PackedGroup group_;
  float* cells_;
  float* trajectory_;
  double* lane_mean_;
  float* log_half_;
};

// For loops on the host.
struct HostTeam {
  template <class Work>
  void share(int count, const Work& work) const {
    for (int i = 0; i < count; ++i) work(i);
  }
  void sync() const {}
  template <class Work>
  void for_each(int count, const Work& work) const {
    share(count, work);
  }
  template <class Work>
  void once(const Work& work) const {
    work();
  }
  template <class T>
  void add(T* counter, T value) const {
    *counter += value;
  }
  template <class T>
  void least(T* place, T value) const {
    if (value < *place) *place = value;
  }
};

}  // namespace causcale
