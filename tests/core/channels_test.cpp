#include "core/channels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "core/input.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

const InputChannels kAll{{DataChannel::kMissing, DataChannel::kDiscrete},
                         {PairChannel::kShift, PairChannel::kKnowledge}};

TEST(InputChannels, NamesGoThereAndBack) {
  EXPECT_EQ(data_channel_names(kAll), "missing,discrete");
  EXPECT_EQ(pair_channel_names(kAll), "shift,knowledge");
  EXPECT_EQ(parse_data_channels("missing,discrete"), kAll.data);
  EXPECT_EQ(parse_pair_channels("knowledge"), std::vector{PairChannel::kKnowledge});
  EXPECT_EQ(data_channel_names({}), "none");
  EXPECT_TRUE(parse_data_channels("none").empty());
  EXPECT_THROW(parse_data_channels("absent"), UsageError);
  EXPECT_THROW(parse_data_channels(""), UsageError);
  EXPECT_THROW(parse_pair_channels("shift,shift"), UsageError);
}

TEST(InputChannels, AModelFileNamesThem) {
  ModelConfig config;
  config.channels = kAll;
  const auto metadata = config.to_metadata();
  EXPECT_EQ(ModelConfig::from_metadata(metadata, "file"), config);
  auto wrong = metadata;
  wrong["pair_channels"] = "shift,weather";
  try {
    ModelConfig::from_metadata(wrong, "file");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "file: metadata key 'pair_channels' is 'shift,weather': unknown channel 'weather'; "
                 "accepted: shift, knowledge");
  }
}

TEST(DiscreteColumns, HaveFewValuesAndEnoughRows) {
  constexpr std::int64_t kRows = 60;
  std::vector<float> data(kRows * 5 * 2);
  for (std::int64_t r = 0; r < kRows; ++r) {
    const std::array<float, 5> row = {static_cast<float>(r % 2), static_cast<float>(r % 20),
                                      static_cast<float>(r % 21), 3.0f, static_cast<float>(r)};
    for (std::int64_t c = 0; c < 5; ++c) data[static_cast<std::size_t>(2 * (r * 5 + c))] = row[c];
  }
  const std::vector<bool> expected = {true, true, false, false, false};
  EXPECT_EQ(discrete_columns({data.data(), kRows, 5, 2, -1}), expected);
  // 20 values need 60 rows.
  EXPECT_FALSE(discrete_columns({data.data(), kRows - 1, 5, 2, -1})[1]);
}

// Against a plain reading of the definition, with rows that hit several variables, with and without enough
// observational rows.
TEST(ShiftStatistics, AgreeWithTheirDefinition) {
  for (const std::int64_t observational : {3, 25}) {
    constexpr std::int64_t kHit = 40, kColumns = 7;
    const std::int64_t rows = kHit + observational;
    RandomStream random(1, static_cast<std::uint32_t>(observational), 0);
    std::vector<float> data(static_cast<std::size_t>(rows * kColumns * 3));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < kColumns; ++c) {
        float* cell = data.data() + (r * kColumns + c) * 3;
        cell[0] = static_cast<float>(random.normal());
        cell[1] = r >= observational && c != 6 && (c == r % 6 || random.coin(0.25));
        cell[2] = random.coin(0.1);
        if (cell[2] != 0) cell[0] = 0;
      }
    const WrittenTable table{data.data(), rows, kColumns, 3, 2};
    const Matrix<float> shifts = shift_statistics(table);
    for (std::int64_t i = 0; i < kColumns; ++i)
      for (std::int64_t j = 0; j < kColumns; ++j) {
        std::vector<double> moved, baseline;
        for (std::int64_t r = 0; r < rows; ++r) {
          bool any = false;
          for (std::int64_t c = 0; c < kColumns; ++c) any |= table.targeted(r, c);
          if (i == j || table.targeted(r, j) || !table.present(r, j)) continue;
          if (table.targeted(r, i))
            moved.push_back(table.value(r, j));
          else if (!any || observational < 10)
            baseline.push_back(table.value(r, j));
        }
        if (i == j || i == 6) {
          EXPECT_EQ(shifts(i, j), 0.0f);
          continue;
        }
        const auto mean = [](const std::vector<double>& values) {
          return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
        };
        double spread = 0.0;
        for (const double value : moved) spread += std::pow(value - mean(moved), 2);
        for (const double value : baseline) spread += std::pow(value - mean(baseline), 2);
        const double a = static_cast<double>(moved.size()), b = static_cast<double>(baseline.size());
        const double t = (mean(moved) - mean(baseline)) / std::sqrt(spread / (a + b - 2) * (1 / a + 1 / b));
        EXPECT_NEAR(shifts(i, j), std::log1p(std::abs(t)), 1e-5) << i << " " << j;
      }
  }
}

TEST(ShiftStatistics, OneRowEachIsMeasuredInStandardDeviationsOfTheTable) {
  // One usual row, one in which the first variable is knocked out.
  const std::vector<float> data = {0.0f, 0.0f, 1.0f, 0.0f, /**/ -1.0f, 1.0f, -1.0f, 0.0f};
  const Matrix<float> shifts = shift_statistics({data.data(), 2, 2, 2, -1});
  EXPECT_FLOAT_EQ(shifts(0, 1), std::log1p(static_cast<float>(2 / std::sqrt(2.0))));
  EXPECT_EQ(shifts(1, 0), 0.0f);
}

TEST(KnowledgeChannel, TellsWhatIsRequiredAndForbidden) {
  Knowledge knowledge;
  knowledge.required = {{0, 1}};
  knowledge.forbidden = {{2, 0}};
  knowledge.tier_of = {-1, 0, 1};
  const Matrix<float> told = knowledge_channel(knowledge, 3);
  const Matrix<float> expected(3, 3, {0, 1, 0, -1, 0, 0, -1, -1, 0});
  EXPECT_EQ(told.values().size(), expected.values().size());
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(told.data()[k], expected.data()[k]) << k;
}

// Weights whose new columns are zero answer as they did without them, to the last bit.
class Random : public core::WeightSource {
 public:
  explicit Random(bool zero_channels) : zero_channels_(zero_channels) {}
  std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) override {
    const std::int64_t in = shape.back();
    const std::int64_t known = name == "encoder.embed_data.weight"    ? 2
                               : name == "encoder.embed_graph.weight" ? 1
                                                                      : in;
    std::vector<float> values;
    RandomStream random(3, static_cast<std::uint32_t>(std::hash<std::string>()(name)), 0);
    for (std::int64_t row = 0; row < (shape.size() == 2 ? shape[0] : 1); ++row)
      for (std::int64_t i = 0; i < in; ++i)
        values.push_back(i < known        ? static_cast<float>(random.uniform(-0.3, 0.3))
                         : zero_channels_ ? 0.0f
                                          : 0.3f * static_cast<float>(row % 5));
    return values;
  }

 private:
  bool zero_channels_;
};

std::vector<Matrix<double>> answers(const InputChannels& channels, bool zero, const Knowledge& knowledge) {
  ModelConfig config;
  config.blocks = 2;
  config.embed_dim = 16;
  config.heads = 4;
  config.ffn_dim = 32;
  config.channels = channels;
  SyntheticOptions options;
  options.nodes = 6;
  options.rows = 50;
  const std::array<Dataset, 2> tables = {simulate_synthetic(options, 4, 0).dataset,
                                         simulate_synthetic(options, 4, 1).dataset};
  std::vector<std::size_t> rows(50);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const core::NetworkInput input =
      network_input(tables, prior_input(tables, {}), rows, std::array{0, 1}, channels, knowledge);
  Random source(zero);
  const core::CpuNetwork<float> network(config, core::read_weights(source, config), core::Isa::kBase);
  std::vector<Matrix<double>> edges;
  for (core::PairProbabilities& said : network.pair_probabilities(input, {.threads = 1}))
    edges.push_back(std::move(said.edges));
  return edges;
}

TEST(InputChannels, ZeroWeightsChangeNothingAndOthersDo) {
  Knowledge knowledge;
  knowledge.required = {{0, 1}};
  const std::vector<Matrix<double>> plain = answers({}, true, {});
  const std::vector<Matrix<double>> zero = answers(kAll, true, knowledge);
  ASSERT_EQ(plain.size(), 4u);
  for (std::size_t k = 0; k < plain.size(); ++k)
    for (std::size_t e = 0; e < plain[k].size(); ++e) EXPECT_EQ(plain[k].data()[e], zero[k].data()[e]);
  // Each channel of pairs is seen on its own.
  for (const PairChannel channel : kAll.pairs) {
    const InputChannels one{{}, {channel}};
    const double difference = std::abs(answers(one, false, knowledge)[1](0, 1) - plain[1](0, 1));
    EXPECT_GT(difference, 1e-6) << name_of(kPairChannelNames, channel);
  }
}

}  // namespace
}  // namespace causcale
