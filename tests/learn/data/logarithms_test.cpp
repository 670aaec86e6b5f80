// A model that takes logarithms of counts is shown them in training as discover will show them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "causcale/error.h"
#include "learn/data/batches.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

TEST(Logarithms, ConfigurationsAskForThemOnce) {
  const TrainConfig config = parse_train_config(R"({
    "transform": "log1p",
    "data": {"families": "sergio", "sergio": {"transforms": ["none", "log1p"]}},
    "stages": [{"steps": 1}, {"steps": 1, "families": "synthetic", "folder": "somewhere"}],
    "validation": {"settings": [{"family": "sergio", "nodes": 10, "edges": 20, "sergio": {"transforms": "log1p"}}]}
  })",
                                                "test");
  const std::vector<std::string> none = {"none"};
  for (const Stage& stage : config.stages) EXPECT_TRUE(stage.data.logarithms);
  EXPECT_EQ(config.stages[0].data.sergio.transforms.values(), none);
  EXPECT_TRUE(config.validation.settings[0].logarithms);
  EXPECT_EQ(config.validation.settings[0].sergio.transforms.values(), none);
  for (const char* wrong :
       {R"({"transform": "sqrt", "data": {"families": "sergio"}, "stages": [{"steps": 1}]})",
        R"({"transform": "log1p", "stages": [{"steps": 1}]})",
        R"({"transform": "log1p", "data": {"families": ["sergio", "synthetic"]},
                                "stages": [{"steps": 1}]})",
        R"({"transform": "log1p", "data": {"families": "sergio"}, "stages": [{"steps": 1}],
                                "validation": {"settings": [{"nodes": 10}]}})"})
    EXPECT_THROW(parse_train_config(wrong, "test"), InputError) << wrong;
}

Stage stage_of(const std::string& top, const std::string& sergio) {
  return parse_train_config("{" + top + R"("stages": [{"steps": 1, "families": "sergio", "hidden_flags": 0.5,
                              "shuffled_rows": 0.5, "prior_subset": 0.5, "sergio": )" +
                                sergio + "}]}",
                            "test")
      .stages[0];
}

TEST(Logarithms, OfSimulatedCountsAreThoseOfTablesThatComeAsLogarithms) {
  const ExampleSource shown(stage_of(R"("transform": "log1p", )", "{}"), 1),
      stored(stage_of("", R"({"transforms": "log1p"})"), 1), counts(stage_of("", "{}"), 1);
  const BatchPlan plan{0, 0, 7, 6, 80, 5};
  const Batch a = make_batch(shown, plan, 3, false), b = make_batch(stored, plan, 3, false);
  EXPECT_TRUE(at::equal(a.input.data, b.input.data));
  EXPECT_TRUE(at::equal(a.input.prior, b.input.prior));
  EXPECT_FALSE(at::equal(a.input.prior, make_batch(counts, plan, 3, false).input.prior));
  // The table itself is as it was measured.
  EXPECT_EQ(shown.table(80, 6, 3, 7).table.values.values(), counts.table(80, 6, 3, 7).table.values.values());
  EXPECT_NE(shown.table(80, 6, 3, 7).table.values.values(), stored.table(80, 6, 3, 7).table.values.values());
}

class LogarithmsOfFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    for (const char* kind : {"counts", "logarithms"}) {
      fs::create_directories(folder_ / kind);
      std::ofstream(folder_ / kind / "truth.csv") << "source,target\na,b\n";
      std::ofstream data(folder_ / kind / "data.csv");
      data.precision(17);
      data << "a,b,c\n";
      for (int row = 0; row < 40; ++row)
        for (int column = 0; column < 3; ++column) {
          const double count = (row * row * (column + 3) + 11 * column) % 97;
          data << (kind == std::string("counts") ? count : std::log1p(count)) << (column < 2 ? "," : "\n");
        }
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  ExampleSource source(const std::string& kind, bool logarithms) const {
    Stage stage = parse_train_config(R"({"stages": [{"steps": 1}]})", "test").stages[0];
    stage.folder = (folder_ / kind).string();
    stage.data.logarithms = logarithms;
    return ExampleSource(stage, 1);
  }

  fs::path folder_ = fs::temp_directory_path() / ("causcale_logarithms_" + std::to_string(::getpid()));
};

TEST_F(LogarithmsOfFiles, AreShown) {
  const BatchPlan plan{0, 0, 0, 3, 40, 1};
  const Batch shown = make_batch(source("counts", true), plan, 1, false),
              stored = make_batch(source("logarithms", false), plan, 1, false);
  EXPECT_TRUE(at::allclose(shown.input.data, stored.input.data, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(shown.input.prior, stored.input.prior, 1e-5, 1e-6));
  EXPECT_FALSE(at::allclose(shown.input.data, make_batch(source("counts", false), plan, 1, false).input.data,
                            1e-2, 1e-2));
}

TEST_F(LogarithmsOfFiles, MustExist) {
  std::ofstream(folder_ / "counts/data.csv", std::ios::app) << "1,-2.5,3\n";
  EXPECT_NO_THROW(source("counts", false));
  try {
    source("counts", true);
    FAIL() << "a logarithm of a negative number was accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const char* part : {"counts/data.csv", "row 41", "'b'", "-2.5", "\"transform\": \"log1p\""})
      EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
}

}  // namespace
}  // namespace causcale
