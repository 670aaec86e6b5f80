// A prepared model computes what the plain call does; on the CPU nothing is ever recorded.
#include "model/prepared_model.h"

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
  execution.pack_once = execution.replay = execution.fused_edges = true;
  const at::Tensor expected = edge_probabilities(params, config, input);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(at::equal(prepared.edge_probabilities(input, true, execution), expected)) << run;
  EXPECT_EQ(prepared.recordings(), 0u);
}

}  // namespace
}  // namespace causcale
