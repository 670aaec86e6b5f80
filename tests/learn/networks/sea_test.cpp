#include "learn/networks/sea.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "causcale/error.h"
#include "finite_differences.h"
#include "learn/networks/checkpoint.h"
#include "learn/networks/estimate_grid.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

ModelConfig little() {
  ModelConfig config = ModelConfig::published(Architecture::kSea);
  config.blocks = 2;
  config.embed_dim = 8;
  config.heads = 2;
  config.ffn_dim = 5;
  config.subsets.variables = 3;
  config.subsets.rows = 40;
  return config;
}

// With the estimates of 5 sets a table.
ModelInput random_input(std::int64_t B, std::int64_t n) {
  at::manual_seed(3);
  ModelInput input;
  input.data = at::randn({B, 60, n, 2}, at::kDouble);
  input.data.select(-1, 1).zero_();
  input.data.select(-1, 0).select(2, 1).add_(input.data.select(-1, 0).select(2, 0));
  input.prior = at::randn({B, n, n}, at::kDouble);
  std::vector<std::uint32_t> numbers;
  for (std::int64_t b = 0; b < B; ++b) numbers.push_back(static_cast<std::uint32_t>(b));
  add_estimates(input, little().subsets, 5, 1, numbers, 1);
  return input;
}

ModelParams double_weights(const ModelConfig& config) {
  return convert_parameters(initialise_parameters(config, 2), at::kCPU, at::kDouble);
}

double largest(const at::Tensor& difference) {
  return difference.abs().max().item<double>();
}

TEST(Sea, EstimatesAreAddedPerTable) {
  const ModelInput input = random_input(2, 6);
  EXPECT_EQ(input.subsets.sizes(), at::IntArrayRef({2, 5, 3}));
  EXPECT_EQ(input.estimates.sizes(), at::IntArrayRef({2, 5, 6}));
  EXPECT_LT(input.subsets.max().item<int>(), 6);
  EXPECT_FALSE(at::equal(input.subsets[0], input.subsets[1]));
  EXPECT_GT(input.estimates.max().item<int>(), 0);
}

TEST(Sea, DerivativesAgreeWithFiniteDifferences) {
  const ModelConfig config = little();
  const ModelInput input = random_input(2, 5);
  at::Tensor truth = at::zeros({2, 5, 5}, at::kByte);
  truth[0][1][2] = 1;
  truth[1][3][0] = 1;
  const int moved = expect_derivatives(
      double_weights(config),
      [&](const ModelParams& params) {
        return pair_loss(config, edge_logits(params, config, input), truth, input);
      },
      2);
  EXPECT_GT(moved, 150);
}

// One layer of the estimates against loops over the whole grid, as its description says it.
TEST(Sea, ComputesTheGridWhereItIsFilled) {
  const ModelConfig config = little();
  const ModelInput input = random_input(1, 4);
  const EstimateGrid grid(input.subsets, 4);
  const AttentionParams row = double_weights(config).sea.blocks[0].estimates.row;
  AxialParams only_row = double_weights(config).sea.blocks[0].estimates;
  // Attention among estimates and the feed-forward add nothing.
  only_row.column.out = {at::zeros_like(only_row.column.out.weight),
                         at::zeros_like(only_row.column.out.bias)};
  only_row.feed_forward.down = {at::zeros_like(only_row.feed_forward.down.weight),
                                at::zeros_like(only_row.feed_forward.down.bias)};
  const std::int64_t T = 5, P = 6, d = 8, H = 2, e = 4;
  const at::Tensor x = at::randn({1, T, P, d}, at::kDouble);
  const at::Tensor found = estimate_layer(only_row, x, grid, config, {})[0];

  const at::Tensor normed = at::layer_norm(x, {d}, row.norm.weight, row.norm.bias, 1e-5);
  const auto qkv = at::linear(normed, row.qkv.weight, row.qkv.bias)[0].chunk(3, -1);  // [T, P, d] each
  const at::Tensor cell = grid.cell.view({T, P});
  const auto same = [&](std::int64_t t, std::int64_t p, std::int64_t cell_number) {
    return cell[t][p].item<std::int64_t>() == cell_number;
  };
  at::Tensor mixed = at::zeros({T, P, d}, at::kDouble);
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t p = 0; p < P; ++p)
      for (std::int64_t h = 0; h < H; ++h) {
        const std::int64_t asks = cell[t][p].item<std::int64_t>();
        // The score of every pair (a cell of 4 x 4) that some estimate has together with this one.
        std::vector<double> scores(16, 0.0), times(16, 0.0);
        for (std::int64_t s = 0; s < T; ++s)
          for (std::int64_t a = 0; a < P; ++a) {
            if (!same(s, a, asks)) continue;
            for (std::int64_t b = 0; b < P; ++b) {
              const auto other = static_cast<std::size_t>(cell[s][b].item<std::int64_t>());
              scores[other] +=
                  (qkv[0][s][a].narrow(0, h * e, e) * qkv[1][s][b].narrow(0, h * e, e)).sum().item<double>();
              times[other] += 1.0;
            }
          }
        double sum = 0.0;
        for (std::size_t k = 0; k < 16; ++k)
          if (times[k] > 0.0) sum += std::exp(scores[k] / std::sqrt(times[k] * e));
        for (std::int64_t b = 0; b < P; ++b) {
          const auto other = static_cast<std::size_t>(cell[t][b].item<std::int64_t>());
          const double weight = std::exp(scores[other] / std::sqrt(times[other] * e)) / sum;
          mixed[t][p].narrow(0, h * e, e).add_(qkv[2][t][b].narrow(0, h * e, e) * weight);
        }
      }
  const at::Tensor expected = x[0] + at::linear(mixed, row.out.weight, row.out.bias);
  EXPECT_LT(largest(found - expected), 1e-12);
}

TEST(Sea, TheOtherAxisAttendsOverEstimatesThatShareAPair) {
  const ModelConfig config = little();
  const ModelInput input = random_input(1, 4);
  const EstimateGrid grid(input.subsets, 4);
  AxialParams only_column = double_weights(config).sea.blocks[0].estimates;
  only_column.row.out = {at::zeros_like(only_column.row.out.weight),
                         at::zeros_like(only_column.row.out.bias)};
  only_column.feed_forward.down = {at::zeros_like(only_column.feed_forward.down.weight),
                                   at::zeros_like(only_column.feed_forward.down.bias)};
  const AttentionParams& column = only_column.column;
  const std::int64_t T = 5, P = 6, d = 8, H = 2, e = 4;
  const at::Tensor x = at::randn({1, T, P, d}, at::kDouble);
  const at::Tensor found = estimate_layer(only_column, x, grid, config, {})[0];

  const at::Tensor normed = at::layer_norm(x, {d}, column.norm.weight, column.norm.bias, 1e-5);
  const auto qkv = at::linear(normed, column.qkv.weight, column.qkv.bias)[0].chunk(3, -1);
  const at::Tensor cell = grid.cell.view({T, P});
  const auto place_of = [&](std::int64_t t, std::int64_t wanted) -> std::int64_t {
    for (std::int64_t p = 0; p < P; ++p)
      if (cell[t][p].item<std::int64_t>() == wanted) return p;
    return -1;
  };
  at::Tensor mixed = at::zeros({T, P, d}, at::kDouble);
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t h = 0; h < H; ++h) {
      std::vector<double> scores(T, 0.0), shared(T, 0.0);
      double sum = 0.0;
      for (std::int64_t s = 0; s < T; ++s) {
        for (std::int64_t p = 0; p < P; ++p) {
          const std::int64_t there = place_of(s, cell[t][p].item<std::int64_t>());
          if (there < 0) continue;
          scores[static_cast<std::size_t>(s)] +=
              (qkv[0][t][p].narrow(0, h * e, e) * qkv[1][s][there].narrow(0, h * e, e)).sum().item<double>();
          shared[static_cast<std::size_t>(s)] += 1.0;
        }
        if (shared[static_cast<std::size_t>(s)] > 0.0)
          sum += std::exp(scores[static_cast<std::size_t>(s)] /
                          std::sqrt(shared[static_cast<std::size_t>(s)] * e));
      }
      for (std::int64_t s = 0; s < T; ++s) {
        const auto k = static_cast<std::size_t>(s);
        if (shared[k] == 0.0) continue;
        const double weight = std::exp(scores[k] / std::sqrt(shared[k] * e)) / sum;
        for (std::int64_t p = 0; p < P; ++p) {
          const std::int64_t there = place_of(s, cell[t][p].item<std::int64_t>());
          if (there >= 0) mixed[t][p].narrow(0, h * e, e).add_(qkv[2][s][there].narrow(0, h * e, e) * weight);
        }
      }
    }
  const at::Tensor expected = x[0] + at::linear(mixed, column.out.weight, column.out.bias);
  EXPECT_LT(largest(found - expected), 1e-12);
}

TEST(Sea, MessagesAreMeansOverEstimates) {
  const ModelInput input = random_input(2, 6);
  const EstimateGrid grid(input.subsets, 6);
  const at::Tensor x = at::randn({2, 5, 6, 3}, at::kDouble), unseen = at::full({3}, 9.0, at::kDouble);
  const at::Tensor message = mean_by_pair(x, grid, unseen);
  std::vector<at::Tensor> sums(72, at::zeros({3}, at::kDouble));
  std::vector<int> counts(72, 0);
  const at::Tensor tokens = x.reshape({-1, 3});
  for (std::int64_t k = 0; k < 60; ++k) {
    const auto cell = static_cast<std::size_t>(grid.cell[k].item<std::int64_t>());
    sums[cell] = sums[cell] + tokens[k];
    ++counts[cell];
  }
  int unseen_pairs = 0;
  for (std::int64_t cell = 0; cell < 72; ++cell) {
    const auto k = static_cast<std::size_t>(cell);
    const at::Tensor expected = counts[k] > 0 ? sums[k] / counts[k] : unseen;
    unseen_pairs += counts[k] == 0;
    EXPECT_LT(largest(message.reshape({72, 3})[cell] - expected), 1e-14);
  }
  EXPECT_GE(unseen_pairs, 12);  // the diagonals at least
  EXPECT_TRUE(at::equal(at_tokens(message, grid).reshape({-1, 3})[7],
                        message.reshape({72, 3})[grid.cell[7].item<std::int64_t>()]));
}

// Tables of a batch do not see each other.
TEST(Sea, ABatchIsItsTablesOneByOne) {
  const ModelParams params = double_weights(little());
  const ModelInput both = random_input(2, 6);
  const at::Tensor expected = edge_probabilities(params, little(), both);
  for (std::int64_t b = 0; b < 2; ++b) {
    ModelInput one;
    one.data = both.data.narrow(0, b, 1);
    one.prior = both.prior.narrow(0, b, 1);
    one.subsets = both.subsets.narrow(0, b, 1);
    one.estimates = both.estimates.narrow(0, b, 1);
    EXPECT_LT(largest(edge_probabilities(params, little(), one)[0] - expected[b]), 1e-12);
  }
  EXPECT_EQ(largest(expected.diagonal(0, 1, 2)), 0.0);
  EXPECT_LE((expected + expected.transpose(1, 2)).max().item<double>(), 1.0);
}

// What it is told of the same sets in another order is the same.
TEST(Sea, TheOrderOfEstimatesDoesNotMatter) {
  const ModelParams params = double_weights(little());
  ModelInput input = random_input(1, 6);
  const at::Tensor before = edge_probabilities(params, little(), input);
  const at::Tensor order = at::tensor({3, 1, 4, 0, 2}, at::kLong);
  input.subsets = input.subsets.index_select(1, order);
  input.estimates = input.estimates.index_select(1, order);
  EXPECT_LT(largest(edge_probabilities(params, little(), input) - before), 1e-12);
}

TEST(Sea, RefusesInputWithoutEstimates) {
  ModelInput input = random_input(1, 6);
  input.subsets = input.estimates = at::Tensor();
  EXPECT_THROW(edge_probabilities(double_weights(little()), little(), input), Error);
}

TEST(Sea, FilesHoldEveryBit) {
  const test::TempFolder folder;
  const auto file = folder / "sea.safetensors";
  const ModelParams params = initialise_parameters(little(), 4);
  save_model(file, little(), params, StoredType::kF32);
  const Model loaded = load_model(file);
  EXPECT_EQ(loaded.config, little());
  std::vector<at::Tensor> expected;
  params.visit([&](const std::string&, const at::Tensor& tensor) { expected.push_back(tensor); });
  std::size_t k = 0;
  loaded.params.visit([&](const std::string& name, const at::Tensor& tensor) {
    EXPECT_TRUE(at::equal(tensor, expected[k++])) << name;
  });
  EXPECT_EQ(k, expected.size());
}

}  // namespace
}  // namespace causcale
