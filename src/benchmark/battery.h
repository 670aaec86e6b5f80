// The battery: every data set below a folder, each with the methods that suit its kind, summed up per class
// of data.
#pragma once

#include <compare>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/run_study.h"
#include "benchmark/studies.h"
#include "methods/column_codes.h"

namespace causcale {

struct BatteryClass {
  TableKind kind = TableKind::kContinuous;
  bool interventional = false;

  auto operator<=>(const BatteryClass&) const = default;
  std::string name() const;  // "discrete, observational"
};

// By the values alone: a column is discrete when it was text or holds whole numbers, at most 20 different
// ones; columns without two different values do not count.
BatteryClass battery_class(const Dataset& dataset);

// Competing methods for a class when nothing is said, yardsticks first.
std::vector<std::string> battery_methods(const BatteryClass& of);
// The yardsticks: they rank pairs by one statistic, and are no classical methods of discovery.
bool is_yardstick(const std::string& method);

struct BatterySet {
  std::string name;  // the folder's path below the battery's
  std::filesystem::path folder;
  BatteryClass kind;
  std::string failure;  // not empty: it could not be read, and this is why
};

struct Battery {
  std::vector<BatterySet> sets;
  // One row per set and contender; a set that could not be read has one row, without contender.
  Study study;
  std::vector<std::size_t> set_of_row;
};

// `request.methods`: empty for those of the class, "none", "all" or names; methods that need interventions
// are left out where there are none. Reads every set once, for its class. Throws InputError when there is no
// folder with data or truth, or none that can be read; UsageError when nothing is to be measured.
Battery make_battery(const StudyRequest& request);

// As run_study; rows of sets that could not be read fail with the reason.
StudyOutcome run_battery(const Battery& battery, const RunStudyOptions& options, RecordFile& records);

}  // namespace causcale
