#include "discover/transform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "causcale/error.h"
#include "simulate/sergio.h"

namespace causcale {
namespace {

Table table_of(std::vector<double> values) {
  return {{"a", "b"}, Matrix<double>(values.size() / 2, 2, values)};
}

TEST(ChooseTransform, CountsBecomeLogarithmsForModelsThatTakeThose) {
  const Table counts = table_of({0, 3, 1, 120, 7, 0});
  EXPECT_TRUE(choose_transform(ValueTransform::kAuto, ValueTransform::kLog1p, counts).logarithm);
  EXPECT_FALSE(choose_transform(ValueTransform::kAuto, ValueTransform::kNone, counts).logarithm);
  EXPECT_FALSE(choose_transform(ValueTransform::kNone, ValueTransform::kLog1p, counts).logarithm);
  EXPECT_TRUE(choose_transform(ValueTransform::kLog1p, ValueTransform::kNone, counts).logarithm);
  // Small counts are whole numbers, and normalised counts are large.
  EXPECT_TRUE(
      choose_transform(ValueTransform::kAuto, ValueTransform::kLog1p, table_of({0, 3, 1, 2})).logarithm);
  EXPECT_TRUE(choose_transform(ValueTransform::kAuto, ValueTransform::kLog1p, table_of({0, 33.4, 1.5, 812.2}))
                  .logarithm);
}

TEST(ChooseTransform, WhatDoesNotLookLikeCountsIsUsedAsItIsWithARemark) {
  for (const Table& table : {table_of({0.0, 3.2, 1.7, 6.1}), table_of({-1.0, 3.0, 250.0, 2.0})}) {
    const TransformChoice choice = choose_transform(ValueTransform::kAuto, ValueTransform::kLog1p, table);
    EXPECT_FALSE(choice.logarithm);
    ASSERT_TRUE(choice.remark.has_value());
    EXPECT_EQ(choice.remark->code, "not_counts");
  }
  EXPECT_FALSE(
      choose_transform(ValueTransform::kAuto, ValueTransform::kLog1p, table_of({0, 3})).remark.has_value());
}

TEST(ChooseTransform, CountsForOtherModelsAreRemarkedOn) {
  std::vector<double> counts;
  for (int k = 0; k < 30; ++k)
    counts.insert(counts.end(), {k * k + 0.0, 0.5 * k});  // the second has fractions
  const auto code = [](ValueTransform asked, std::vector<double> values) {
    const auto remark = choose_transform(asked, ValueTransform::kNone, table_of(std::move(values))).remark;
    return remark ? remark->code : "";
  };
  EXPECT_EQ(code(ValueTransform::kAuto, counts), "counts_as_they_are");
  EXPECT_EQ(code(ValueTransform::kNone, counts), "");
  std::vector<double> changed = counts;
  changed[20] = 3.25;
  EXPECT_EQ(code(ValueTransform::kAuto, changed), "");
  changed[20] = -3;
  EXPECT_EQ(code(ValueTransform::kAuto, changed), "");
  for (double& value : changed = counts) value = std::fmod(std::floor(value), 15);  // few different ones
  EXPECT_EQ(code(ValueTransform::kAuto, changed), "");
}

TEST(TakeLogarithms, NamesTheCellThatHasNone) {
  Table good = table_of({0, 1, 2, 3});
  take_logarithms(good);
  EXPECT_EQ(good.values(0, 0), 0.0);
  EXPECT_DOUBLE_EQ(good.values(1, 1), std::log(4.0));
  Table bad = table_of({0, 1, 2, -1});
  try {
    take_logarithms(bad);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("row 2, column 'b'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("leave out --transform log1p"), std::string::npos);
  }
  // Who reads a stored result again has given no such option.
  try {
    take_logarithms_as_stored(bad, "t.csv, ");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("t.csv, row 2, column 'b'"), 0u) << error.what();
    EXPECT_EQ(std::string(error.what()).find("leave out"), std::string::npos) << error.what();
  }
}

TEST(Discover, GeneExpressionGoesInAsLogarithms) {
  SergioOptions sergio;
  sergio.graph.nodes = 10;
  sergio.rows = 300;
  const Dataset counts = simulate_sergio(sergio, 5, 0).dataset;
  DiscoverOptions options;
  options.model = "sergio";
  const DiscoverResult found = discover(counts, options);
  EXPECT_EQ(found.transform, "log1p");
  options.transform = ValueTransform::kNone;
  const DiscoverResult as_they_are = discover(counts, options);
  EXPECT_EQ(as_they_are.transform, "none");
  EXPECT_NE(found.probabilities, as_they_are.probabilities);
  // Who brings logarithms gets the same answer and a remark. The order of the rows depends on ranks, so it is
  // the same.
  Dataset logarithms = counts;
  take_logarithms(logarithms.table);
  options.transform = ValueTransform::kAuto;
  const DiscoverResult brought = discover(logarithms, options);
  EXPECT_EQ(brought.transform, "none");
  EXPECT_EQ(std::ranges::count(brought.applicability, "not_counts", &Remark::code), 1);
  EXPECT_EQ(std::ranges::count(found.applicability, "not_counts", &Remark::code), 0);
}

}  // namespace
}  // namespace causcale
