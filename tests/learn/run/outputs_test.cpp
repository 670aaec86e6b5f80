// What a model says of pairs beside edges: its answers on every path, its labels, and runs that learn it.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/cpu/network_cpu.h"
#include "core/input.h"
#include "learn/data/batch_comparison.h"
#include "learn/data/gpu_batches.h"
#include "learn/networks/checkpoint.h"
#include "learn/run/torch_network.h"
#include "learn/run/trainer.h"
#include "learn/run/validation.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

const PairOutputs kBoth = {PairOutput::kFeedback, PairOutput::kConfounded};

ModelConfig small_model(const PairOutputs& outputs) {
  ModelConfig config;
  config.blocks = 2;
  config.embed_dim = 32;
  config.heads = 4;
  config.ffn_dim = 64;
  config.outputs = outputs;
  return config;
}

core::NetworkInput two_tables() {
  SyntheticOptions options;
  options.nodes = 5;
  options.rows = 60;
  const std::array<Dataset, 2> tables = {simulate_synthetic(options, 4, 0).dataset,
                                         simulate_synthetic(options, 4, 1).dataset};
  std::vector<std::size_t> rows(60);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return network_input(tables, prior_input(tables, {}), rows, std::array{0, 1, 2});
}

// Of the core on its plainest kernels, then of libtorch.
std::array<std::vector<core::PairProbabilities>, 2> answers(const ModelConfig& config,
                                                            const ModelParams& params,
                                                            const core::PassOptions& options = {}) {
  const test::TempFolder folder;
  const std::filesystem::path file = folder / "model.safetensors";
  save_model(file, config, params, StoredType::kF32);
  core::WeightFile weights(file);
  const core::CpuNetwork<float> core(config, core::read_weights(weights), core::Isa::kBase);
  const core::NetworkInput input = two_tables();
  return {core.pair_probabilities(input, options),
          torch_network(file, Device::kCpu, Precision::kFloat32)->pair_probabilities(input, options)};
}

void expect_near(const Matrix<double>& found, const Matrix<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found.data()[e], expected.data()[e], 1e-5);
}

TEST(Outputs, TheTrainersNetworkAndTheCoreAgree) {
  for (const PairOutputs& outputs : {kBoth, PairOutputs{PairOutput::kConfounded, PairOutput::kFeedback},
                                     PairOutputs{PairOutput::kConfounded}}) {
    const ModelConfig config = small_model(outputs);
    EXPECT_EQ(ModelConfig::from_metadata(config.to_metadata(), "test"), config);
    for (const bool symmetrised : {true, false}) {
      const auto [core, torch] =
          answers(config, initialise_parameters(config, 3), {.symmetrised = symmetrised});
      ASSERT_EQ(core.size(), 6u);
      ASSERT_EQ(torch.size(), 6u);
      for (std::size_t k = 0; k < core.size(); ++k) {
        expect_near(torch[k].edges, core[k].edges);
        expect_near(torch[k].feedback, core[k].feedback);
        expect_near(torch[k].confounded, core[k].confounded);
        EXPECT_EQ(core[k].feedback.size(), outputs.size() == 2 ? 25u : 0u);
        for (std::size_t i = 0; i < 5; ++i)
          for (std::size_t j = 0; j < 5; ++j) {
            EXPECT_EQ(core[k].confounded(i, j), core[k].confounded(j, i));
            EXPECT_EQ(core[k].confounded(i, j) > 0.0, i != j);
          }
      }
    }
  }
}

// New outputs say 0.02 everywhere, and the classes stay as they are to the last bit.
TEST(Outputs, NewOnesLeaveTheAnswersAsTheyAre) {
  const ModelParams params = initialise_parameters(small_model({}), 3);
  const auto before = answers(small_model({}), params);
  const PairOutputs one = {PairOutput::kConfounded};
  const auto confounded = answers(small_model(one), widen_outputs(params, {}, one));
  const auto both = answers(small_model(kBoth), widen_outputs(params, {}, kBoth));
  for (std::size_t path = 0; path < 2; ++path)
    for (std::size_t k = 0; k < before[path].size(); ++k) {
      EXPECT_EQ(confounded[path][k].edges, before[path][k].edges) << path;
      const core::PairProbabilities& said = both[path][k];
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
          if (i == j) continue;
          EXPECT_NEAR(said.feedback(i, j), 0.02, 1e-6);
          EXPECT_NEAR(said.confounded(i, j), 0.02, 1e-6);
          const double edge = before[path][k].edges(i, j);
          EXPECT_NEAR(said.edges(i, j), std::min(1.0, edge + said.feedback(i, j) / 2), 1e-7);
        }
    }
  // What is there is kept, wherever it comes to lie.
  const ModelParams wide = initialise_parameters(small_model(one), 5);
  const auto kept = answers(small_model(one), wide);
  const auto moved = answers(small_model(kBoth), widen_outputs(wide, one, kBoth));
  for (std::size_t k = 0; k < kept[0].size(); ++k) EXPECT_EQ(kept[0][k].confounded, moved[0][k].confounded);
  EXPECT_THROW(widen_outputs(wide, one, {PairOutput::kFeedback}), InputError);
}

TEST(Outputs, BelongToThePairwiseHead) {
  ModelConfig config = small_model(kBoth);
  config.head = HeadKind::kVanilla;
  EXPECT_THROW(config.check(), InputError);
  EXPECT_THROW(parse_pair_outputs("feedback,feedback"), UsageError);
  EXPECT_THROW(parse_pair_outputs("everything"), UsageError);
  const auto parse = [](const std::string& keys) {
    return parse_train_config("{" + keys + R"("stages": [{"steps": 1}]})", "test");
  };
  EXPECT_EQ(
      parse(R"("model": {"outputs": "confounded,feedback"}, "output_loss_weight": 2, )").output_loss_weight,
      2.0);
  EXPECT_THROW(parse(R"("output_loss_weight": 2, )"), InputError);
  EXPECT_THROW(parse(R"("model": {"outputs": "feedback,all"}, )"), InputError);
  EXPECT_THROW(parse(R"("model": {"architecture": "avici", "outputs": "feedback"}, )"), InputError);
  EXPECT_FALSE(small_model({}).to_metadata().contains("outputs"));
}

DataOptions asked(const std::string& keys, const PairOutputs& outputs = kBoth) {
  DataOptions data = test::data_of(keys);
  data.outputs = outputs;
  return data;
}

TEST(Labels, AreWhatWorldsSay) {
  for (const char* name : {"feedback", "hidden", "linear_gaussian"}) {
    const ExampleSource examples(asked(R"("families": "world", "worlds": ")" + std::string(name) + "\""));
    const Batch batch = make_batch(examples, test::plan_of(8, 60, 12), 5, false);
    ASSERT_EQ(batch.labels.sizes(), at::IntArrayRef({12, 2, 8, 8}));
    for (int b = 0; b < 12; ++b) {
      const WorldSample sample = draw_world(world_named(name), {.nodes = 8, .rows = 60, .settings = {}}, 5,
                                            static_cast<std::uint32_t>(b));
      for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j) {
          const auto at = [&](const at::Tensor& of) {
            return of[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(j)].item<int>();
          };
          const bool both = sample.adjacency(i, j) && sample.adjacency(j, i);
          EXPECT_EQ(at(batch.labels[b][0]), i != j && both);
          EXPECT_EQ(at(batch.labels[b][1]), sample.confounded(i, j));
          const at::Tensor graph = batch.adjacency[b];
          if (!both) {
            EXPECT_EQ(at(graph), sample.adjacency(i, j));
          } else if (i != j) {
            EXPECT_EQ(at(graph) + at(graph.t()), 1);
          }
        }
    }
    const std::string world = name;
    EXPECT_EQ(batch.labels.select(1, 0).sum().item<int>() > 0, world == "feedback");
    if (world == "hidden") {
      EXPECT_GT(batch.labels.select(1, 1).sum().item<int>(), 0);
    }
  }
}

// Of the paper's kind of table the variables of highest out-degree are hidden.
TEST(Labels, OfHiddenVariables) {
  const ExampleSource examples(
      asked(R"("hidden_variables": 1, "hidden_variables_at_most": 2, "edges_per_node": 1.5)"));
  std::int64_t positives = 0;
  for (std::uint32_t index = 0; index < 10; ++index) {
    const auto recipe = examples.recipe(50, 7, 3, index);
    ASSERT_TRUE(recipe);
    const Digraph& graph = recipe->model.graph;
    const std::vector<int>& visible = recipe->model.visible;
    const auto hidden = [&](int node) { return std::ranges::find(visible, node) == visible.end(); };
    const ExampleSource::Known known = examples.known(50, 7, 3, index);
    EXPECT_EQ(known.pairs.feedback, Matrix<std::uint8_t>(7, 7));
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 7; ++j) {
        // At most two are hidden, so that a way through hidden variables has at most two of them.
        const auto reaches = [&](int from, int to) {
          if (graph.has_edge(from, to)) return true;
          for (int by = 0; by < graph.nodes(); ++by)
            if (hidden(by) && graph.has_edge(from, by) && graph.has_edge(by, to)) return true;
          return false;
        };
        bool common = false;
        for (int h = 0; h < graph.nodes(); ++h)
          common = common || (hidden(h) && i != j && reaches(h, visible[i]) && reaches(h, visible[j]));
        EXPECT_EQ(known.pairs.confounded(i, j), common) << i << " " << j;
        positives += common;
      }
  }
  EXPECT_GT(positives, 0);
}

TEST(Labels, LeaveTheDataAsTheyAre) {
  const std::string keys = R"("families": {"synthetic": 1, "world": 2}, "worlds": ["feedback", "hidden"],
                              "hidden_variables": 0.5)";
  const Batch with = make_batch(ExampleSource(asked(keys)), test::plan_of(6, 40, 9), 2, false);
  const Batch without = make_batch(ExampleSource(asked(keys, {})), test::plan_of(6, 40, 9), 2, false);
  EXPECT_TRUE(with.input.data.equal(without.input.data));
  EXPECT_TRUE(with.input.prior.equal(without.input.prior));
  EXPECT_TRUE(with.adjacency.equal(without.adjacency));
  EXPECT_FALSE(without.labels.defined());
  EXPECT_TRUE(with.to(at::kCPU).labels.equal(with.labels));
}

TEST(Labels, OfBatchesMadeOnAGpuAreTheHosts) {
  for (const char* family : {"synthetic", "sergio", "world"}) {
    const ExampleSource examples(
        asked(R"("hidden_variables": 1, "worlds": "hidden", "families": ")" + std::string(family) + "\""));
    const BatchPlan plan = test::plan_of(6, 40, 5);
    const BatchRecipe recipe = prepare_batch(examples, plan, 4, false);
    EXPECT_TRUE(recipe.labels.equal(make_batch(examples, plan, 4, false).labels)) << family;
  }
}

TEST(Labels, AreUnknownWhereNobodySaysThem) {
  std::vector<std::int8_t> labels(2 * 9);
  write_labels({}, kBoth, 3, labels.data());
  for (const std::int8_t label : labels) EXPECT_EQ(label, kUnknownPair);
  Matrix<std::uint8_t> confounded(3, 3);
  confounded(0, 2) = confounded(2, 0) = 1;
  write_labels({{}, confounded}, {PairOutput::kConfounded, PairOutput::kFeedback}, 3, labels.data());
  EXPECT_EQ(labels[2], 1);
  EXPECT_EQ(labels[1], 0);
  EXPECT_EQ(labels[9], kUnknownPair);
}

constexpr const char* kRun = R"({
  "model": {"blocks": 2, "embed_dim": 16, "heads": 4, "ffn_dim": 32OUTPUTS},
  "optimizer": {"muon": {"learning_rate": 0.02}, "adamw": {"learning_rate": 0.02}},
  "schedule": {"warmup_steps": 2},
  "log_every": 1,
  "data": {"families": {"synthetic": 1, "world": 2}, "worlds": ["feedback", "hidden"], "hidden_variables": 0.5,
           "tokens": 2000},
  "stages": [{"steps": 12, "accumulate": 2, "nodes": [4, 6], "rows": "30-60"}],
  "validation": {"every_steps": 12, "settings": [
    {"family": "world", "world": "feedback", "nodes": 6, "rows": 50, "count": 4},
    {"nodes": 5, "edges": 6, "rows": 50, "count": 3}]}
})";

struct OutputRuns : testing::Test {
  OutputRuns() { at::set_num_threads(1); }
};

TrainConfig run_config(const std::string& outputs) {
  std::string text = kRun;
  text.replace(text.find("OUTPUTS"), 7, outputs.empty() ? "" : R"(, "outputs": ")" + outputs + "\"");
  return parse_train_config(text, "test");
}

TrainOptions run_options(const std::filesystem::path& out) {
  TrainOptions options;
  options.out = out;
  options.device = Device::kCpu;
  options.threads = 2;
  options.quiet = true;
  return options;
}

std::vector<nlohmann::json> log_of(const std::filesystem::path& run) {
  std::ifstream file(run / "metrics.jsonl");
  std::vector<nlohmann::json> entries;
  for (std::string line; std::getline(file, line);) {
    entries.push_back(nlohmann::json::parse(line));
    for (const char* timing : {"seconds", "graphs_per_second", "peak_memory_bytes"})
      entries.back().erase(timing);
  }
  return entries;
}

TEST_F(OutputRuns, StartFromAModelWithoutAndLearn) {
  const test::TempFolder folder;
  TrainOptions first = run_options(folder / "plain");
  train(run_config(""), first);
  const TrainConfig config = run_config("feedback,confounded");
  TrainOptions next = run_options(folder / "outputs");
  next.init = first.out / "model.safetensors";
  const TrainResult result = train(config, next);
  std::vector<nlohmann::json> entries = log_of(next.out), validated;
  std::erase_if(entries, [&](const nlohmann::json& entry) {
    if (entry.contains("map")) validated.push_back(entry);
    return entry.contains("map");
  });
  const auto mean = [&](std::size_t begin, const char* output) {
    double sum = 0.0;
    for (std::size_t k = begin; k < begin + 4; ++k) sum += entries[k]["output_loss"][output].get<double>();
    return sum / 4;
  };
  ASSERT_EQ(entries.size(), 12u);
  ASSERT_EQ(validated.size(), 1u);
  for (const char* output : {"feedback", "confounded"}) EXPECT_LT(mean(8, output), mean(0, output)) << output;
  // Where something is to be found, it is scored; nothing else is.
  ASSERT_EQ(result.scores.size(), 2u);
  ASSERT_FALSE(result.scores[0].outputs.empty());
  EXPECT_EQ(result.scores[0].outputs[0].first, "feedback");
  EXPECT_GT(result.scores[0].outputs[0].second, 0.0);
  EXPECT_TRUE(result.scores[1].outputs.empty());
  EXPECT_TRUE(validated[0]["outputs"][result.scores[0].name].contains("feedback"));
  EXPECT_EQ(load_model(next.out / "model.safetensors").config.outputs, kBoth);
  // The way back would lose what was learned.
  TrainOptions back = run_options(folder / "back");
  back.init = next.out / "model.safetensors";
  EXPECT_THROW(train(run_config(""), back), InputError);
}

// A network that says the same of every pair has the share of true pairs as its precision, which counts them.
TEST_F(OutputRuns, EdgesAreScoredAgainstBothDirectionsOfFeedback) {
  const auto precision = [](const PairOutputs& outputs) {
    ValidationOptions options;
    ValidationSetting setting;
    setting.name = "feedback";
    setting.family = "world";
    setting.world = "feedback";
    setting.nodes = 8;
    setting.rows = 40;
    setting.count = 1;
    setting.outputs = outputs;
    options.settings = {setting};
    const ModelConfig config = small_model(outputs);
    ModelParams params = initialise_parameters(config, 3);
    const c10::NoGradGuard no_grad;
    params.head.second.weight.zero_();
    params.head.second.bias.zero_();
    return Validation(options, 1).measure(params, config, at::kCPU).at(0);
  };
  const ValidationScore without = precision({}), with = precision({PairOutput::kFeedback});
  ASSERT_EQ(with.outputs.size(), 1u);
  constexpr double kPairs = 8 * 7 / 2;
  const double links = 2 * kPairs * without.average_precision, both = kPairs * with.outputs[0].second;
  EXPECT_GE(both, 1.0 - 1e-9);
  EXPECT_NEAR(2 * kPairs * with.average_precision, links + both, 1e-9);
}

TEST_F(OutputRuns, ResumedOnesDoTheSame) {
  const test::TempFolder folder;
  const TrainConfig config = run_config("confounded,feedback");
  TrainOptions whole = run_options(folder / "whole");
  train(config, whole);
  TrainOptions parts = run_options(folder / "parts");
  parts.stop_after_step = 5;
  train(config, parts);
  parts.resume = true;
  parts.stop_after_step.reset();
  train(config, parts);
  std::vector<nlohmann::json> found = log_of(parts.out);
  std::erase_if(found,
                [](const nlohmann::json& entry) { return entry.contains("map") && entry["step"] == 5; });
  EXPECT_EQ(found, log_of(whole.out));
  EXPECT_TRUE(at::equal(load_model(whole.out / "model.safetensors").params.head.second.weight,
                        load_model(parts.out / "model.safetensors").params.head.second.weight));
  // A model without outputs is another one.
  EXPECT_THROW(train(run_config(""), parts), InputError);
}

}  // namespace
}  // namespace causcale
