// A study: the rows and columns of a table to be measured. What all benchmarks have in common.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "benchmark/task.h"

namespace causcale {

struct StudyColumn {
  std::string metric;  // a key of Measures
  std::string label;
  int decimals = 1;     // -1: as many as four significant digits take
  double factor = 1.0;  // from the measure to what is shown, in the paper's unit
};

struct StudyRow {
  std::vector<std::string> labels;  // one per heading
  Contender contender;
  // A graph's figure is the mean over these. Empty: a row of the paper that is not measured here.
  std::vector<TestSource> sources;
  std::string paper_setting;  // as in paper_figures.h; empty where the paper has no such row
  // Where the row's figure goes in the picture.
  std::string series;
  std::string category;  // bars
  double x = 0.0;        // lines
};

struct StudyPicture {
  bool lines = false;  // else bars
  std::string metric = "map";
  std::string x_label, y_label = "mAP (%)";
  bool log_x = false;
};

struct Study {
  std::string name;   // as in paper_figures.h
  std::string title;  // one line
  std::vector<std::string> headings;
  std::vector<StudyColumn> columns;
  std::vector<StudyRow> rows;
  int graphs = 5;  // data sets per row
  std::uint64_t seed = 0;
  std::vector<std::string> remarks;  // below the table
  StudyPicture picture;
};

struct Summary {
  double mean = 0.0;
  double deviation = 0.0;  // divisor count - 1; NaN for a single figure
  int count = 0;
};

struct RowOutcome {
  std::map<std::string, Summary> metrics;  // of the graphs where the metric is defined
  int finished = 0, failed = 0;            // graphs
  std::string failure;                     // why, the first of them
};

using StudyOutcome = std::vector<RowOutcome>;  // one per row

}  // namespace causcale
