// Carries a study out: every data set of every row, one after the other.
#pragma once

#include <functional>
#include <string>

#include "benchmark/records.h"
#include "benchmark/study.h"

namespace causcale {

struct RunStudyOptions {
  Device device = Device::kAuto;
  Precision precision = Precision::kAuto;
  int threads = 0;
  double method_seconds = 0.0;  // limit for a competing method on one data set; 0: none
  std::function<void(const std::string& line)> progress;  // may be empty
};

// What `records` holds is taken from there. A data set that fails (memory, time limit, a method that cannot
// do it) is noted in its row, and the rest goes on; after running out of memory or time the row's other
// data sets are not tried. A model that cannot be loaded ends the whole.
StudyOutcome run_study(const Study& study, const RunStudyOptions& options, RecordFile& records);

}  // namespace causcale
