// Dropout in training: what it does to a sublayer, and that seed and step decide it.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "learn/data/batches.h"
#include "learn/networks/causcale.h"
#include "learn/run/learner.h"

namespace causcale {
namespace {

TrainConfig config_with(const std::string& dropout) {
  return parse_train_config(R"({"model": {"blocks": 2, "embed_dim": 16, "heads": 4, "ffn_dim": 32},
                                "stages": [{"steps": 10}], "dropout": )" +
                                dropout + "}",
                            "test");
}

Batch some_batch(const TrainConfig& config, int nodes = 5) {
  return make_batch(ExampleSource(config.stages[0].data), {0, 0, 0, nodes, 40, 3}, 7, false);
}

std::vector<float> losses(const TrainConfig& config, std::uint64_t seed, int rank, int from, int to) {
  const Batch batch = some_batch(config);
  Learner learner(config, initialise_parameters(config.model, 3), at::kCPU);
  learner.seed_dropout(seed, rank);
  std::vector<float> result;
  // Rate 0: the weights stay, so that the losses differ by what is dropped only.
  for (int step = from; step < to; ++step) result.push_back(learner.step(batch, 0.0, step).item<float>());
  return result;
}

TEST(Dropout, IsDecidedBySeedStepAndProcess) {
  const TrainConfig config = config_with("0.3");
  const std::vector<float> whole = losses(config, 5, 0, 0, 4), later = losses(config, 5, 0, 2, 4);
  EXPECT_NE(whole[0], whole[1]);
  EXPECT_EQ(whole[2], later[0]);  // as after a resume
  EXPECT_EQ(whole[3], later[1]);
  EXPECT_NE(whole[0], losses(config, 6, 0, 0, 1)[0]);
  EXPECT_NE(whole[0], losses(config, 5, 1, 0, 1)[0]);
  const std::vector<float> none = losses(config_with("0"), 5, 0, 0, 2);
  EXPECT_EQ(none[0], none[1]);
}

TEST(Dropout, KeepsTheMeanOfWhatASublayerAdds) {
  const TrainConfig config = config_with("0");
  const Batch batch = some_batch(config, 4);
  const ModelParams params = initialise_parameters(config.model, 3);
  const c10::NoGradGuard no_grad;
  // The data stream after its first attention is linear in the mask.
  const auto after_first = [&](double dropout, std::uint64_t seed) {
    at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
    generator.set_current_seed(seed);
    at::Tensor result, before;
    const Trace trace = [&](const std::string& name, const at::Tensor& value) {
      if (name == "embed_data") before = value.clone();
      if (name == "step_00_data_layer_after_row") result = value.clone();
    };
    ExecutionOptions execution;
    execution.dropout = dropout;
    encode(params, config.model, batch.input, trace, execution);
    return result - before;
  };
  const at::Tensor full = after_first(0.0, 0);
  at::Tensor sum = at::zeros_like(full);
  const int draws = 200;
  for (int draw = 0; draw < draws; ++draw) {
    const at::Tensor thinned = after_first(0.25, static_cast<std::uint64_t>(draw) + 1);
    sum += thinned;
    if (draw > 0) continue;
    const double dropped = (thinned.abs() < 1e-7).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(dropped, 0.25, 0.03);
    const at::Tensor kept = thinned.abs() >= 1e-7;
    EXPECT_TRUE(at::allclose(thinned.masked_select(kept), full.masked_select(kept) / 0.75, 1e-4, 1e-5));
  }
  // The deviation of the mean is |f| sqrt(p / (1 - p) / draws), 4 % here.
  EXPECT_LT((sum / draws - full).norm().item<double>(), 0.1 * full.norm().item<double>());
}

}  // namespace
}  // namespace causcale
