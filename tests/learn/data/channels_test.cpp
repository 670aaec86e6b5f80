// Channels beside values, flags and prior: the trainer's side of them.
#include "core/channels.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "core/cpu/network_cpu.h"
#include "core/input.h"
#include "learn/data/batches.h"
#include "learn/data/device_channels.h"
#include "learn/data/true_knowledge.h"
#include "learn/networks/checkpoint.h"
#include "learn/run/torch_network.h"
#include "simulate/synthetic.h"
#include "support/random_graphs.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

const InputChannels kAll{{DataChannel::kMissing, DataChannel::kDiscrete},
                         {PairChannel::kShift, PairChannel::kKnowledge}};

TEST(DeviceChannels, AgreeWithTheHosts) {
  for (const int observational : {2, 30}) {
    constexpr std::int64_t kTables = 2, kColumns = 6;
    const std::int64_t rows = 40 + observational;
    at::Tensor data = at::zeros({kTables, rows, kColumns, 4});
    RandomStream random(2, static_cast<std::uint32_t>(observational), 0);
    for (std::int64_t token = 0; token < kTables * rows * kColumns; ++token) {
      float* cell = data.data_ptr<float>() + 4 * token;
      const std::int64_t r = token / kColumns % rows, c = token % kColumns;
      cell[0] = static_cast<float>(c < 2 ? random.below(3) : random.normal());
      cell[1] = r >= observational && c == r % 5;
      cell[2] = c >= 2 && random.coin(0.1);
    }
    const at::Tensor shifts = shift_statistics(data, kAll);
    const at::Tensor discrete = discrete_columns(data);
    for (std::int64_t b = 0; b < kTables; ++b) {
      const WrittenTable table{data[b].data_ptr<float>(), rows, kColumns, 4, 2};
      const Matrix<float> expected = shift_statistics(table);
      const std::vector<bool> few = discrete_columns(WrittenTable{table.data, rows, kColumns, 4, -1});
      for (std::int64_t i = 0; i < kColumns; ++i) {
        EXPECT_EQ(discrete[b][i].item<float>() != 0, few[static_cast<std::size_t>(i)]) << i;
        for (std::int64_t j = 0; j < kColumns; ++j)
          EXPECT_NEAR(shifts[b][i][j].item<float>(), expected(i, j), 1e-5) << i << " " << j;
      }
    }
  }
}

ModelConfig small_model(const InputChannels& channels) {
  ModelConfig config;
  config.blocks = 2;
  config.embed_dim = 32;
  config.heads = 4;
  config.ffn_dim = 64;
  config.channels = channels;
  return config;
}

core::NetworkInput input_for(const InputChannels& channels) {
  SyntheticOptions options;
  options.nodes = 5;
  options.rows = 60;
  std::array<Dataset, 2> tables = {simulate_synthetic(options, 4, 0).dataset,
                                   simulate_synthetic(options, 4, 1).dataset};
  const std::vector<float> priors = prior_input(tables, {});
  for (std::size_t r = 0; r < 60; r += 7) tables[1].table.values(r, 3) = std::nan("");
  std::vector<std::size_t> rows(60);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Knowledge knowledge;
  knowledge.required = {{0, 1}};
  return network_input(tables, priors, rows, std::array{0, 1, 2}, channels, knowledge);
}

TEST(Channels, TheTrainersNetworkAndTheCoreAgree) {
  const test::TempFolder folder;
  const ModelConfig config = small_model(kAll);
  const std::filesystem::path file = folder / "model.safetensors";
  save_model(file, config, initialise_parameters(config, 3), StoredType::kF32);
  core::WeightFile weights(file);
  const core::CpuNetwork<float> core(config, core::read_weights(weights), core::Isa::kBase);
  const core::NetworkInput input = input_for(kAll);
  const auto expected = core.pair_probabilities(input, {});
  const auto found = torch_network(file, Device::kCpu, Precision::kFloat32)->pair_probabilities(input, {});
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    for (std::size_t e = 0; e < found[k].edges.size(); ++e)
      EXPECT_NEAR(found[k].edges.data()[e], expected[k].edges.data()[e], 1e-5);
}

TEST(Channels, WidenedWeightsGiveTheSameAnswers) {
  const test::TempFolder folder;
  const InputChannels one{{DataChannel::kDiscrete}, {}};
  const ModelParams params = initialise_parameters(small_model(one), 3);
  const auto answers = [&](const InputChannels& channels, const ModelParams& of) {
    const std::filesystem::path file = folder / "model.safetensors";
    save_model(file, small_model(channels), of, StoredType::kF32);
    core::WeightFile weights(file);
    const core::CpuNetwork<float> core(small_model(channels), core::read_weights(weights), core::Isa::kBase);
    return core.pair_probabilities(input_for(channels), {});
  };
  const auto before = answers(one, params), after = answers(kAll, widen_inputs(params, one, kAll));
  for (std::size_t k = 0; k < before.size(); ++k)
    for (std::size_t e = 0; e < before[k].edges.size(); ++e)
      EXPECT_EQ(before[k].edges.data()[e], after[k].edges.data()[e]);
  EXPECT_THROW(widen_inputs(params, one, {}), InputError);
}

TEST(TrueKnowledge, IsTrueAndSometimesThere) {
  std::size_t required = 0, forbidden = 0, tiers = 0;
  for (std::uint32_t number = 0; number < 200; ++number) {
    const Digraph graph = test::random_dag(8, 0.3, number);
    RandomStream random(1, number, 0);
    const Knowledge knowledge = draw_true_knowledge(graph, random);
    required += knowledge.required.size();
    forbidden += knowledge.forbidden.size();
    tiers += !knowledge.tier_of.empty();
    for (const Edge& edge : knowledge.required) EXPECT_TRUE(graph.has_edge(edge.source, edge.target));
    for (const Edge& edge : graph.edges()) EXPECT_FALSE(knowledge.forbids(edge));
  }
  EXPECT_GT(required, 50u);
  EXPECT_GT(forbidden, 50u);
  EXPECT_GT(tiers, 30u);
}

TEST(Examples, LoseCellsWhereTheConfigurationSaysSo) {
  TrainConfig config = parse_train_config(
      R"({"model": {"blocks": 2, "embed_dim": 32, "heads": 4, "ffn_dim": 64, "data_channels": "missing", "pair_channels": "knowledge"},
          "stages": [{"steps": 1, "missing_cells": 0.5, "told_knowledge": 0.5, "nodes": 6, "rows": 50}]})",
      "test");
  ASSERT_EQ(config.stages[0].data.channels, config.model.channels);
  const ExampleSource source(config.stages[0].data);
  BatchPlan plan;
  plan.nodes = 6;
  plan.rows = 50;
  plan.graphs = 40;
  const Batch batch = make_batch(source, plan, 1, false);
  ASSERT_EQ(batch.input.data.size(3), 3);
  const at::Tensor share = batch.input.data.select(3, 2).mean(at::IntArrayRef{1, 2});
  const auto holed = share.gt(0).sum().item<std::int64_t>();
  EXPECT_GT(holed, 8);
  EXPECT_LT(holed, 32);
  EXPECT_LT(share.max().item<float>(), 0.6f);
  EXPECT_TRUE(batch.input.prior.isfinite().all().item<bool>());
  // Where a cell is missing, its value is zero.
  EXPECT_EQ((batch.input.data.select(3, 2) * batch.input.data.select(3, 0)).abs().max().item<float>(), 0.0f);
  const at::Tensor told = batch.input.pairs.select(3, 0);
  const auto informed = told.abs().amax(at::IntArrayRef{1, 2}).gt(0).sum().item<std::int64_t>();
  EXPECT_GT(informed, 4);
  EXPECT_LT(informed, 36);
  EXPECT_FALSE((told.eq(1).logical_and(batch.adjacency.eq(0))).any().item<bool>());
  EXPECT_FALSE((told.eq(-1).logical_and(batch.adjacency.eq(1))).any().item<bool>());
}

}  // namespace
}  // namespace causcale
