// Gene expression from a GPU against the host's: the kernels against the same code run on the host, whole
// batches against make_batch, and how fast they come.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "learn/data/batch_comparison.h"
#include "learn/data/gpu_batches.h"
#include "learn/data/gpu_sergio.h"
#include "learn/networks/training_device.h"

namespace causcale {
namespace {

using test::expect_same_batch;
using test::largest;
using test::plan_of;

class SergioCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!GpuBatchMaker::supports(device_)) GTEST_SKIP() << "no CUDA device of compute capability 9.0";
  }

  at::Tensor on_host(const PackedSergio& packed) const {
    const SergioMemory memory(packed.sizes(), at::kCPU);
    simulate_packed_on_host(packed.view(packed.bytes().data()), packed.waves(), memory.buffers());
    return memory.cells();
  }
  at::Tensor on_device(const PackedExpression& expression) const {
    const PackedSergio& packed = expression.packed;
    const SergioMemory memory(packed.sizes(), device_);
    const at::Tensor bytes = expression.packed_bytes.to(device_);
    synchronise(device_);  // the kernels run on the default stream, whatever the copies ran on
    cuda::simulate_sergio_on_device(packed.view(static_cast<const std::byte*>(bytes.data_ptr())),
                                    packed.waves(), memory.buffers(), nullptr);
    synchronise(device_);
    return memory.cells().cpu();
  }
  const at::Device device_ = training_device(Device::kAuto);
};

DataOptions data_of(const std::string& sergio, const std::string& more = "") {
  return parse_train_config(
             R"({"stages": [{"steps": 1, "families": "sergio", "sergio": )" + sergio + more + "}]}", "test")
      .stages[0]
      .data;
}

TEST_F(SergioCuda, CleanExpressionIsWhatTheCodeGivesOnTheHost) {
  const ExampleSource examples(data_of(
      R"({"profiles": "none", "graphs": ["er", "sf"], "edges_per_node": [1, 4], "wild_type_share": [0, 0.2],
          "perturbations": ["knockout", "knockdown"]})"));
  // From few experiments to many: blocks of all sizes.
  for (const BatchPlan& plan :
       {plan_of(1, 3, 4), plan_of(9, 131, 12), plan_of(60, 400, 3), plan_of(60, 200, 9)}) {
    const BatchRecipe recipe = prepare_batch(examples, plan, 5, false);
    const at::Tensor expected = on_host(recipe.expression.packed), found = on_device(recipe.expression);
    EXPECT_LE(largest((found - expected) / (1.0 + expected)), 1e-4) << plan.nodes;
    fmt::print("{} genes: {} of {} clean values differ in any bit\n", plan.nodes,
               found.ne(expected).sum().item<std::int64_t>(), expected.numel());
  }
}

TEST_F(SergioCuda, CountsAreWhatTheCodeGivesOnTheHost) {
  for (const char* profile : {"10x-chromium", "illumina", "drop-seq", "smart-seq"}) {
    const ExampleSource examples(
        data_of(R"({"wild_type_share": [0, 0.2], "profiles": ")" + std::string(profile) + R"("})"));
    for (const BatchPlan& plan : {plan_of(2, 5, 4), plan_of(9, 131, 12), plan_of(60, 400, 3)}) {
      const BatchRecipe recipe = prepare_batch(examples, plan, 5, false);
      const at::Tensor expected = on_host(recipe.expression.packed), found = on_device(recipe.expression);
      const auto differing = found.ne(expected).sum().item<std::int64_t>();
      // A comparison that rounds the other way shifts the random numbers of the rest of its experiment.
      EXPECT_LE(differing, expected.numel() / 100) << profile << ", " << plan.nodes;
      EXPECT_TRUE(found.eq(found.floor()).all().item<bool>());
      fmt::print("{}, {} genes: {} of {} counts differ\n", profile, plan.nodes, differing, expected.numel());
    }
  }
}

TEST_F(SergioCuda, WavesReuseTheirMemory) {
  const ExampleSource examples(data_of("{}"));
  std::vector<SergioPlan> plans;
  for (std::uint32_t i = 0; i < 3; ++i)
    plans.push_back(examples.expression_recipe(200, 20, 5, i)->data.cells);
  const PackedSergio whole(plans);
  PackedExpression parted;
  parted.packed = PackedSergio(plans, whole.sizes().trajectories / 5);
  ASSERT_GT(parted.packed.waves().size(), 4u);
  std::vector<std::byte> bytes = parted.packed.bytes();
  parted.packed_bytes =
      at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte).clone();
  EXPECT_EQ(on_device(parted).ne(on_host(whole)).sum().item<std::int64_t>(), 0);
}

TEST_F(SergioCuda, WholeBatchesEqualTheHosts) {
  GpuBatchMaker maker(device_);
  const ExampleSource examples(data_of(
      R"({"profiles": ["10x-chromium", "none", "smart-seq"], "graphs": ["er", "sf", "sbm"],
          "perturbations": ["knockout", "knockdown"], "transforms": ["none", "log1p"],
          "wild_type_share": [0, 0.3], "window_rows": 300})",
      R"(, "partial_coverage": 0.4, "observational": 0.2, "hidden_flags": 0.3, "hidden_variables": 0.5,
          "random_units": 0.5, "shuffled_rows": 0.5, "standardized_prior": 0.5)"));
  for (const BatchPlan& plan : {plan_of(9, 131, 24), plan_of(60, 400, 3), plan_of(120, 300, 3)}) {
    const Batch found = maker.make(examples, plan, 5), expected = make_batch(examples, plan, 5, false);
    expect_same_batch(found, expected, 1e-4, 1e-3);
  }
}

}  // namespace
}  // namespace causcale
