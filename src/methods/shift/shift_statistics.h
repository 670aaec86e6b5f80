// How far a sample lies from another: in its mean, its spread, its distribution.
#pragma once

#include <vector>

namespace causcale {

struct Shift {
  double size = 0.0;     // without unit; 0: none
  double p_value = 1.0;  // two-sided, by large-sample approximations
};

// Difference of the means in standard deviations of the control; Welch's statistic taken as normal.
Shift mean_shift(const std::vector<double>& control, const std::vector<double>& treated);
// The same of absolute deviations from each sample's own median (Brown and Forsythe).
Shift spread_shift(const std::vector<double>& control, const std::vector<double>& treated);
// The greatest difference of the distribution functions (Kolmogorov and Smirnov).
Shift distribution_shift(std::vector<double> control, std::vector<double> treated);

}  // namespace causcale
