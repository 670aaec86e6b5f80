// Interventions as people do them: which rows are treated how, what the table says of it, and what it does to
// the values.
#pragma once

#include <span>
#include <vector>

#include "simulate/worlds/world_draw.h"

namespace causcale {

enum class TreatmentEffect {
  kHard,        // set to values that do not depend on causes
  kSoft,        // damped and shifted; its causes still act
  kIncomplete,  // hard in a part of the rows
  kDrug,        // measured as ever, but its effects see a damped and shifted value
};

struct TreatmentHit {
  int node;
  TreatmentEffect effect;
};

struct TreatmentPlan {
  // Of every regime: what is done, and which nodes the table names. The first regime is observational.
  std::vector<std::vector<TreatmentHit>> hits{{}};
  std::vector<std::vector<int>> named{{}};
  std::vector<int> regime_of_row;

  std::vector<std::vector<int>> rows_of_regimes() const;
};

// By the settings of treatment_settings(). Targets are of `candidates`; rows of all regimes are shuffled.
TreatmentPlan plan_treatments(WorldDraw& draw, std::span<const int> candidates, int rows);

// `measured` holds what the node does by itself and becomes what is measured, `seen` what its children see.
// `states`: values are 0, ..., states - 1; 0: numbers; kOwnValues: nothing but values that the column has.
inline constexpr int kOwnValues = -1;
void apply_treatments(const TreatmentPlan& plan, const std::vector<std::vector<int>>& rows_of_regimes,
                      int node, int states, RandomStream random, std::span<double> measured,
                      std::span<double> seen);

// In the form of a table: distinct sets of columns. `column`: of every node, -1 for none.
Interventions interventions_of(const TreatmentPlan& plan, std::span<const int> column);

}  // namespace causcale
