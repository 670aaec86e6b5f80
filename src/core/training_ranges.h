// What a model was trained on: the range of each trait of its tables (discover/applicability.h lists the
// traits). It stands in the weight file's metadata (trained_columns = "10 100", ...; written by causcale
// calibrate).
#pragma once

#include <map>
#include <string>

namespace causcale {

struct TraitRange {
  double low, high;
};
using TrainingRanges = std::map<std::string, TraitRange>;

// What the metadata say. Throws InputError, naming file and key, when an entry is not two numbers in order.
TrainingRanges stated_ranges(const std::map<std::string, std::string>& metadata, const std::string& file);
// The same; where they are silent, what the shipped models were trained on.
TrainingRanges training_ranges(const std::map<std::string, std::string>& metadata,
                               const std::string& file = "the model");
std::map<std::string, std::string> ranges_as_metadata(const TrainingRanges& ranges);

}  // namespace causcale
