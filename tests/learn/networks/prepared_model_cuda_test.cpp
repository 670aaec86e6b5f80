// Packed weights and recorded passes on the GPU: same results as the plain call, also when inputs, shapes or
// weights change between calls.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "learn/networks/prepared_model.h"

namespace causcale {
namespace {

ModelInput random_input(std::int64_t B, std::int64_t m, std::int64_t n) {
  const auto options = at::TensorOptions(at::kCUDA).dtype(at::kBFloat16);
  const at::Tensor values = at::randn({B, m, n}, options);
  return {at::stack({values, at::zeros_like(values)}, -1), at::randn({B, n, n}, options), {}, {}};
}

struct PreparedModelCuda : testing::Test {
  ModelConfig config;
  ModelParams params;
  PreparedModelCuda() {
    config.blocks = 4;
    params = convert_parameters(initialise_parameters(config, 6), at::kCUDA, at::kBFloat16);
    at::manual_seed(7);
  }
  at::Tensor expected(const ModelInput& input, const ExecutionOptions& execution) const {
    ExecutionOptions eager = execution;
    eager.pack_once = eager.replay = false;
    return pair_probabilities(params, config, input, true, eager);
  }
};

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST_F(PreparedModelCuda, PacksOnce) {
  ExecutionOptions execution;
  execution.pack_once = true;
  PreparedModel prepared(params, config);
  for (int run = 0; run < 3; ++run) {
    const ModelInput input = random_input(1, 40 + run, 9);
    EXPECT_EQ(
        largest_difference(prepared.pair_probabilities(input, true, execution), expected(input, execution)),
        0.0);
  }
}

TEST_F(PreparedModelCuda, ReplaysOtherInputsOfTheShape) {
  for (int variant = 0; variant < 8; ++variant) {
    SCOPED_TRACE(variant);
    ExecutionOptions execution;
    execution.replay = true;
    execution.pack_once = variant & 1;
    execution.fused_outer_layers = variant & 2;
    execution.overlap = variant & 4;
    PreparedModel prepared(params, config);
    for (int run = 0; run < 5; ++run) {
      const ModelInput input = random_input(2, 50, 11);
      EXPECT_LE(
          largest_difference(prepared.pair_probabilities(input, true, execution), expected(input, execution)),
          1e-3)
          << run;
      EXPECT_EQ(prepared.recordings(), run == 0 ? 0u : 1u);
    }
  }
}

TEST_F(PreparedModelCuda, KeepsFewRecordings) {
  ExecutionOptions execution;
  execution.pack_once = execution.replay = true;
  PreparedModel prepared(params, config);
  for (int n = 3; n < 10; ++n)
    for (int run = 0; run < 3; ++run) {
      const ModelInput input = random_input(1, 16, n);
      EXPECT_LE(
          largest_difference(prepared.pair_probabilities(input, true, execution), expected(input, execution)),
          1e-3);
    }
  EXPECT_EQ(prepared.recordings(), 4u);
}

TEST_F(PreparedModelCuda, FollowsItsWeights) {
  ExecutionOptions execution;
  execution.pack_once = execution.replay = true;
  PreparedModel prepared(params, config);
  const ModelInput input = random_input(1, 30, 8);
  at::Tensor before;
  for (int run = 0; run < 3; ++run) before = prepared.pair_probabilities(input, true, execution);
  {
    const c10::NoGradGuard no_grad;
    params.blocks[0].data.row.qkv.weight.mul_(1.5);
    params.blocks[1].graph.feed_forward.up.weight.mul_(-1.0);
    params.blocks[1].fuse.weight.mul_(0.5);
  }
  const at::Tensor after = expected(input, execution);
  EXPECT_GT(largest_difference(before, after), 1e-3);
  for (int run = 0; run < 3; ++run)
    EXPECT_LE(largest_difference(prepared.pair_probabilities(input, true, execution), after), 1e-3) << run;
}

TEST_F(PreparedModelCuda, ServesSeveralThreads) {
  ExecutionOptions execution;
  execution.pack_once = execution.replay = true;
  PreparedModel prepared(params, config);
  std::vector<ModelInput> inputs;
  std::vector<at::Tensor> wanted;
  for (int k = 0; k < 4; ++k) {
    inputs.push_back(random_input(1, 24, 7 + k % 2));
    wanted.push_back(expected(inputs.back(), execution));
  }
  std::vector<double> differences(4, 0.0);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (int run = 0; run < 6; ++run)
        differences[k] =
            std::max(differences[k],
                     largest_difference(prepared.pair_probabilities(inputs[k], true, execution), wanted[k]));
    });
  for (std::thread& thread : threads) thread.join();
  for (const double difference : differences) EXPECT_LE(difference, 1e-3);
}

TEST_F(PreparedModelCuda, ARefusedRecordingLeavesTheDeviceUsable) {
  const ModelInput input = random_input(1, 12, 5);
  int calls = 0;
  EXPECT_ANY_THROW(RecordedPass(input, [&](const ModelInput& given) {
    ++calls;
    at::Tensor result = given.prior.to(at::kFloat) * 2.0;
    if (calls == 2) result.sum().item<double>();  // waits for the device, which no recording may do
    return result;
  }));
  EXPECT_EQ(calls, 2);
  // Random numbers, memory, products and a further recording still work.
  EXPECT_TRUE(at::randn({64}, input.prior.options()).isfinite().all().item<bool>());
  RecordedPass recording(input, [](const ModelInput& given) { return at::bmm(given.prior, given.prior); });
  EXPECT_LE(largest_difference(recording.replay(input), at::bmm(input.prior, input.prior)), 1e-3);
}

}  // namespace
}  // namespace causcale
