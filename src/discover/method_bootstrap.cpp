#include "discover/method_bootstrap.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "causcale/error.h"
#include "data/standardize.h"
#include "discover/bootstrap.h"

namespace causcale {
namespace {

// Means and squared distances from them, value by value.
class RunningMoments {
 public:
  explicit RunningMoments(std::size_t n) : mean_(n, n), squares_(n, n), votes_(n, n) {}

  void add(const Matrix<double>& scores, const Matrix<double>& votes) {
    ++count_;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const double distance = scores.data()[k] - mean_.data()[k];
      mean_.data()[k] += distance / count_;
      squares_.data()[k] += distance * (scores.data()[k] - mean_.data()[k]);
      votes_.data()[k] += votes.data()[k];
    }
  }

  int count() const { return count_; }

  void finish(DiscoverResult& result) {
    for (double& value : squares_.values()) value = std::sqrt(std::max(0.0, value) / (count_ - 1));
    for (double& value : votes_.values()) value /= count_;
    result.bootstrap = count_;
    result.bootstrap_mean = std::move(mean_);
    result.bootstrap_deviation = std::move(squares_);
    result.selection_frequency = std::move(votes_);
  }

 private:
  Matrix<double> mean_, squares_, votes_;
  int count_ = 0;
};

}  // namespace

Matrix<double> direction_votes(const MixedGraph& graph) {
  const int n = graph.nodes();
  Matrix<double> votes(static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      if (!graph.adjacent(a, b)) continue;
      const bool into_a = graph.mark(b, a) == Mark::kArrow, into_b = graph.mark(a, b) == Mark::kArrow;
      const double forwards = into_a == into_b ? 0.5 : into_b ? 1.0 : 0.0;
      votes(static_cast<std::size_t>(a), static_cast<std::size_t>(b)) = forwards;
      votes(static_cast<std::size_t>(b), static_cast<std::size_t>(a)) = 1.0 - forwards;
    }
  return votes;
}

void bootstrap_method(const MethodRun& run, const Dataset& dataset, const MethodOptions& options,
                      const EdgeSelection& selection, int repetitions, MethodOutcome& outcome) {
  if (repetitions < 2)
    throw UsageError(
        fmt::format("--bootstrap takes 0 (none) or at least 2 repetitions, not {}", repetitions));
  const auto start = std::chrono::steady_clock::now();
  const Dataset ordered = in_canonical_order(dataset, options.threads);
  EdgeSelection uncut = selection;
  uncut.acyclic = false;
  RunningMoments moments(ordered.table.cols());
  int failed = 0, done = 0;
  std::string first_failure, cut_off;
  for (; done < repetitions; ++done) {
    MethodOptions own = options;
    own.seed = options.seed + 1 + static_cast<std::uint64_t>(done);
    own.progress = {};
    if (options.seconds > 0) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      own.seconds = std::max(1e-3, options.seconds - passed.count());
    }
    const Dataset drawn = take_rows(ordered, resample_rows(ordered.interventions, ordered.table.rows(),
                                                           options.seed, static_cast<std::uint32_t>(done)));
    try {
      const MethodOutcome again =
          select_outcome(outcome.result.model_name, drawn, run(drawn, own), options.knowledge, uncut);
      moments.add(again.result.probabilities, direction_votes(again.marks));
    } catch (const OutOfTime& problem) {
      cut_off = problem.what();
      break;
    } catch (const UsageError&) {
      throw;
    } catch (const InputError& problem) {
      if (failed++ == 0) first_failure = problem.what();
    }
    report_progress(options, "bootstrap", (done + 1.0) / repetitions);
  }
  if (moments.count() < 2 && !cut_off.empty())
    throw OutOfTime(
        fmt::format("bootstrap: {} of {} repetitions were done: {}", moments.count(), repetitions, cut_off));
  if (moments.count() < 2)
    throw InputError(fmt::format("bootstrap: {} of {} repetitions failed, the first with: {}", failed,
                                 repetitions, first_failure));
  outcome.log.push_back(fmt::format(
      "bootstrap: {} repetitions on rows drawn with replacement; an edge of open direction counts "
      "half for either",
      moments.count()));
  if (!cut_off.empty())
    outcome.log.push_back(
        fmt::format("bootstrap: the time limit ended it after {} of {} repetitions", done, repetitions));
  if (failed > 0)
    outcome.log.push_back(fmt::format("bootstrap: {} repetitions failed and are left out, the first with: {}",
                                      failed, first_failure));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  outcome.result.seconds.emplace_back("bootstrap", passed.count());
  moments.finish(outcome.result);
}

}  // namespace causcale
