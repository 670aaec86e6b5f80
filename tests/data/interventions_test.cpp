#include "data/interventions.h"

#include <gtest/gtest.h>

#include <string>

#include "base/npy.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;
using Regimes = std::vector<std::vector<int>>;
using Numbers = std::vector<int>;
using Names = std::vector<std::string>;

const TargetNames kNames = target_names({"A", "B", "C"});

// Rows: observational, A, B and C, observational, C.
const Regimes kRegimes{{}, {0}, {1, 2}, {2}};
const Numbers kRows{0, 1, 2, 0, 3};

void expect_example(const ParsedInterventions& parsed) {
  EXPECT_EQ(parsed.interventions.regimes, kRegimes);
  EXPECT_EQ(parsed.interventions.regime_of_row, kRows);
}

ParsedInterventions read(const std::filesystem::path& file, InterventionOptions options = {}) {
  options.file = file;
  return read_interventions(5, kNames, options);
}

TEST(Interventions, EveryFormGivesTheSame) {
  const TempFolder folder;
  expect_example(read(folder.write("lines.csv", "\nA\nB,C\n\nC\n")));
  expect_example(read(folder.write("crlf.csv", "\r\nA\r\n\"C,B\"\r\n\r\nC\r\n")));
  expect_example(read(folder.write("numbers.txt", "\n0\n2,1\n\n2")));
  expect_example(read(folder.write("quoted.csv", "\"\"\n\"A\"\n\"B\",\"C\"\n\"\"\n\"C\"\n")));
  expect_example(read(folder.write("headed.csv", "targets\n\nA\nB,C\n\nC\n")));
  expect_example(read(folder.write("mask.csv", "0,0,0\n1,0,0\n0,1,1\n0,0,0\n0,0,1\n")));
  expect_example(read(folder.write("mask_named.csv", "C,A,B\n0,0,0\n0,1,0\n1,0,1\n0,0,0\n1,0,0\n")));
  expect_example(read(folder.write(
      "mask.npy", format_npy(Matrix<double>(5, 3, {0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1})))));
  expect_example(read(folder.write("environments.json", R"({"environments": [
    {"name": "obs", "targets": [], "rows": [0, 3]}, {"targets": ["A"], "rows": [1]},
    {"targets": ["C", 1], "rows": {"first": 2, "last": 2}}, {"targets": "C", "rows": [4]}]})")));
  expect_example(read(folder.write(
      "pcalg.json", R"({"targets": [[], [0], [1, 2], ["C"]], "target_index": [0, 1, 2, 0, 3]})")));
  InterventionOptions options;
  options.targets_file = folder.write("targets.txt", "\nA\nB,C\nC\n");
  expect_example(read(folder.write("index.txt", "0\n1\n2\n0\n3\n"), options));
  const std::string mark = "\xEF\xBB\xBF";
  options.targets_file = folder.write("targets_bom.json", mark + "[[], [0], [1, 2], [2]]");
  expect_example(read(folder.write("index_bom.txt", mark + "0\n1\n2\n0\n3\n"), options));
  expect_example(read(folder.write("mask_bom.csv", mark + "0,0,0\n1,0,0\n0,1,1\n0,0,0\n0,0,1\n")));
  options.targets_file = folder.write("targets.json", "[[], [1], [2, 3], [3]]");
  options.index_base = 1;
  expect_example(read(folder.write("index1.csv", "target.index\n1\n2\n3\n1\n4\n"), options));
  options = {};
  options.inverted = true;
  expect_example(read(folder.write("sdcd.csv", "1,1,1\n0,1,1\n1,0,0\n1,1,1\n1,1,0\n"), options));
  const Names labels{"control", "A", "B,C", "", "C+ctrl"};
  expect_example(interventions_from_labels(labels, kNames, {}, "t"));
}

TEST(Interventions, QuotedNamesMayHoldSeparators) {
  const TargetNames names = target_names({"a,b", "C"});
  const auto parsed = interventions_from_lines("\"a,b\"\n\"a,b\",C\n", 2, names, {}, "t");
  EXPECT_EQ(parsed.interventions.regimes, (Regimes{{0}, {0, 1}}));
}

TEST(Interventions, EnvironmentsByCount) {
  const auto parsed =
      interventions_from_json(R"([{"rows": 2}, {"targets": ["B"], "rows": 3}])", 5, kNames, {}, "e.json");
  EXPECT_EQ(parsed.interventions.regimes, (Regimes{{}, {1}}));
  EXPECT_EQ(parsed.interventions.regime_of_row, (Numbers{0, 0, 1, 1, 1}));
}

TEST(Interventions, AnEmptyLastLineCountsWhereItIsNeeded) {
  EXPECT_EQ(interventions_from_lines("A\n", 2, kNames, {}, "t").interventions.regime_of_row, (Numbers{1, 0}));
  EXPECT_EQ(interventions_from_lines("A\n\n", 2, kNames, {}, "t").interventions.regime_of_row,
            (Numbers{1, 0}));
  EXPECT_EQ(interventions_from_lines("", 1, kNames, {}, "t").interventions.regime_of_row, (Numbers{0}));
  EXPECT_EQ(interventions_from_lines("A", 1, kNames, {}, "t").interventions.regime_of_row, (Numbers{0}));
  EXPECT_TRUE(contains(error_of([] { interventions_from_lines("A\nB\nC\n", 2, kNames, {}, "t"); }),
                       "t: 3 lines for 2 rows"));
  EXPECT_TRUE(
      contains(error_of([] { interventions_from_lines("A", 2, kNames, {}, "t"); }), "t: 1 lines for 2 rows"));
}

TEST(Interventions, CanonicalForm) {
  const Interventions result = canonical_interventions({{2, 1}, {0}, {1, 2, 1}, {}});
  EXPECT_EQ(result.regimes, (Regimes{{}, {0}, {1, 2}}));
  EXPECT_EQ(result.regime_of_row, (Numbers{2, 1, 2, 0}));
  const std::size_t rows[] = {2, 0};
  const Interventions part = interventions_of_rows(result, rows);
  EXPECT_EQ(part.regimes, (Regimes{{1, 2}}));
  EXPECT_EQ(part.regime_of_row, (Numbers{0, 0}));
  EXPECT_TRUE(interventions_of_rows({}, rows).observational());
  EXPECT_EQ(format_intervention_lines(result, kNames.variables), "B,C\nA\nB,C\n\n");
}

TEST(Interventions, NamesGoBeforeNumbers) {
  const TargetNames digits = target_names({"2", "x,y", "0"});
  const auto parsed = interventions_from_lines("2\nx,y\n1\n0\n", 4, digits, {}, "t");
  EXPECT_EQ(parsed.interventions.regimes, (Regimes{{0}, {1}, {2}}));
  EXPECT_EQ(parsed.interventions.regime_of_row, (Numbers{0, 1, 1, 2}));
}

TEST(Interventions, UnknownTargets) {
  const std::string text = "A\nZ\nB,Z\n\n";
  EXPECT_TRUE(contains(error_of([&] { interventions_from_lines(text, 4, kNames, {}, "t"); }),
                       "t: line 2: unknown target \"Z\""));
  EXPECT_TRUE(
      contains(error_of([&] { interventions_from_lines("3\n", 1, kNames, {}, "t"); }), "index from 0 to 2"));
  InterventionOptions options;
  options.unknown = UnknownTargets::kIgnore;
  const auto ignored = interventions_from_lines(text, 4, kNames, options, "t");
  EXPECT_EQ(ignored.interventions.regime_of_row, (Numbers{1, 0, 2, 0}));
  EXPECT_EQ(ignored.unknown_targets, (Names{"Z"}));
  options.unknown = UnknownTargets::kDrop;
  EXPECT_EQ(interventions_from_lines(text, 4, kNames, options, "t").dropped_rows,
            (std::vector<std::size_t>{1, 2}));
}

TEST(Interventions, TargetsThatWereNotSelected) {
  const TargetNames names{{"A", "B", "C"}, {0, -1, 1}};
  const auto parsed = interventions_from_lines("A\nB\nC\n", 3, names, {}, "t");
  EXPECT_EQ(parsed.interventions.regimes, (Regimes{{}, {0}, {1}}));
  EXPECT_EQ(parsed.interventions.regime_of_row, (Numbers{1, 0, 2}));
  EXPECT_EQ(parsed.excluded_targets, (Names{"B"}));
  // A mask may be as wide as the file or as the selection.
  const auto wide = interventions_from_mask(Matrix<double>(1, 3, {0, 0, 1}), 1, names, {}, "t");
  const auto narrow = interventions_from_mask(Matrix<double>(1, 2, {0, 1}), 1, names, {}, "t");
  EXPECT_EQ(wide.interventions.regimes, (Regimes{{1}}));
  EXPECT_EQ(narrow.interventions.regimes, (Regimes{{1}}));
}

TEST(Interventions, WrongFilesGiveClearErrors) {
  const auto mask = [](std::size_t rows, std::size_t cols, double fill) {
    return error_of([&] { interventions_from_mask(Matrix<double>(rows, cols, fill), 5, kNames, {}, "m"); });
  };
  EXPECT_TRUE(contains(mask(4, 3, 0), "the mask has 4 rows and 3 columns, the table 5 rows and 3 columns"));
  EXPECT_TRUE(contains(mask(3, 5, 0), "transposed"));
  EXPECT_TRUE(contains(mask(5, 3, 2), "the mask holds 2"));
  EXPECT_TRUE(contains(mask(5, 3, 1), "--mask-inverted"));
  const auto json = [](const char* text) {
    return error_of([&] { interventions_from_json(text, 5, kNames, {}, "e"); });
  };
  EXPECT_TRUE(contains(json("{"), "e: not valid JSON"));
  EXPECT_TRUE(contains(json("{}"), "environments"));
  EXPECT_TRUE(contains(json("[1]"), "environment 0"));
  EXPECT_TRUE(contains(json(R"([{"targets": ["A"], "rows": 6}])"), "6 more rows"));
  EXPECT_TRUE(contains(json(R"([{"targets": ["A"], "rows": 4}])"), "row 4 belongs to no environment"));
  EXPECT_TRUE(contains(json(R"([{"rows": 5}, {"rows": [1]}])"), "row 1 belongs to two environments"));
  EXPECT_TRUE(contains(json(R"([{"rows": [9]}])"), "row 9 of a table of 5 rows"));
  EXPECT_TRUE(contains(json(R"([{"rows": -1}])"), "whole number"));
  EXPECT_TRUE(contains(json(R"([{"rows": 5, "targets": [[1]]}])"), "a target should be"));
  EXPECT_TRUE(contains(json(R"([{"target": ["A"], "rows": 5}])"), "no \"targets\", but \"target\""));
  EXPECT_TRUE(
      contains(json(R"({"targets": [[]], "target_index": [0, 0, 0, 0, 1]})"), "row 5: regime number 1"));
  const TempFolder folder;
  InterventionOptions options;
  options.kind = InterventionKind::kRegimeIndex;
  EXPECT_TRUE(
      contains(error_of([&] { read(folder.write("r.txt", "0\n0\n0\n0\n0\n"), options); }), "--targets"));
  EXPECT_TRUE(contains(error_of([&] { read(folder / "none"); }), "cannot open"));
}

TEST(Interventions, ListedButNeverSeen) {
  const auto parsed =
      interventions_from_json(R"({"targets": [[], [0], [1]], "target_index": [0, 2]})", 2, kNames, {}, "e");
  EXPECT_EQ(parsed.unseen_regimes, (Names{"[0]"}));
}

}  // namespace
}  // namespace causcale
