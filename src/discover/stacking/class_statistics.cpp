// The equivalence class of graphs that scores best, of the table and of bootstrapped ones.
#include <cmath>

#include "base/parallel.h"
#include "data/standardize.h"
#include "discover/bootstrap.h"
#include "discover/stacking/method_watch.h"
#include "discover/stacking/parts.h"
#include "methods/method.h"

namespace causcale {
namespace {

constexpr std::uint32_t kRepetitions = 6;
constexpr std::uint64_t kResamplingSeed = 0x636c6173;
constexpr const char* kMostNeighbours = "20";  // searches around denser nodes take for ever

MethodResult best_class(const Dataset& dataset, MethodWatch& watch) {
  MethodOptions options;
  options.threads = 1;
  options.cancelled = [&] { return watch.ended(); };
  options.settings["max-degree"] = kMostNeighbours;
  return gies_method().run(dataset, options);
}

// Of the table and of bootstrapped ones; empty where the table suits no score. The failure is looked at on
// the calling thread: in a module for browsers two threads must not tell exceptions apart at the same time.
std::vector<MethodResult> best_classes(const Dataset& dataset, int threads,
                                       const std::function<void()>& wanted) {
  MethodWatch watch(wanted);
  std::vector<MethodResult> found(1 + kRepetitions);
  const auto drawn = [&](std::size_t k) {
    return take_rows(dataset, resample_rows(dataset.interventions, dataset.table.rows(), kResamplingSeed,
                                            static_cast<std::uint32_t>(k)));
  };
  const auto search = [&](std::size_t k) { found[k] = best_class(k == 0 ? dataset : drawn(k), watch); };
  if (!watch.run([&] { parallel_for(found.size(), threads, search); })) found.clear();
  return found;
}

}  // namespace

void add_class_statistics(const Dataset& dataset, int threads, const std::function<void()>& wanted,
                          PairStatistics& statistics) {
  const std::size_t n = statistics.columns, m = dataset.table.rows();
  const std::vector<MethodResult> found = best_classes(dataset, threads, wanted);
  const double unit = std::log(static_cast<double>(m) + 2.0);
  double links = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const MixedGraph& graph = found[k].graph;
    if (graph.nodes() == 0) continue;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const int a = static_cast<int>(i), b = static_cast<int>(j);
        if (i == j || !graph.adjacent(a, b)) continue;
        const float share = k == 0 ? 1.0f : 1.0f / kRepetitions;
        if (graph.directed(a, b))
          statistics.at(k == 0 ? DirectedStatistic::kClassArrow : DirectedStatistic::kClassArrowShare, i,
                        j) += share;
        const auto link = static_cast<std::size_t>(k == 0 ? SymmetricStatistic::kClassLink
                                                          : SymmetricStatistic::kClassLinkShare);
        statistics.symmetric(i * n + j, link) += share;
        if (k > 0) continue;
        links += 0.5;
        statistics.at(NodeStatistic::kClassDegree, i) += 1.0f;
        const double gain = std::max(found[0].scores(i, j), found[0].scores(j, i));
        statistics.set(SymmetricStatistic::kClassGain, i, j, compressed(gain / unit));
      }
  }
  statistics.at(TableStatistic::kClassDensity) = static_cast<float>(links / static_cast<double>(n));
}

}  // namespace causcale
