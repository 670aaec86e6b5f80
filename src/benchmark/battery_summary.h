// What a battery says as a whole: means per class, and the network against others set by set.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "benchmark/battery.h"

namespace causcale {

// A table that is made from another one's outcome.
struct DerivedTable {
  Study study;
  StudyOutcome outcome;
};

// One row per class and method, then over all sets, then the network's mean of the classes' means. A mean is
// over the sets where the method has a result (column `sets`) and the metric is defined; the calibration
// error is that of the pooled pairs.
DerivedTable class_means(const Battery& battery, const StudyOutcome& outcome);

// Differences of directed AP up to this many points are ties.
inline constexpr double kTiePoints = 1.0;

// Wins, ties and losses of the network per class and over all sets: against the best classical method of each
// set, which only the truth can tell, and against each yardstick. Sets where either side has no result do not
// count. Empty without a network or without opponents.
DerivedTable duels(const Battery& battery, const StudyOutcome& outcome);

std::string format_battery_text(const Battery& battery, const StudyOutcome& outcome);
std::string format_battery_markdown(const Battery& battery, const StudyOutcome& outcome);
nlohmann::ordered_json battery_to_json(const Battery& battery, const StudyOutcome& outcome);
// Bars: directed AP of every method per class.
std::string format_battery_picture(const Battery& battery, const StudyOutcome& outcome);

}  // namespace causcale
