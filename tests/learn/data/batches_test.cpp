// Batches: what is in them, how many examples, and that threads change nothing.
#include "learn/data/batches.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "learn/data/small_run.h"

namespace causcale {
namespace {

TEST(BatchQueue, GivesTheSameWhateverTheThreads) {
  const TrainConfig config = parse_train_config(test::kSmallRun, "test");
  const auto collect = [&](int threads, std::size_t stage) {
    BatchQueue queue(config, 5, threads, false);
    queue.restart(stage, 100, 1000);
    std::vector<Batch> batches;
    for (int i = 0; i < 8; ++i) batches.push_back(queue.next());
    return batches;
  };
  for (std::size_t stage : {0u, 1u}) {
    const std::vector<Batch> one = collect(1, stage), three = collect(3, stage);
    std::uint64_t dataset = 1000;
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(at::equal(one[i].input.data, three[i].input.data));
      EXPECT_TRUE(at::equal(one[i].input.prior, three[i].input.prior));
      EXPECT_TRUE(at::equal(one[i].adjacency, three[i].adjacency));
      EXPECT_LE(one[i].input.data.numel() / 2, 2000);
      dataset += one[i].graphs();
      EXPECT_EQ(one[i].next_dataset, dataset);
    }
  }
}

// By cells of the data, by cells of the graph's map where rows are few, by pairs of rows where they are many.
TEST(BatchPlan, FitsTheMemory) {
  const auto graphs = [](int nodes, int rows) {
    TrainConfig config = parse_train_config(R"({"stages": [{"steps": 1, "tokens": 640000}]})", "test");
    config.stages[0].data.nodes = Weighted<SizeRange>(SizeRange{nodes, nodes});
    config.stages[0].data.rows = Weighted<SizeRange>(SizeRange{rows, rows});
    return plan_batch(config, ExampleSource(config.stages[0].data), 1, 0, 0, 0).graphs;
  };
  EXPECT_EQ(graphs(100, 1000), 6);
  EXPECT_EQ(graphs(200, 50), 16);
  EXPECT_EQ(graphs(5, 4000), 8);
  EXPECT_EQ(graphs(10, 20000), 1);
  EXPECT_EQ(graphs(1000, 1000), 1);
}

TEST(Examples, AreStandardisedAndFlagged) {
  const TrainConfig config = parse_train_config(test::kSmallRun, "test");
  const ExampleSource source(config.stages[0].data);
  const Batch batch = make_batch(source, {0, 0, 0, 5, 60, 40}, 9, false);
  const at::Tensor values = batch.input.data.select(-1, 0), flags = batch.input.data.select(-1, 1);
  EXPECT_LT(values.mean(1).abs().max().item<float>(), 1e-5);
  EXPECT_LT((values.pow(2).mean(1) - 1.0).abs().max().item<float>(), 1e-4);
  const at::Tensor interventional = flags.sum(at::IntArrayRef{1, 2}) > 0;  // per data set
  EXPECT_GT(interventional.sum().item<std::int64_t>(), 20);
  EXPECT_LT(interventional.sum().item<std::int64_t>(), 40);  // some are observational
  EXPECT_EQ(flags.sum(2).max().item<float>(), 1.0f);
  EXPECT_TRUE(at::isfinite(batch.input.prior).all().item<bool>());
  EXPECT_EQ((batch.adjacency + batch.adjacency.transpose(1, 2)).max().item<int>(), 1);
}

TEST(Examples, AugmentationsDoWhatTheySay) {
  TrainConfig config = parse_train_config(test::kSmallRun, "test");
  DataOptions data = config.stages[0].data;
  data.observational = 0.0;
  const BatchPlan plan{0, 0, 0, 6, 60, 10};
  const auto make = [&] { return make_batch(ExampleSource(data), plan, 3, false); };
  const Batch plain = make();
  data.hidden_flags = 1.0;
  EXPECT_EQ(make().input.data.select(-1, 1).sum().item<float>(), 0.0f);
  data.hidden_flags = 0.0;
  data.standardized_prior = 1.0;
  const Batch standardised = make();
  EXPECT_TRUE(at::equal(plain.input.data, standardised.input.data));
  EXPECT_FALSE(at::allclose(plain.input.prior, standardised.input.prior));
  data.random_units = 1.0;  // units must not matter to what is standardised
  EXPECT_TRUE(at::allclose(make().input.data, standardised.input.data, 1e-3, 1e-3));
  EXPECT_TRUE(at::allclose(make().input.prior, standardised.input.prior, 1e-2, 1e-2));
  data.standardized_prior = 0.0;
  EXPECT_FALSE(at::allclose(make().input.prior, plain.input.prior, 1e-1, 1e-1));
}

}  // namespace
}  // namespace causcale
