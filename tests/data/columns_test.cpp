#include "data/columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;
using Names = std::vector<std::string>;

ColumnKind kind_of(const std::vector<double>& values) {
  return infer_kinds(Matrix<double>(values.size(), 1, values)).front().kind;
}

// `distinct` values, one after the other, in 200 rows.
std::vector<double> cycle(int distinct, double scale = 1.0, double offset = 0.0) {
  std::vector<double> values;
  for (int r = 0; r < 200; ++r) values.push_back(offset + scale * (r % distinct));
  return values;
}

TEST(Columns, KindsByValues) {
  EXPECT_EQ(kind_of(cycle(1)), ColumnKind::kConstant);
  EXPECT_EQ(kind_of(cycle(2)), ColumnKind::kBinary);
  EXPECT_EQ(kind_of(cycle(2, 0.5, -3)), ColumnKind::kBinary);
  EXPECT_EQ(kind_of(cycle(5)), ColumnKind::kOrdered);
  EXPECT_EQ(kind_of(cycle(5, 0.25)), ColumnKind::kOrdered);
  EXPECT_EQ(kind_of(cycle(10)), ColumnKind::kOrdered);
  EXPECT_EQ(kind_of(cycle(11)), ColumnKind::kCount);
  EXPECT_EQ(kind_of(cycle(11, 1, -5)), ColumnKind::kContinuous);
  EXPECT_EQ(kind_of(cycle(11, 0.5)), ColumnKind::kContinuous);
  EXPECT_EQ(kind_of({1, 2, 3, 4}), ColumnKind::kCount);  // few rows, not few values
  std::vector<double> gaps = cycle(2);
  gaps[3] = gaps[50] = NAN;
  EXPECT_EQ(kind_of(gaps), ColumnKind::kBinary);
  EXPECT_EQ(kind_of({NAN, NAN}), ColumnKind::kConstant);
  // What decides may come late.
  std::vector<double> late(300, 1.0);
  for (int r = 0; r < 20; ++r) late[static_cast<std::size_t>(r)] = r;
  EXPECT_EQ(kind_of(late), ColumnKind::kCount);
  late.back() = -1;
  EXPECT_EQ(kind_of(late), ColumnKind::kContinuous);
  late.back() = 0.5;
  EXPECT_EQ(kind_of(late), ColumnKind::kContinuous);
}

TEST(Columns, RowNumbers) {
  EXPECT_TRUE(counts_rows(Matrix<double>(4, 1, {7, 5, 6, 8}), 0));
  EXPECT_FALSE(counts_rows(Matrix<double>(4, 1, {7, 5, 6, 9}), 0));
  EXPECT_FALSE(counts_rows(Matrix<double>(4, 1, {7, 5, 6, 6}), 0));
  EXPECT_FALSE(counts_rows(Matrix<double>(4, 1, {7, 5, 6, NAN}), 0));
  EXPECT_FALSE(counts_rows(Matrix<double>(4, 1, {1, 2, 3, 3.5}), 0));
  for (const char* name : {"id", "ID", "Row", "index", "sample_id", "Unnamed: 0", "#"})
    EXPECT_TRUE(names_a_row(name)) << name;
  for (const char* name : {"age", "width", "idle", "", "t"}) EXPECT_FALSE(names_a_row(name)) << name;
}

TEST(Columns, TypesAsText) {
  const auto types = parse_column_types("a=count,b=x=unordered,c=ordered:low<middle<high");
  ASSERT_EQ(types.size(), 3u);
  EXPECT_EQ(types[0].kind, ColumnKind::kCount);
  EXPECT_EQ(types[1].column, "b=x");
  EXPECT_EQ(types[2].order, (Names{"low", "middle", "high"}));
  EXPECT_TRUE(contains(error_of([] { parse_column_types("a=word"); }), "\"word\" is no kind of column"));
  EXPECT_TRUE(contains(error_of([] { parse_column_types("a=constant"); }), "accepted: continuous"));
  EXPECT_TRUE(contains(error_of([] { parse_column_types("a"); }), "name=kind"));
  EXPECT_FALSE(error_of([] { parse_column_types("a=count:x<y"); }).empty());
  EXPECT_FALSE(error_of([] { parse_column_types("a=ordered:x<x"); }).empty());

  const TempFolder folder;
  const auto read =
      read_column_types(folder.write("t.csv", "name,kind,order\n\"a,b\",ordered,x<y\nc,date,\n\n"));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].column, "a,b");
  EXPECT_EQ(read[0].order, (Names{"x", "y"}));
  EXPECT_EQ(read[1].kind, ColumnKind::kDate);
  EXPECT_TRUE(contains(error_of([&] { read_column_types(folder.write("b.csv", "a,count\nb,what\n")); }),
                       "b.csv:2: "));
  EXPECT_TRUE(contains(error_of([] { parse_column_group("a=b"); }), "at least two columns"));
}

}  // namespace
}  // namespace causcale
