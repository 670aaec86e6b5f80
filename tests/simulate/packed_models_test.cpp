// The sampler that GPUs run, here on the host, against the simulator: the same models must give the same
// tables, to the last bit where no mechanism rests on a sum over all rows.
#include "simulate/packed_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "simulate/hidden.h"
#include "simulate/names.h"

namespace causcale {
namespace {

struct Sampled {
  std::vector<float> values;
  std::vector<std::uint8_t> flags;
  std::vector<ColumnScale> scales;

  explicit Sampled(const PackedModels& packed)
      : values(packed.entries()), flags(packed.entries()), scales(packed.columns()) {
    std::vector<std::byte> copy = packed.bytes();
    sample_packed_on_host(packed.view(copy.data()), {values.data(), flags.data(), scales.data()});
  }
};

std::size_t entry_of(const PackedModels& packed, int column, int row) {
  const int lanes = (packed.rows() + 3) / 4;
  return static_cast<std::size_t>(column) * 4 * lanes + 4 * (row % lanes) + row / lanes;
}

SyntheticOptions options_of(Mechanism mechanism) {
  SyntheticOptions options;
  options.nodes = 11;
  options.edges_per_node = 2;
  options.rows = 67;  // no multiple of four
  options.mechanism = mechanism;
  return options;
}

// Compares every cell and flag of all models with what the simulator makes; returns the largest difference
// relative to the column's deviation.
double largest_difference(const std::vector<CausalModel>& models) {
  const PackedModels packed(models);
  const Sampled sampled(packed);
  double largest = 0.0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Simulation expected = sample_model(models[i]);
    const Matrix<double>& table = expected.dataset.table.values;
    for (std::size_t c = 0; c < table.cols(); ++c) {
      const int column = packed.first_column(static_cast<int>(i)) + expected.visible[c];
      std::vector<float> reference(table.rows());
      for (std::size_t r = 0; r < table.rows(); ++r) reference[r] = static_cast<float>(table(r, c));
      const double deviation = moments_of(reference).deviation;
      for (std::size_t r = 0; r < table.rows(); ++r) {
        const std::size_t at = entry_of(packed, column, static_cast<int>(r));
        EXPECT_TRUE(std::isfinite(sampled.values[at]));
        largest = std::max(largest, std::abs(sampled.values[at] - table(r, c)) / deviation);
        const Interventions& interventions = expected.dataset.interventions;
        const std::vector<int>& targets = interventions.regimes[interventions.regime_of_row[r]];
        const bool intervened =
            std::find(targets.begin(), targets.end(), static_cast<int>(c)) != targets.end();
        EXPECT_EQ(sampled.flags[at], intervened ? 1 : 0);
      }
    }
  }
  return largest;
}

class PackedModelsOf : public testing::TestWithParam<Mechanism> {};

TEST_P(PackedModelsOf, EqualTheSimulatorForEveryNoiseCouplingRootAndIntervention) {
  const Mechanism mechanism = GetParam();
  std::vector<CausalModel> models;
  for (const auto& [noise, noise_name] : kNoiseNames)
    for (const auto& [coupling, coupling_name] : kCouplingNames)
      for (const auto& [roots, roots_name] : kRootNames)
        for (const auto& [effect, effect_name] : kInterventionNames) {
          if (effect == InterventionEffect::kBlocked) continue;  // refused, see below
          SyntheticOptions options = options_of(mechanism);
          options.noise = noise;
          options.coupling = coupling;
          options.roots = roots;
          options.interventions.effect = effect;
          if (models.size() % 2 == 1) {
            options.noise_spread = 5.0;
            options.effect_scale = 0.3;
            options.interventions.value_spread = 0.3;
            options.interventions.value_shift = 2.0;
          }
          models.push_back(draw_model(options, 7, static_cast<std::uint32_t>(models.size())));
        }
  const double largest = largest_difference(models);
  // Where inputs are standardised, double sums in another order may change the last bit of a float scale.
  if (standardizes_inputs(mechanism))
    EXPECT_LT(largest, 1e-4);
  else
    EXPECT_EQ(largest, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, PackedModelsOf, testing::ValuesIn([] {
                           std::vector<Mechanism> kinds;
                           for (const auto& [kind, name] : kMechanismNames) kinds.push_back(kind);
                           return kinds;
                         }()),
                         [](const auto& info) { return name_of(kMechanismNames, info.param); });

TEST(PackedModels, FewRowsManyTargetsHiddenNodesAndMixedMechanisms) {
  std::vector<CausalModel> models;
  for (const InterventionEffect effect :
       {InterventionEffect::kPerfect, InterventionEffect::kSoft, InterventionEffect::kMechanismChange})
    for (const int hidden : {0, 3}) {
      SyntheticOptions options = options_of(Mechanism::kNeural);
      options.mixed_mechanisms = {Mechanism::kLinear, Mechanism::kNeural, Mechanism::kSigmoidAdditive};
      options.hidden = hidden;
      options.interventions = {effect, 0.7, 3};
      models.push_back(draw_model(options, 3, static_cast<std::uint32_t>(models.size())));
    }
  EXPECT_EQ(largest_difference(models), 0.0);
  for (const int rows : {1, 2, 3, 5}) {
    SyntheticOptions options = options_of(Mechanism::kPolynomial);
    options.rows = rows;
    EXPECT_EQ(largest_difference({draw_model(options, 9, 0)}), 0.0) << rows;
  }
}

TEST(PackedModels, BlockedNodesAreRefused) {
  SyntheticOptions options = options_of(Mechanism::kLinear);
  options.interventions.effect = InterventionEffect::kBlocked;
  const CausalModel model = draw_model(options, 5, 1);
  EXPECT_THROW(PackedModels(std::span(&model, 1)), std::logic_error);
}

TEST(PackedModels, StandardisedInputsUseTheMomentsOfTheParents) {
  SyntheticOptions options = options_of(Mechanism::kFourier);
  options.rows = 1000;
  const CausalModel model = draw_model(options, 5, 1);
  const PackedModels packed(std::span(&model, 1));
  const Sampled sampled(packed);
  int checked = 0;
  for (int node = 0; node < options.nodes; ++node) {
    if (model.graph.children(node).empty()) continue;
    std::vector<float> column;
    for (int r = 0; r < options.rows; ++r) column.push_back(sampled.values[entry_of(packed, node, r)]);
    const Moments moments = moments_of(column);
    EXPECT_NEAR(sampled.scales[node].centre, moments.mean, 1e-6 * moments.deviation);
    EXPECT_NEAR(sampled.scales[node].inverse_scale * moments.deviation, 1.0, 1e-6);
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace causcale
