// After training: how sure may a model be, and what does it know? Measures both on data sets drawn as in
// training but never used there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "discover/applicability.h"
#include "discover/loaded_model.h"
#include "learn/config/config.h"

namespace causcale {

struct CalibrateOptions {
  int graphs = 64;  // temperatures are fitted to every other one, the figures come from the rest
  std::uint64_t seed = 0;
  std::filesystem::path grown_from = {};        // model that training went on from: its ranges count, too
  int threads = 0;                              // 0 = all cores
  std::function<void(int done)> progress = {};  // may be empty
};

struct CalibrationFigures {
  double expected_error = 0.0;  // ECE over ordered pairs
  double cross_entropy = 0.0;
  double brier = 0.0;
};

// Of one of the model's outputs.
struct OutputCalibration {
  PairOutput output = PairOutput::kFeedback;
  AnswerScales scales;               // as they were where there was nothing to fit to
  bool fitted = false;               // not so: the data sets have no such pair, or do not tell
  CalibrationFigures before, after;  // likewise
  std::size_t pairs = 0,
              there = 0;  // unordered, of the data sets that nothing was fitted to; how many have it
};

struct CalibrateResult {
  AnswerScales scales;  // those of means only where there were tables small enough for all views
  double temperature_before = 1.0;
  CalibrationFigures before, after;  // on data sets that nothing was fitted to, asked as discover asks
  int graphs = 0;
  std::size_t pairs = 0;  // of those data sets
  TrainingRanges ranges;  // of sizes by the configuration, of other traits as seen
  std::vector<OutputCalibration> outputs;
};

// Data sets come from all stages of the configuration in proportion to their length. Throws InputError when
// they have no edges.
CalibrateResult calibrate_model(const LoadedModel& loaded, const TrainConfig& config,
                                const CalibrateOptions& options);

// Adds what an earlier model's metadata say it was trained on: a model that went on from there has seen that,
// too. Throws InputError when they say nothing.
void widen_by_model(const std::filesystem::path& earlier, TrainingRanges& ranges);

// A copy of the weight file with temperatures, offset and training ranges in its metadata; the weights stay
// bit for bit. Both names may be the same.
void write_calibrated(const std::filesystem::path& model, const std::filesystem::path& out,
                      const CalibrateResult& result);

}  // namespace causcale
