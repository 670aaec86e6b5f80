// A model's card: everything that its weight file says about it, read once and checked.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "causcale/discover.h"
#include "core/config.h"
#include "core/temperature.h"
#include "core/training_ranges.h"

namespace causcale {

struct ModelCard {
  ModelConfig config;
  // Metadata "prior_scale": how the model wants its prior.
  PriorUnits prior_units = PriorUnits::kStandardized;
  // "transform": kLog1p where the model takes logarithms of counts.
  ValueTransform transform = ValueTransform::kNone;
  // "usual_rows": as many as the model is used to see at once.
  std::size_t usual_rows = 1000;
  // "views": how often it is best shown a table, with different columns mirrored.
  int views = 1;
  // "temperature", of one pass; "mean_temperature" and "mean_offset", of the mean of "mean_of" passes.
  AnswerScales scales;
  // The same of the outputs, with an offset of one pass and the output's name before the key:
  // "feedback_temperature", "feedback_offset", "feedback_mean_of", ...
  AnswerScales feedback, confounded;
  // "trained_columns", ...
  TrainingRanges ranges;
  // All of it, remarks such as "training_minutes" included.
  std::map<std::string, std::string> metadata;
};

inline constexpr int kMostViews = 1000;

const AnswerScales& scales_of(const ModelCard& card, PairOutput output);

// Throws InputError that names the file, the key, what it says and what is accepted.
ModelCard parse_card(const std::map<std::string, std::string>& metadata, const std::string& file);

}  // namespace causcale
