// Measurement of single cells: outlier genes, library sizes, dropout and molecule counts, in this order.
//
// Each profile lists values estimated from data of one technology; a data set draws one value of every list.
//
//   profile        outlier genes             library size            dropout
//                  share  log mean  scale    log mean  scale         shape  percentile
//   10x-chromium   .01    {3,3,5}   1        {6,6,4.5} {.3,.4,.7}    8      {74,82,45}
//   illumina       .01    .8        1        7         .4            8      80
//   drop-seq       .01    3         1        4.4       .8            8      85
//   smart-seq      .01    4.5       1        10.8      .55           2      92
#pragma once

#include <cmath>
#include <span>

#include "base/random.h"

namespace causcale {

enum class NoiseProfile { kNone, kChromium, kIllumina, kDropSeq, kSmartSeq };

struct TechnicalNoise {
  double outlier_share = 0;
  double outlier_mean = 0;
  double outlier_scale = 0;
  double library_mean = 0;
  double library_scale = 0;
  double dropout_shape = 0;
  double dropout_percentile = 0;
};

// Not for kNone.
TechnicalNoise draw_technical_noise(NoiseProfile profile, RandomStream& random);

// expression[gene * cells + cell] of one experiment, all cell types, becomes counts. The outlier genes, the
// midpoint of the dropout and everything else belong to this experiment alone.
void add_technical_noise(const TechnicalNoise& noise, int genes, int cells, RandomStream& random,
                         std::span<float> expression);

// Probability that a value survives the dropout; `log_value` is log(1 + value).
CAUSCALE_HD double kept_share(const TechnicalNoise& noise, double log_value, double midpoint) {
  return 1.0 / (1.0 + exp(-noise.dropout_shape * (log_value - midpoint)));
}

// Linear between neighbours, as most statistics packages do by default. `percent` in [0, 100].
double percentile(std::span<const double> values, double percent);

}  // namespace causcale
