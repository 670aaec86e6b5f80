// Gene expression as training data: exact sizes, the options' effect, and a run that mixes families.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "causcale/error.h"
#include "learn/data/batches.h"
#include "learn/run/trainer.h"
#include "learn/run/validation.h"

namespace causcale {
namespace {

DataOptions options_of(const std::string& sergio, const std::string& more = "") {
  return parse_train_config(
             R"({"stages": [{"steps": 1, "families": "sergio", "sergio": )" + sergio + more + "}]}", "test")
      .stages[0]
      .data;
}

SergioData make(const std::string& sergio, int rows, int nodes, SergioCircumstances circumstances = {},
                std::uint32_t dataset = 3) {
  const DataOptions data = options_of(sergio);
  return SergioSource(data.sergio, data.graphs, data.edges_per_node)
      .make(rows, nodes, circumstances, 11, dataset);
}

TEST(SergioData, HasExactlyTheRowsAndColumnsAskedFor) {
  for (const int rows : {2, 7, 61, 240})
    for (const int nodes : {2, 5, 12}) {
      const SergioData data = make("{}", rows, nodes);
      EXPECT_EQ(data.dataset.table.rows(), static_cast<std::size_t>(rows));
      EXPECT_EQ(data.dataset.table.cols(), static_cast<std::size_t>(nodes));
      EXPECT_EQ(data.graph.nodes(), nodes);
      EXPECT_EQ(data.dataset.interventions.regime_of_row.size(), static_cast<std::size_t>(rows));
    }
}

TEST(SergioData, RowsAreGroupedByKnockOutAndKnockedOutGenesAreSilent) {
  const SergioData data = make("{}", 200, 10);
  const Interventions& interventions = data.dataset.interventions;
  EXPECT_TRUE(std::is_sorted(interventions.regime_of_row.begin(), interventions.regime_of_row.end()));
  std::set<int> targets;
  for (std::size_t r = 0; r < 200; ++r) {
    const std::vector<int>& regime =
        interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[r])];
    ASSERT_EQ(regime.size(), 1u);
    targets.insert(regime[0]);
    EXPECT_EQ(data.dataset.table.values(r, static_cast<std::size_t>(regime[0])), 0.0);
  }
  EXPECT_EQ(targets.size(), 10u);
}

TEST(SergioData, CountsCleanExpressionAndLogarithmsAreWhatTheySay) {
  const auto counts = make("{}", 100, 6).dataset.table.values.values();
  const auto clean = make(R"({"profiles": "none"})", 100, 6).dataset.table.values.values();
  const auto logs = make(R"({"transforms": "log1p"})", 100, 6).dataset.table.values.values();
  bool fractional = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i], std::floor(counts[i]));
    EXPECT_DOUBLE_EQ(logs[i], std::log1p(counts[i]));
    fractional = fractional || clean[i] != std::floor(clean[i]);
  }
  EXPECT_TRUE(fractional);
}

TEST(SergioData, CircumstancesHideAndSpareGenes) {
  const SergioData none = make("{}", 60, 8, {.coverage = 0.0});
  EXPECT_TRUE(none.dataset.interventions.observational());
  EXPECT_EQ(none.dataset.table.rows(), 60u);
  const SergioData half = make(R"({"wild_type_share": 0.5})", 60, 8, {.coverage = 0.5});
  const Interventions& interventions = half.dataset.interventions;
  EXPECT_EQ(interventions.regimes.size(), 5u);  // four genes and the wild type
  EXPECT_TRUE(interventions.regimes.back().empty());
  EXPECT_EQ(std::count(interventions.regime_of_row.begin(), interventions.regime_of_row.end(), 4), 30);
  const SergioData hidden = make("{}", 60, 8, {.hidden = 2});
  EXPECT_EQ(hidden.dataset.table.cols(), 8u);
  EXPECT_EQ(hidden.graph.nodes(), 8);
  const auto plain = make("{}", 60, 8).dataset.table.values,
             scaled = make("{}", 60, 8, {.unit_spread = 10.0}).dataset.table.values;
  for (std::size_t c = 0; c < 8; ++c) {
    double factor = 0.0;
    for (std::size_t r = 0; r < 60; ++r)
      if (plain(r, c) > 0.0) {
        if (factor == 0.0) factor = scaled(r, c) / plain(r, c);
        EXPECT_NEAR(scaled(r, c), factor * plain(r, c), 1e-9 * scaled(r, c));
      }
    EXPECT_LE(factor, 10.0);
  }
}

// The spread of a gene within one knock-out and cell type comes from the dynamics alone when expression is
// clean: a longer window must show more of it.
TEST(SergioData, AWiderWindowLetsCellsLeaveTheSteadyState) {
  const auto spread = [](const std::string& sergio) {
    const SergioData data = make(sergio, 40, 4);  // one type: ten cells of each knock-out
    double sum = 0.0;
    for (std::size_t first = 0; first < 40; first += 10)
      for (std::size_t c = 0; c < 4; ++c) {
        double mean = 0.0, square = 0.0;
        for (std::size_t r = first; r < first + 10; ++r) {
          mean += data.dataset.table.values(r, c) / 10;
          square += data.dataset.table.values(r, c) * data.dataset.table.values(r, c) / 10;
        }
        sum += std::max(0.0, square - mean * mean);
      }
    return sum;
  };
  const double narrow = spread(R"({"profiles": "none", "cell_types": 1})");
  const double same = spread(R"({"profiles": "none", "cell_types": 1, "window_rows": 40})");
  const double wide = spread(R"({"profiles": "none", "cell_types": 1, "window_rows": 1000})");
  EXPECT_DOUBLE_EQ(narrow, same);
  EXPECT_GT(wide, 1.5 * narrow);
}

TEST(SergioData, GraphsAndDensityMayBeItsOwn) {
  const auto edges = [](const std::string& sergio) {
    std::size_t sum = 0;
    for (std::uint32_t i = 0; i < 20; ++i) sum += make(sergio, 5, 30, {}, i).graph.edge_count();
    return static_cast<double>(sum) / 20;
  };
  EXPECT_NEAR(edges("{}"), 60.0, 12.0);  // the stage's default, two per node
  EXPECT_NEAR(edges(R"({"edges_per_node": 5, "graphs": ["er", "sf", "sbm"], "blocks": 2})"), 150.0, 25.0);
}

TEST(SergioData, UnknownWordsAreErrorsThatListWhatIsAccepted) {
  const auto has = [](const std::string& sergio, const std::string& part) {
    try {
      ExampleSource source(options_of(sergio));
      FAIL() << sergio << " was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  has(R"({"profiles": "11x"})", "10x-chromium");
  has(R"({"transforms": "sqrt"})", "log1p");
  has(R"({"cell_types": 0})", "cell_types");
  has(R"({"decays": 1})", "\"decays\"");
  has(R"({"perturbations": "overexpression"})", "knockdown");
  DataOptions unknown = options_of("{}");
  unknown.families = Weighted<std::string>("boolean");
  EXPECT_THROW(ExampleSource{unknown}, InputError);
  EXPECT_THROW(parse_train_config(
                   R"({"stages": [{"steps": 1}], "validation": {"settings": [{"family": "x"}]}})", "test"),
               InputError);
}

TEST(SergioData, FamiliesMixWithinABatch) {
  DataOptions data = options_of("{}");
  data.families.add("synthetic", 1.0);
  data.edges_per_node = Weighted<double>(1.0);
  const Batch batch = make_batch(ExampleSource(data), {0, 0, 0, 6, 60, 40}, 5, false);
  // Knocked-out genes are exactly zero, so the smallest value of a column is shared by its own regime's rows.
  int sergio = 0;
  for (std::int64_t b = 0; b < 40; ++b) {
    const at::Tensor column = batch.input.data[b].select(-1, 0).select(1, 0);
    sergio += (column == column.min()).sum().item<std::int64_t>() > 5;
  }
  EXPECT_GT(sergio, 8);
  EXPECT_LT(sergio, 32);
  // The synthetic ones are what they were without the other family.
  data.families = Weighted<std::string>("synthetic");
  const Batch synthetic = make_batch(ExampleSource(data), {0, 0, 0, 6, 60, 40}, 5, false);
  int equal = 0;
  for (std::int64_t b = 0; b < 40; ++b) equal += at::equal(batch.input.data[b], synthetic.input.data[b]);
  EXPECT_EQ(equal, 40 - sergio);
}

TEST(SergioData, TrainsAndValidates) {
  const std::filesystem::path out =
      std::filesystem::temp_directory_path() / ("causcale_sergio_" + std::to_string(::getpid()));
  const TrainConfig config = parse_train_config(R"({
    "model": {"blocks": 2, "embed_dim": 16, "heads": 4, "ffn_dim": 32},
    "stages": [{"steps": 3, "nodes": "5-8", "rows": "40-80", "tokens": 1000,
                "families": {"synthetic": 1, "sergio": 1}}],
    "log_every": 1,
    "validation": {"settings": [{"family": "sergio", "nodes": 6, "edges": 9, "rows": 1500, "count": 2}]}
  })",
                                                "test");
  EXPECT_EQ(config.validation.settings[0].name, "sergio_er_n6_e9_m1500");
  TrainOptions options;
  options.out = out;
  options.device = Device::kCpu;
  options.quiet = true;
  const TrainResult result = train(config, options);
  EXPECT_EQ(result.end, TrainEnd::kFinished);
  EXPECT_TRUE(std::isfinite(result.loss));
  EXPECT_GT(result.scores[0].average_precision, 0.0);
  std::filesystem::remove_all(out);
}

}  // namespace
}  // namespace causcale
