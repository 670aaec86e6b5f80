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
  // Told the scores of every answer that is not taken from records; may be empty.
  std::function<void(const StudyRow& row, std::uint32_t graph, const Matrix<double>& scores)> answered;
};

// What `records` holds is taken from there, and so is that a method ran out of at least as much time as it
// would get; a record that lacks a column of the study is made anew. A data set that fails (memory, time
// limit, a method that cannot do it) is noted in its row, and the rest goes on; after running out of memory
// or time the row's other data sets are not tried. A model that cannot be loaded ends the whole.
StudyOutcome run_study(const Study& study, const RunStudyOptions& options, RecordFile& records);

}  // namespace causcale
