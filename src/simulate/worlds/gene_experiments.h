// What is done to genes: wild type, knock-outs, knock-downs, over-expression, few rows each.
#pragma once

#include <vector>

#include "simulate/worlds/treatments.h"

namespace causcale {

struct GeneExperiments {
  TreatmentPlan plan;            // one target per regime but the first
  std::vector<double> residual;  // of every regime: factor of the target's production
};

// perturbations, treated, rows_per_target, residual.
std::vector<WorldSetting> gene_experiment_settings();
// At least one row is wild type; rows of all regimes are shuffled.
GeneExperiments plan_gene_experiments(WorldDraw& draw, int genes, int rows);

}  // namespace causcale
