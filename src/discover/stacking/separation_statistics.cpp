// Which pairs no small set of other variables makes independent, and the colliders that follow (PC).
#include <algorithm>
#include <string>

#include "causcale/error.h"
#include "discover/stacking/method_watch.h"
#include "discover/stacking/parts.h"
#include "methods/method.h"

namespace causcale {
namespace {

// Tests grow with columns to the power of this and two.
const char* largest_separator(std::size_t columns) {
  return columns <= 30 ? "3" : columns <= 80 ? "2" : "1";
}

}  // namespace

void add_separation_statistics(const Dataset& dataset, int threads, const std::function<void()>& wanted,
                               PairStatistics& statistics) {
  const std::size_t n = statistics.columns;
  MethodWatch watch(wanted);
  MethodOptions options;
  options.threads = threads;
  options.cancelled = [&] { return watch.ended(); };
  options.settings["max-conditioning"] = largest_separator(n);
  MethodResult found;
  try {
    found = pc_method().run(dataset, options);
  } catch (const InputError&) {  // a table that suits no test
    watch.rethrow();
    return;
  } catch (const Error&) {
    watch.rethrow();
    throw;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const int a = static_cast<int>(i), b = static_cast<int>(j);
      const bool forward = found.graph.directed(a, b), reverse = found.graph.directed(b, a);
      statistics.at(DirectedStatistic::kSeparationArrow, i, j) = forward;
      statistics.at(DirectedStatistic::kSeparationArrow, j, i) = reverse;
      statistics.set(SymmetricStatistic::kSeparationLink, i, j, found.graph.adjacent(a, b));
      // The weakest test's statistic w as w / (1 + w), of which pairs without direction have a half each way.
      const double larger = std::max(found.scores(i, j), found.scores(j, i));
      const double sureness = std::clamp(forward || reverse ? larger : 2.0 * larger, 0.0, 1.0 - 1e-9);
      statistics.set(SymmetricStatistic::kSeparationWeakest, i, j, compressed(sureness / (1.0 - sureness)));
    }
}

}  // namespace causcale
