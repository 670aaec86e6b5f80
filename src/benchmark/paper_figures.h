// Every number that the paper reports, to stand beside ours.
//
// Settings are named as in setting_name(): "linear_n100_e400", "sergio_n200_e400"; methods as in the paper:
// CauScale, CORR, INVCOV, FCI, NOTEARS, SDCD, DiffAN, AVICI, SEA-gies. mAP, AUC and OA are in percent.
#pragma once

#include <span>
#include <string_view>

namespace causcale {

struct PaperFigure {
  std::string_view table;  // the benchmark that reproduces it: table1, aid, ...
  std::string_view setting, method, metric;
  double mean;
  double deviation;  // NaN where the paper gives none
};

std::span<const PaperFigure> paper_figures();
// Null where the paper has no such figure.
const PaperFigure* paper_figure(std::string_view table, std::string_view setting, std::string_view method,
                                std::string_view metric);
// What the paper says beyond numbers, or how its numbers came about; may be empty.
std::string_view paper_remark(std::string_view table);

}  // namespace causcale
