// Batches as a GPU makes them, with the kernel's work done on the host, against the batches that the host
// makes for itself: equal graphs, flags and row order, and numbers that differ by rounding only.
#include "learn/data/gpu_batches.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "causcale/error.h"
#include "learn/data/batch_comparison.h"
#include "simulate/names.h"

namespace causcale {
namespace {

using test::data_of;
using test::largest;

Batch emulate(const BatchRecipe& recipe) {
  const PackedModels& packed = recipe.packed;
  const auto entries = static_cast<std::int64_t>(packed.entries());
  const std::int64_t columns = packed.columns();
  at::Tensor values = at::empty({columns, columns > 0 ? entries / columns : 0}, at::kFloat);
  at::Tensor flags = at::empty(values.sizes(), at::kByte);
  std::vector<ColumnScale> scales(static_cast<std::size_t>(columns));
  at::Tensor bytes = recipe.packed_bytes.clone();
  if (columns > 0)
    sample_packed_on_host(packed.view(static_cast<std::byte*>(bytes.data_ptr())),
                          {values.data_ptr<float>(), flags.data_ptr<std::uint8_t>(), scales.data()});
  const PackedSergio& expression = recipe.expression.packed;
  const SergioMemory memory(expression.sizes(), at::kCPU);
  const at::Tensor expression_bytes = recipe.expression.packed_bytes.clone();
  simulate_packed_on_host(expression.view(static_cast<const std::byte*>(expression_bytes.data_ptr())),
                          expression.waves(), memory.buffers());
  return finish_batch(recipe, {values, flags, memory.cells()});
}

struct Pair {
  Batch host, gpu;
  std::size_t sampled, expressed;
};

Pair make_both(const DataOptions& data, const BatchPlan& plan, std::uint64_t seed = 5) {
  const ExampleSource examples(data);
  const BatchRecipe recipe = prepare_batch(examples, plan, seed, false);
  return {make_batch(examples, plan, seed, false), emulate(recipe), recipe.sampled.size(),
          recipe.expressed.size()};
}

Pair make_both(const std::string& keys, const BatchPlan& plan, std::uint64_t seed = 5) {
  return make_both(data_of(keys), plan, seed);
}

BatchPlan plan_of(int nodes, int rows, int graphs) {
  BatchPlan plan = test::plan_of(nodes, rows, graphs);
  plan.first_dataset = 40;
  return plan;
}

void expect_same(const Pair& pair, double data_tolerance, double prior_tolerance) {
  test::expect_same_batch(pair.gpu, pair.host, data_tolerance, prior_tolerance);
}

TEST(GpuBatches, EqualTheHostsForTheDefaults) {
  const Pair pair = make_both("", plan_of(12, 150, 5));
  EXPECT_EQ(pair.sampled, 5u);
  expect_same(pair, 1e-6, 1e-6);
}

TEST(GpuBatches, EqualTheHostsForEveryMechanismWithAllItsCompanions) {
  for (const auto& [mechanism, name] : kMechanismNames) {
    const std::string keys = R"("mechanisms": ")" + std::string(name) + R"(",
      "noises": ["gaussian", "laplace", "student", "uniform", "exponential", "mixture"],
      "couplings": ["additive", "multiplicative", "heteroscedastic"],
      "roots": ["uniform", "gaussian", "mixture"],
      "interventions": ["none", "perfect", "soft", "mechanism"],
      "graphs": ["er", "sf"], "plain": 0.2, "varied_noise": 0.5, "uneven_noise": 0.5, "varied_interventions": 0.5, "weak_effects": 0.5, "partial_coverage": 0.5, "several_targets": 0.5, "hidden_flags": 0.3,
      "hidden_variables": 0.5, "random_units": 0.5, "mirrored_columns": 0.5, "shuffled_rows": 0.5, "standardized_prior": 0.5,
      "prior_subset": 0.5, "prior_subset_rows": 60)";
    SCOPED_TRACE(name);
    const Pair pair = make_both(keys, plan_of(9, 131, 24));
    EXPECT_EQ(pair.sampled, 24u);
    expect_same(pair, standardizes_inputs(mechanism) ? 1e-4 : 2e-6, 1e-4);
  }
}

TEST(GpuBatches, ShrinkPriorsFromAHundredVariablesOn) {
  expect_same(make_both(R"("standardized_prior": 0.5, "mechanisms": ["linear", "nn"])", plan_of(104, 90, 3)),
              1e-5, 1e-5);
}

TEST(GpuBatches, FewerRowsThanVariablesGivePseudoInverses) {
  expect_same(make_both(R"("standardized_prior": 0.5)", plan_of(20, 8, 6)), 1e-5, 1e-4);
}

TEST(GpuBatches, EqualTheHostsForGeneExpressionWithAllItsOptions) {
  for (const char* profiles : {R"("10x-chromium")", R"(["none", "illumina", "drop-seq", "smart-seq"])"}) {
    const Pair pair =
        make_both(R"("families": "sergio", "sergio": {"profiles": )" + std::string(profiles) +
                      R"(, "graphs": ["er", "sf", "sbm"], "perturbations": ["knockout", "knockdown"],
      "transforms": ["none", "log1p"], "wild_type_share": [0, 0.3], "window_rows": 300},
      "partial_coverage": 0.4, "observational": 0.2, "hidden_flags": 0.3, "hidden_variables": 0.5,
      "random_units": 0.5, "mirrored_columns": 0.5, "shuffled_rows": 0.5, "standardized_prior": 0.5, "prior_subset": 0.5,
      "prior_subset_rows": 60)",
                  plan_of(9, 131, 20));
    EXPECT_EQ(pair.expressed, 20u);
    expect_same(pair, 1e-5, 1e-4);
  }
}

TEST(GpuBatches, EqualTheHostsWhereLogarithmsAreShown) {
  DataOptions data =
      data_of(R"("families": "sergio", "random_units": 0.5, "standardized_prior": 0.5, "prior_subset": 0.5,
                 "prior_subset_rows": 60)");
  const Pair counts = make_both(data, plan_of(9, 131, 10));
  data.logarithms = true;
  const Pair logarithms = make_both(data, plan_of(9, 131, 10));
  EXPECT_EQ(logarithms.expressed, 10u);
  expect_same(logarithms, 1e-5, 1e-4);
  EXPECT_GT(largest(logarithms.gpu.input.data - counts.gpu.input.data), 0.1);
}

TEST(GpuBatches, EqualTheHostsInAllChannels) {
  DataOptions data =
      data_of(R"("families": ["synthetic", "sergio"], "messy_columns": 0.3, "missing_cells": 0.3,
      "told_knowledge": 0.6, "partial_coverage": 0.5, "hidden_variables": 0.5, "hidden_flags": 0.2)");
  data.channels = {{DataChannel::kMissing, DataChannel::kDiscrete},
                   {PairChannel::kKnowledge, PairChannel::kShift}};
  const Pair pair = make_both(data, plan_of(7, 90, 24));
  EXPECT_GT(pair.sampled, 0u);
  EXPECT_GT(pair.expressed, 0u);
  EXPECT_LT(pair.sampled + pair.expressed, 24u);
  expect_same(pair, 1e-5, 1e-4);
  EXPECT_TRUE(pair.gpu.input.data.narrow(3, 2, 2).equal(pair.host.input.data.narrow(3, 2, 2)));
  EXPECT_LT(largest(pair.gpu.input.pairs - pair.host.input.pairs), 1e-3);
  EXPECT_GT(largest(pair.host.input.pairs.select(3, 0)), 0.5);
  EXPECT_GT(largest(pair.host.input.pairs.select(3, 1)), 0.5);
  EXPECT_GT(largest(pair.host.input.data.select(3, 3)), 0.5);
}

TEST(GpuBatches, LeaveMessyTablesToTheHostAndPutAllKindsIntoTheirPlaces) {
  const Pair mixed =
      make_both(R"("messy_columns": 0.5, "families": ["synthetic", "sergio"])", plan_of(6, 80, 16));
  EXPECT_GT(mixed.sampled, 0u);
  EXPECT_GT(mixed.expressed, 0u);
  EXPECT_LT(mixed.sampled + mixed.expressed, 16u);
  expect_same(mixed, 1e-5, 1e-5);
  const Pair none = make_both(R"("messy_columns": 1)", plan_of(6, 80, 3));
  EXPECT_EQ(none.sampled, 0u);
  expect_same(none, 0.0, 0.0);
}

TEST(GpuBatches, ShareDataSetsOutAsTheHostDoes) {
  BatchPlan plan = plan_of(7, 60, 3);
  plan.share = {1, 2};
  expect_same(make_both("", plan), 1e-6, 1e-6);
}

TEST(GpuBatches, AreRefusedWithoutAGpuAndNotChosenByThemselves) {
  EXPECT_FALSE(GpuBatchMaker::supports(at::kCPU));
  EXPECT_THROW(GpuBatchMaker{at::kCPU}, UsageError);
  TrainConfig config = parse_train_config(R"({"simulate_on": "auto", "stages": [{"steps": 1}]})", "test");
  EXPECT_NO_THROW(BatchQueue(config, 1, 1, false));
  config.simulate_on = SimulateOn::kGpu;
  EXPECT_THROW(BatchQueue(config, 1, 1, false), UsageError);
  EXPECT_THROW(parse_train_config(R"({"simulate_on": "tpu", "stages": [{"steps": 1}]})", "test"), InputError);
}

}  // namespace
}  // namespace causcale
