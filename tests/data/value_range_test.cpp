#include "data/value_range.h"

#include <gtest/gtest.h>

#include <limits>

#include "causcale/error.h"
#include "data/audit.h"
#include "data/reader.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Table table_of(std::vector<double> second) {
  Table table;
  table.names = {"plain", "other"};
  table.values = Matrix<double>(second.size(), 2);
  for (std::size_t r = 0; r < second.size(); ++r) {
    table.values(r, 0) = static_cast<double>(r);
    table.values(r, 1) = second[r];
  }
  return table;
}

TEST(ValueRange, OrdinaryValuesConstantsAndGapsPass) {
  for (const std::vector<double>& column : std::vector<std::vector<double>>{{1, 2, 3},
                                                                            {1e139, -1e139, 0},
                                                                            {0, 0, 0},
                                                                            {1e-200, 1e-200, 1e-200},
                                                                            {kMissing, kMissing, kMissing},
                                                                            {1, kMissing, 1 + 1e-15},
                                                                            {1e-130, 0, 2e-130}})
    EXPECT_TRUE(range_faults(table_of(column)).empty());
}

TEST(ValueRange, NamesRowAndColumn) {
  EXPECT_TRUE(contains(error_of([] {
                         require_value_range(table_of({1, kMissing, -1e200}));
                       }),
                       "row 3, column \"other\": -1e+200 is too large to compute with"));
  EXPECT_TRUE(contains(error_of([] {
                         require_value_range(table_of({1, 1e308, 1e308}));
                       }),
                       "row 2, column \"other\""));
  EXPECT_TRUE(contains(error_of([] {
                         require_value_range(table_of({1e-200, 2e-200, 0}));
                       }),
                       "column \"other\": its values lie within 2e-200, too close to compute with"));
  EXPECT_TRUE(contains(error_of([] {
                         require_value_range(table_of({1, std::numeric_limits<double>::infinity(), 2}));
                       }),
                       "row 2, column \"other\": the value is infinite"));
}

TEST(ValueRange, TheAuditNamesTheLine) {
  const test::TempFolder folder;
  const auto file = folder.write("t.csv", "a,b\n1,2\n2,1e300\n3,1\n4,5\n");
  ReadNotes notes;
  const Dataset dataset = read_dataset(file, {}, &notes);
  bool found = false;
  for (const Finding& finding : audit(dataset, "t.csv", &notes).findings)
    if (finding.code == "value_too_large") {
      found = true;
      EXPECT_EQ(finding.severity, Severity::kError);
      EXPECT_TRUE(contains(finding.message, "1e+300 in line 3"));
      EXPECT_TRUE(contains(finding.hint, "--missing-marker"));
    }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace causcale
