#include "data/audit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "data/interventions.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;
using Names = std::vector<std::string>;

Dataset gaussian(std::size_t rows, std::size_t cols) {
  RandomStream random(11, 0, 0);
  Dataset data;
  data.table.values = Matrix<double>(rows, cols);
  for (double& value : data.table.values.values()) value = random.normal();
  for (std::size_t c = 0; c < cols; ++c)
    data.table.names.push_back(std::string(1, static_cast<char>('a' + c)));
  return data;
}

// The findings with a code, and whether there are any.
std::vector<Finding> with_code(const AuditReport& report, const std::string& code) {
  std::vector<Finding> found;
  for (const Finding& finding : report.findings)
    if (finding.code == code) found.push_back(finding);
  return found;
}

TEST(Audit, ASoundTableHasNoFindings) {
  const AuditReport report = audit(gaussian(200, 5), "t.csv");
  EXPECT_TRUE(report.findings.empty()) << report.to_text();
  EXPECT_NO_THROW(report.throw_if_errors());
  EXPECT_TRUE(contains(report.to_text(), "t.csv: 200 rows, 5 columns"));
}

TEST(Audit, ConstantDuplicateAndCollinearColumns) {
  Dataset data = gaussian(300, 7);
  for (std::size_t r = 0; r < 300; ++r) {
    auto row = data.table.values.row(r);
    row[1] = 0.1;
    row[4] = row[0];
    row[5] = 2 * row[2] - 3 * row[3] + 1;
    row[6] = row[2] + 1e-3 * row[6];
  }
  const AuditReport report = audit(data, "t");
  ASSERT_EQ(with_code(report, "constant_column").size(), 1u);
  EXPECT_EQ(with_code(report, "constant_column")[0].columns, (Names{"b"}));
  ASSERT_EQ(with_code(report, "duplicate_column").size(), 1u);
  EXPECT_EQ(with_code(report, "duplicate_column")[0].columns, (Names{"a", "e"}));
  ASSERT_EQ(with_code(report, "collinear_columns").size(), 1u);
  EXPECT_EQ(with_code(report, "collinear_columns")[0].columns, (Names{"f", "d", "c"}));
  ASSERT_EQ(with_code(report, "nearly_collinear_columns").size(), 1u);
  EXPECT_EQ(with_code(report, "nearly_collinear_columns")[0].columns.front(), "g");
  EXPECT_EQ(report.findings.size(), 4u) << report.to_text();
  EXPECT_EQ(report.count(Severity::kError), 0u);
}

TEST(Audit, CopiesInOtherUnitsAreCollinear) {
  Dataset data = gaussian(100, 3);
  for (std::size_t r = 0; r < 100; ++r) data.table.values(r, 2) = -1e6 * data.table.values(r, 0) + 12;
  const auto found = with_code(audit(data, "t"), "collinear_columns");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].columns, (Names{"c", "a"}));
}

TEST(Audit, FaultsOfTheTableItself) {
  Dataset data = gaussian(60, 3);
  data.table.values(4, 1) = std::numeric_limits<double>::quiet_NaN();
  data.table.values(7, 1) = std::numeric_limits<double>::quiet_NaN();
  data.table.values(5, 2) = std::numeric_limits<double>::infinity();
  data.table.names[2] = "a";
  const AuditReport report = audit(data, "t");
  EXPECT_TRUE(contains(with_code(report, "missing_value").at(0).message, "2 times, first in row 5"));
  EXPECT_TRUE(contains(with_code(report, "infinite_value").at(0).message, "in row 6"));
  EXPECT_TRUE(contains(with_code(report, "repeated_name").at(0).message, "columns 0 and 2"));
  EXPECT_TRUE(contains(error_of([&] { report.throw_if_errors(); }), "and 2 more errors"));
}

TEST(Audit, Sizes) {
  EXPECT_EQ(with_code(audit(gaussian(1, 3), "t"), "too_few_rows").size(), 1u);
  EXPECT_EQ(with_code(audit(gaussian(20, 3), "t"), "few_rows").size(), 1u);
  EXPECT_EQ(with_code(audit(gaussian(100, 1), "t"), "one_column").size(), 1u);
  const AuditReport wide = audit(gaussian(5, 9), "t");
  EXPECT_EQ(with_code(wide, "more_columns_than_rows").size(), 1u);
  EXPECT_TRUE(with_code(wide, "collinear_columns").empty());
  EXPECT_NO_THROW(audit(Dataset{}, "t"));
}

TEST(Audit, Interventions) {
  Dataset data = gaussian(100, 3);
  std::vector<std::vector<int>> targets(100);
  targets[3] = {1};
  data.interventions = canonical_interventions(targets);
  const AuditReport report = audit(data, "t");
  EXPECT_EQ(report.regimes, 2u);
  EXPECT_EQ(report.intervened_rows, 1u);
  EXPECT_EQ(report.intervened_columns, 1u);
  EXPECT_EQ(with_code(report, "never_intervened").at(0).columns, (Names{"a", "c"}));
  EXPECT_EQ(with_code(report, "single_row_regimes").size(), 1u);
  data.interventions = canonical_interventions(std::vector<std::vector<int>>(100, {0}));
  EXPECT_EQ(with_code(audit(data, "t"), "no_observational_rows").size(), 1u);
}

TEST(Audit, WhatTheReaderNoticed) {
  const TempFolder folder;
  std::string text = "1;b;name;d\n", lines;
  RandomStream random(2, 0, 0);
  for (int r = 0; r < 60; ++r) {
    text += fmt::format("{};{};x{};", random.normal(), random.normal(), r);
    text += r >= 10 && r < 13 ? "broken\n" : fmt::format("{}\n", random.normal());
    lines += r % 2 ? "b\n" : "zzz\n";
  }
  ReadOptions options;
  options.interventions.file = folder.write("i.csv", lines);
  ReadNotes notes;
  const Dataset data = read_dataset(folder.write("d.csv", text), options, &notes);
  const AuditReport report = audit(data, "d.csv", &notes);
  const auto texts = with_code(report, "text_cell");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].columns, (Names{"d"}));
  EXPECT_EQ(texts[0].line, 12u);
  EXPECT_TRUE(contains(texts[0].message, "in 3 cells, first \"broken\" in line 12"));
  EXPECT_EQ(with_code(report, "identifier_column").at(0).columns, (Names{"name"}));
  EXPECT_EQ(with_code(report, "unknown_target").at(0).severity, Severity::kError);
  const auto document = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(document["errors"], 2);
  EXPECT_EQ(document["findings"][0]["severity"], "error");
  EXPECT_EQ(document["intervened_rows"], 30);
  EXPECT_EQ(document["variables"].size(), 4u);
  EXPECT_EQ(document["variables"][2]["set_aside"], true);
}

TEST(Audit, SumsAndGroupsOfColumns) {
  RandomStream random(3, 0, 0);
  Dataset data = gaussian(200, 10);
  for (std::size_t r = 0; r < 200; ++r) {
    auto row = data.table.values.row(r);
    row[2] = row[0] + row[1];
    const std::size_t category = random.below(3);
    for (std::size_t k = 0; k < 3; ++k) row[3 + k] = k == category;
    for (std::size_t k = 6; k < 9; ++k) row[k] = random.uniform();
    const double whole = row[6] + row[7] + row[8];
    for (std::size_t k = 6; k < 9; ++k) row[k] *= 100.0 / whole;
  }
  const AuditReport report = audit(data, "t");
  ASSERT_EQ(with_code(report, "sum_of_columns").size(), 1u) << report.to_text();
  EXPECT_EQ(with_code(report, "sum_of_columns")[0].columns, (Names{"c", "a", "b"}));
  ASSERT_EQ(with_code(report, "one_hot_group").size(), 1u);
  EXPECT_EQ(with_code(report, "one_hot_group")[0].columns, (Names{"d", "e", "f"}));
  ASSERT_EQ(with_code(report, "constant_sum").size(), 1u);
  EXPECT_EQ(with_code(report, "constant_sum")[0].columns, (Names{"g", "h", "i"}));
  EXPECT_TRUE(contains(with_code(report, "constant_sum")[0].message, "add up to 100"));
  EXPECT_TRUE(with_code(report, "collinear_columns").empty());
  // One row that does not fit, and it is a group no more.
  data.table.values(117, 4) = 1.0 - data.table.values(117, 4);
  EXPECT_TRUE(with_code(audit(data, "t"), "one_hot_group").empty());
}

TEST(Audit, CategoriesInOtherWords) {
  Dataset data = gaussian(100, 3);
  data.table.levels = {{"CH", "DE"}, {"Deutschland", "Schweiz"}, {}};
  data.table.kinds = {ColumnKind::kBinary, ColumnKind::kBinary, ColumnKind::kContinuous};
  for (std::size_t r = 0; r < 100; ++r) {
    data.table.values(r, 0) = static_cast<double>(r % 3 == 0);
    data.table.values(r, 1) = 1.0 - data.table.values(r, 0);
  }
  const auto found = with_code(audit(data, "t"), "same_categories");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].columns, (Names{"a", "b"}));
  data.table.values(50, 1) = 1.0 - data.table.values(50, 1);
  EXPECT_TRUE(with_code(audit(data, "t"), "same_categories").empty());
}

TEST(Audit, MissingCellsThatGoWithValues) {
  Dataset data = gaussian(400, 4);
  data.table.levels = {{}, {}, {}, {"u", "v", "w"}};
  data.table.kinds.assign(4, ColumnKind::kContinuous);
  data.table.kinds[3] = ColumnKind::kUnordered;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t r = 0; r < 400; ++r) {
    auto row = data.table.values.row(r);
    row[3] = static_cast<double>(r * 7 % 3);
    if (row[0] > 1.0) row[1] = nan;
    if (r % 10 == 4) row[2] = nan;  // at random, as far as the others go
  }
  auto found = with_code(audit(data, "t"), "missing_not_at_random");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].columns, (Names{"b", "a"}));
  for (std::size_t r = 0; r < 400; ++r)
    if (data.table.values(r, 3) == 2.0 && r % 5 > 1) data.table.values(r, 2) = nan;
  found = with_code(audit(data, "t"), "missing_not_at_random");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].columns, (Names{"c", "d"}));
}

TEST(Audit, RowsInTheOrderOfTime) {
  RandomStream random(9, 0, 0);
  Dataset data = gaussian(300, 4);
  double walk = 0.0;
  for (std::size_t r = 0; r < 300; ++r) {
    data.table.values(r, 0) = 0.1 * static_cast<double>(r);
    walk = 0.98 * walk + random.normal();
    data.table.values(r, 1) = walk;
    data.table.values(r, 2) = std::exp(0.01 * static_cast<double>(r));
  }
  const AuditReport report = audit(data, "t");
  EXPECT_EQ(with_code(report, "row_number_column").at(0).columns, (Names{"a"}));
  EXPECT_EQ(with_code(report, "sorted_column").at(0).columns, (Names{"c"}));
  EXPECT_EQ(with_code(report, "autocorrelated_rows").at(0).columns, (Names{"b"}));
  // Blocks of rows under different interventions differ without being a series.
  Dataset blocks = gaussian(300, 2);
  std::vector<std::vector<int>> targets(300);
  for (std::size_t r = 0; r < 300; ++r) {
    blocks.table.values(r, 0) += 10.0 * static_cast<double>(r / 100);
    if (r >= 100) targets[r] = {r < 200 ? 0 : 1};
  }
  EXPECT_EQ(with_code(audit(blocks, "t"), "autocorrelated_rows").size(), 1u);
  blocks.interventions = canonical_interventions(targets);
  EXPECT_TRUE(with_code(audit(blocks, "t"), "autocorrelated_rows").empty());
}

TEST(Audit, KindsAndMostlyMissingColumns) {
  const TempFolder folder;
  std::string text = "city,a,b,when\n";
  for (int r = 0; r < 100; ++r)
    text += fmt::format("{},{},{},2024-01-{:02d}\n",
                        r % 3 == 0   ? "Bern"
                        : r % 3 == 1 ? "Basel"
                                     : "Genf",
                        r % 4 ? "" : fmt::format("{}", r * 0.37), r * 7 % 31, 1 + r % 31);
  ReadOptions options;
  options.missing = MissingPolicy::kKeep;
  ReadNotes notes;
  const Dataset data = read_dataset(folder.write("d.csv", text), options, &notes);
  const AuditReport report = audit(data, "d.csv", &notes);
  EXPECT_EQ(report.count(Severity::kError), 0u) << report.to_text();
  EXPECT_EQ(with_code(report, "unordered_column").at(0).columns, (Names{"city"}));
  EXPECT_TRUE(contains(with_code(report, "mostly_missing_column").at(0).message, "misses 75 of 100"));
  EXPECT_EQ(with_code(report, "missing_kept").at(0).columns, (Names{"a"}));
  EXPECT_TRUE(contains(with_code(report, "missing_kept").at(0).message, "75 cells are missing in 1 column;"));
  EXPECT_EQ(with_code(report, "date_column").at(0).columns, (Names{"when"}));
  const auto variables = nlohmann::json::parse(report.to_json())["variables"];
  EXPECT_EQ(variables[0]["kind"], "unordered");
  EXPECT_EQ(variables[0]["levels"], (Names{"Basel", "Bern", "Genf"}));
  EXPECT_EQ(variables[1]["missing_share"], 0.75);
  EXPECT_EQ(variables[2]["kind"], "count");
  EXPECT_EQ(variables[3]["set_aside"], true);
}

TEST(Audit, AColumnThatNamesTargets) {
  const TempFolder folder;
  std::string text = "a,b,what\n";
  for (int r = 0; r < 90; ++r)
    text += fmt::format("{},{},{}\n", r * 37 % 89, r * 53 % 97,
                        r % 3 == 0   ? "a"
                        : r % 3 == 1 ? "b"
                                     : "control");
  ReadNotes notes;
  const Dataset data = read_dataset(folder.write("d.csv", text), {}, &notes);
  EXPECT_EQ(with_code(audit(data, "d.csv", &notes), "maybe_label_column").at(0).columns, (Names{"what"}));
}

TEST(Audit, LongListsAreShortenedInText) {
  Dataset data = gaussian(100, 2);
  data.table.values = Matrix<double>(100, 50, 1.0);
  data.table.names.clear();
  for (int c = 0; c < 50; ++c) data.table.names.push_back("v" + std::to_string(c));
  const AuditReport report = audit(data, "t");
  EXPECT_TRUE(contains(report.to_text(), "and 30 more of this kind"));
  EXPECT_EQ(nlohmann::json::parse(report.to_json())["findings"].size(), 50u);
}

}  // namespace
}  // namespace causcale
