// A prepared model computes what the plain call does; on the CPU nothing is ever recorded.
#include "learn/networks/prepared_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace causcale {
namespace {

TEST(PreparedModel, ComputesTheSameOnTheCpu) {
  ModelConfig config;
  config.blocks = 2;
  const ModelParams params = initialise_parameters(config, 4);
  at::manual_seed(5);
  const ModelInput input{at::randn({1, 12, 5, 2}), at::randn({1, 5, 5}), {}, {}};
  PreparedModel prepared(params, config);
  ExecutionOptions execution;
  execution.pack_once = execution.replay = execution.fused_outer_layers = true;
  const at::Tensor expected = pair_probabilities(params, config, input);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(at::equal(prepared.pair_probabilities(input, true, execution), expected)) << run;
  EXPECT_EQ(prepared.recordings(), 0u);
}

TEST(PreparedModel, ASideStreamChangesNothing) {
  ModelConfig config;
  config.blocks = 3;
  const ModelParams params = initialise_parameters(config, 8);
  at::manual_seed(9);
  const ModelInput input{at::randn({2, 9, 4, 2}), at::randn({2, 4, 4}), {}, {}};
  SideStream side(at::kCPU);
  ExecutionOptions execution;
  execution.side = &side;
  EXPECT_LE(
      (edge_probabilities(params, config, input, true, execution) - edge_probabilities(params, config, input))
          .abs()
          .max()
          .item<double>(),
      1e-6);
}

}  // namespace
}  // namespace causcale
