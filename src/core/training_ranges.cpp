#include "core/training_ranges.h"

#include <fmt/format.h>

#include <cmath>
#include <locale>
#include <sstream>

#include "causcale/error.h"

namespace causcale {
namespace {

const TrainingRanges& shipped_ranges() {
  // Sizes that both shipped models know; non-linearity and tails measured on 180 data sets of the mechanisms
  // that both were trained on (models/*.md).
  static const TrainingRanges ranges = {
      {"columns", {10, 100}}, {"rows", {500, 800}},        {"non_linearity", {0, 0.3}},
      {"tails", {-1, 6.5}},   {"integer_columns", {0, 0}}, {"discrete_columns", {0, 0}},
      {"zeros", {0, 0}},      {"interventions", {0, 1}},   {"partial_coverage", {0, 0}},
      {"targets", {0, 1}}};
  return ranges;
}

}  // namespace

TrainingRanges stated_ranges(const std::map<std::string, std::string>& metadata, const std::string& file) {
  TrainingRanges ranges;
  for (const auto& [trait, built_in] : shipped_ranges()) {
    const auto stated = metadata.find("trained_" + trait);
    if (stated == metadata.end()) continue;
    TraitRange& range = ranges[trait];
    std::istringstream text(stated->second);
    text.imbue(std::locale::classic());
    if (!(text >> range.low >> range.high) || !(text >> std::ws).eof() || !(range.low <= range.high))
      throw InputError(fmt::format("{}: metadata key '{}' is '{}', expected two numbers such as \"10 200\"",
                                   file, stated->first, stated->second));
  }
  return ranges;
}

TrainingRanges training_ranges(const std::map<std::string, std::string>& metadata, const std::string& file) {
  TrainingRanges ranges = stated_ranges(metadata, file);
  ranges.insert(shipped_ranges().begin(), shipped_ranges().end());  // where nothing is stated
  return ranges;
}

std::map<std::string, std::string> ranges_as_metadata(const TrainingRanges& ranges) {
  std::map<std::string, std::string> metadata;
  for (const auto& [trait, range] : ranges)
    metadata["trained_" + trait] = fmt::format("{:.4g} {:.4g}", range.low, range.high);
  return metadata;
}

}  // namespace causcale
