// The parts of pair_statistics(), one file per kind of statistic.
#pragma once

#include <functional>

#include "causcale/matrix.h"
#include "causcale/table.h"
#include "discover/stacking/pair_statistics.h"

namespace causcale {

// Large numbers by their logarithm, small ones as they are; odd.
double compressed(double value);
// Of a p value, NaN counting as 1; at most 300 before it is compressed.
double compressed_p(double p);
// Within a range in which small differences still count.
double log_odds(double p);

void add_network_statistics(const JoinedAnswer& network, PairStatistics& statistics);
void add_column_statistics(const Dataset& dataset, PairStatistics& statistics);
void add_dependence_statistics(const Dataset& dataset, int threads, PairStatistics& statistics);
void add_shift_statistics(const Dataset& dataset, int threads, PairStatistics& statistics);
// `wanted` is asked now and then on the calling thread, and throws to end the work.
void add_class_statistics(const Dataset& dataset, int threads, const std::function<void()>& wanted,
                          PairStatistics& statistics);
void add_separation_statistics(const Dataset& dataset, int threads, const std::function<void()>& wanted,
                               PairStatistics& statistics);
void add_lingam_statistics(const Dataset& dataset, int threads, PairStatistics& statistics);
// After the network's and the classes', which say which pairs are worth a look.
void add_direction_statistics(const Dataset& dataset, const Matrix<double>& network, int threads,
                              PairStatistics& statistics);

}  // namespace causcale
