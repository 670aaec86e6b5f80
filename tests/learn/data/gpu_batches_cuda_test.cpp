// Batches from a GPU against the host's: the kernel against the same code run on the host, whole batches
// against make_batch, and how fast they come.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "learn/data/batch_comparison.h"
#include "learn/data/gpu_batches.h"
#include "learn/data/gpu_sampler.h"
#include "learn/networks/training_device.h"
#include "simulate/names.h"

namespace causcale {
namespace {

using test::data_of;
using test::expect_same_batch;
using test::largest;
using test::plan_of;

class GpuBatchesCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!GpuBatchMaker::supports(device_)) GTEST_SKIP() << "no CUDA device of compute capability 9.0";
  }
  const at::Device device_ = training_device(Device::kAuto);
};

std::string everything(const std::string& mechanism) {
  return R"("mechanisms": ")" + mechanism + R"(",
    "noises": ["gaussian", "laplace", "student", "uniform", "exponential", "mixture"],
    "couplings": ["additive", "multiplicative", "heteroscedastic"],
    "roots": ["uniform", "gaussian", "mixture"],
    "interventions": ["none", "perfect", "soft", "mechanism"],
    "plain": 0.2, "varied_noise": 0.5, "uneven_noise": 0.5, "varied_interventions": 0.5, "weak_effects": 0.5, "partial_coverage": 0.5, "several_targets": 0.5, "hidden_flags": 0.3, "hidden_variables": 0.5,
    "random_units": 0.5, "mirrored_columns": 0.5, "shuffled_rows": 0.5, "standardized_prior": 0.5, "prior_subset": 0.5,
    "prior_subset_rows": 60)";
}

TEST_F(GpuBatchesCuda, TheKernelDoesWhatItsCodeDoesOnTheHost) {
  for (const auto& [mechanism, name] : kMechanismNames)
    for (const int rows : {3, 131, 1000, 5000}) {
      const ExampleSource examples(data_of(everything(std::string(name))));
      const BatchRecipe recipe = prepare_batch(examples, plan_of(9, rows, 12), 5, false);
      const PackedModels& packed = recipe.packed;
      const std::int64_t columns = packed.columns();
      const at::Tensor values = at::empty({columns, static_cast<std::int64_t>(packed.entries()) / columns});
      const at::Tensor flags = at::empty(values.sizes(), at::kByte), scales = at::zeros({columns, 2});
      at::Tensor bytes = recipe.packed_bytes.clone();
      const auto pointers = [](const at::Tensor& v, const at::Tensor& f, const at::Tensor& s) {
        return SampledColumns{v.data_ptr<float>(), f.data_ptr<std::uint8_t>(),
                              static_cast<ColumnScale*>(s.data_ptr())};
      };
      const at::Tensor device_values = at::empty_like(values, values.options().device(device_));
      const at::Tensor device_flags = at::empty_like(flags, flags.options().device(device_));
      const at::Tensor device_scales = scales.to(device_), device_bytes = bytes.to(device_);
      sample_packed_on_host(packed.view(static_cast<std::byte*>(bytes.data_ptr())),
                            pointers(values, flags, scales));
      synchronise(device_);  // the kernel runs on the default stream, whatever the copies ran on
      cuda::sample_packed_on_device(packed.view(static_cast<std::byte*>(device_bytes.data_ptr())),
                                    pointers(device_values, device_flags, device_scales), nullptr);
      synchronise(device_);
      const std::string where = fmt::format("{}, {} rows", name, rows);
      EXPECT_TRUE(device_flags.cpu().equal(flags)) << where;
      const at::Tensor found = device_values.cpu();
      const at::Tensor spread = (values - values.mean(1, true)).square().mean(1, true).sqrt().clamp_min(1e-6);
      EXPECT_LE(largest((found - values) / spread), standardizes_inputs(mechanism) ? 1e-2 : 1e-4) << where;
      EXPECT_LE(largest(device_scales.cpu() - scales), 1e-2 * largest(scales) + 1e-6) << where;
      fmt::print("{}: {} of {} values differ in any bit\n", where,
                 found.ne(values).sum().item<std::int64_t>(), values.numel());
    }
}

TEST_F(GpuBatchesCuda, WholeBatchesEqualTheHosts) {
  GpuBatchMaker maker(device_);
  for (const auto& [mechanism, name] : kMechanismNames) {
    SCOPED_TRACE(name);
    const ExampleSource examples(data_of(everything(std::string(name))));
    for (const BatchPlan& plan : {plan_of(9, 131, 24), plan_of(60, 400, 3), plan_of(120, 300, 3)})
      expect_same_batch(maker.make(examples, plan, 5), make_batch(examples, plan, 5, false),
                        standardizes_inputs(mechanism) ? 1e-2 : 1e-4, 1e-3);
  }
}

TEST_F(GpuBatchesCuda, PseudoInversesMessyTablesAndGeneExpression) {
  GpuBatchMaker maker(device_);
  const ExampleSource few(data_of(R"("standardized_prior": 0.5)"));
  expect_same_batch(maker.make(few, plan_of(20, 8, 6), 5), make_batch(few, plan_of(20, 8, 6), 5, false), 1e-4,
                    1e-3);
  const ExampleSource mixed(data_of(R"("messy_columns": 0.5, "families": ["synthetic", "sergio"])"));
  expect_same_batch(maker.make(mixed, plan_of(6, 80, 16), 5), make_batch(mixed, plan_of(6, 80, 16), 5, false),
                    1e-4, 1e-3);
}

TEST_F(GpuBatchesCuda, TheQueueHandsOutTheSameBatchesInOrderAndTheyCanBeReused) {
  TrainConfig config = parse_train_config(
      R"({"simulate_on": "gpu", "stages": [{"steps": 1, "nodes": "5-30", "rows": 200, "max_batch": 8}]})",
      "test");
  BatchQueue on_gpu(config, 3, 4, true, {}, device_);
  config.simulate_on = SimulateOn::kCpu;
  BatchQueue on_host(config, 3, 4, false);
  on_gpu.restart(0, 0, 0);
  on_host.restart(0, 0, 0);
  for (int step = 0; step < 20; ++step) expect_same_batch(on_gpu.next(), on_host.next(), 1e-4, 1e-3);
}

}  // namespace
}  // namespace causcale
