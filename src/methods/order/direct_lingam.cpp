// DirectLiNGAM: the causal order one exogenous variable after the other, then regression on the predecessors.
//
// A candidate's measure is a sum of non-negative terms over all other variables, and only the smallest sum
// matters. The sums therefore grow round by round, and a candidate is left as soon as its sum exceeds the
// smallest complete one: the same order as when all are completed, at a small part of the work.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

#include "base/parallel.h"
#include "methods/continuous/linear_sem.h"
#include "methods/edge_permissions.h"
#include "methods/method.h"
#include "methods/order/lingam_measure.h"
#include "methods/score/gaussian_score.h"

namespace causcale {

namespace {

class CausalOrder {
 public:
  CausalOrder(const Table& table, const Knowledge& knowledge, const EdgePermissions& permissions, int threads)
      : rows_(table.rows()),
        nodes_(static_cast<int>(table.cols())),
        knowledge_(knowledge),
        permissions_(permissions),
        threads_(threads),
        columns_(table.cols(), table.rows()),
        correlation_(second_moments(table.values, true)),
        entropy_(table.cols()),
        measure_(table.cols(), 0.0),
        own_share_(table.cols(), 1.0),
        last_loss_(table.cols(), table.cols()) {
    for (std::size_t i = 0; i < last_loss_.size(); ++i)
      last_loss_.values()[i] = static_cast<float>(1e-6 * std::abs(correlation_.values()[i]));
    parallel_for(nodes_, threads_, [&](std::size_t v) {
      double mean = 0.0, squares = 0.0;
      for (std::size_t r = 0; r < rows_; ++r) mean += table.values(r, v) / static_cast<double>(rows_);
      for (std::size_t r = 0; r < rows_; ++r) squares += std::pow(table.values(r, v) - mean, 2);
      const double scale = squares > 0.0 ? std::sqrt(static_cast<double>(rows_) / squares) : 0.0;
      for (std::size_t r = 0; r < rows_; ++r)
        columns_(v, r) = static_cast<float>((table.values(r, v) - mean) * scale);
    });
    for (int v = 0; v < nodes_; ++v) (correlation_(v, v) > 0.0 ? open_ : spent_).push_back(v);
  }

  // Variables without variation of their own; they come last.
  const std::vector<int>& spent() const { return spent_; }
  bool done() const { return open_.empty(); }

  int next() {
    parallel_for(open_.size(), worth_threads() ? threads_ : 1, [&](std::size_t i) {
      entropy_[open_[i]] = approximate_entropy(columns_.row(open_[i]).data(), rows_);
    });
    const int chosen = most_exogenous();
    remove(chosen);
    return chosen;
  }

 private:
  bool worth_threads() const { return open_.size() * rows_ > 20000; }

  // A variable may come next when knowledge asks for none of the open ones before it. Required edges through
  // variables without tier can contradict the tiers; then all are candidates.
  std::vector<int> candidates() const {
    std::vector<char> held(nodes_, 0), is_open(nodes_, 0);
    for (int v : open_) is_open[v] = 1;
    for (const Edge& edge : permissions_.required)
      if (is_open[edge.source]) held[edge.target] = 1;
    if (!knowledge_.tier_of.empty()) {
      int earliest = std::numeric_limits<int>::max();
      for (int v : open_)
        if (knowledge_.tier_of[v] >= 0) earliest = std::min(earliest, knowledge_.tier_of[v]);
      for (int v : open_) held[v] |= knowledge_.tier_of[v] > earliest;
    }
    std::vector<int> result;
    for (int v : open_)
      if (!held[v]) result.push_back(v);
    return result.empty() ? open_ : result;
  }

  // What j as root loses against i as root; negative when j looks like the effect.
  double difference(int j, int i) const {
    const double r = correlation_(j, i);
    const double rest = 1.0 - r * r;
    if (rest < kLeastResidual) return 0.0;
    const float slope = static_cast<float>(r), scale = static_cast<float>(1.0 / std::sqrt(rest));
    const float *a = columns_.row(i).data(), *b = columns_.row(j).data();
    const ResidualEntropies rests = residual_entropies(a, b, slope, scale, rows_);
    return entropy_[i] + rests.of_b - entropy_[j] - rests.of_a;
  }

  // The sum of what j loses, or of as much of it as exceeds the bound.
  double measure_until(int j, double bound) {
    // What cost most when last looked at decides soonest; among those not looked at, strong dependence. Few
    // are needed as a rule, so a heap hands them out instead of a sort.
    std::vector<std::pair<float, int>> others;
    others.reserve(open_.size());
    for (int i : open_)
      if (i != j) others.emplace_back(last_loss_(j, i), -i);
    std::ranges::make_heap(others);
    double sum = 0.0;
    while (!others.empty() && sum <= bound) {
      const int i = -others.front().second;
      std::ranges::pop_heap(others);
      others.pop_back();
      const double loss = std::min(0.0, difference(j, i));
      last_loss_(j, i) = static_cast<float>(loss * loss);
      sum += loss * loss;
    }
    return sum;
  }

  int most_exogenous() {
    std::vector<int> order = candidates();
    // Those that came off well last time first: the first complete sum is then near the smallest.
    std::ranges::stable_sort(order, {}, [&](int v) { return measure_[v]; });
    double best = std::numeric_limits<double>::infinity();
    int chosen = order.front();
    // A batch has a fixed size, so that the work, and the measures kept for the next step, do not depend on
    // the number of threads.
    constexpr std::size_t kBatch = 16;
    for (std::size_t begin = 0, count = 1; begin < order.size(); begin += count, count = kBatch) {
      // The first one is completed alone, so that the others have a bound from the start.
      count = std::min(count, order.size() - begin);
      std::vector<double> sums(count);
      parallel_for(count, worth_threads() ? threads_ : 1,
                   [&](std::size_t k) { sums[k] = measure_until(order[begin + k], best); });
      for (std::size_t k = 0; k < count; ++k) {
        const int j = order[begin + k];
        measure_[j] = sums[k];
        if (sums[k] < best || (sums[k] == best && j < chosen)) {
          best = sums[k];
          chosen = j;
        }
      }
    }
    return chosen;
  }

  // Everything else becomes its residual, and correlations become partial ones.
  void remove(int root) {
    std::erase(open_, root);
    std::vector<double> slope(nodes_), scale(nodes_);
    std::vector<int> kept;
    for (int v : open_) {
      slope[v] = correlation_(root, v);
      const double rest = 1.0 - slope[v] * slope[v];
      own_share_[v] *= rest;
      if (own_share_[v] < 1e-7 || rest < 1e-7) {
        spent_.push_back(v);
        continue;
      }
      scale[v] = 1.0 / std::sqrt(rest);
      kept.push_back(v);
    }
    open_ = std::move(kept);
    parallel_for(open_.size(), worth_threads() ? threads_ : 1, [&](std::size_t k) {
      const int v = open_[k];
      const float by = static_cast<float>(slope[v]), times = static_cast<float>(scale[v]);
      float* column = columns_.row(v).data();
      const float* from = columns_.row(root).data();
      for (std::size_t r = 0; r < rows_; ++r) column[r] = times * (column[r] - by * from[r]);
      for (int u : open_)
        if (u != v) correlation_(v, u) = (correlation_(v, u) - slope[v] * slope[u]) * scale[v] * scale[u];
    });
  }

  std::size_t rows_;
  int nodes_;
  const Knowledge& knowledge_;
  const EdgePermissions& permissions_;
  int threads_;
  Matrix<float> columns_;  // [n, m], standardised
  Matrix<double> correlation_;
  std::vector<double> entropy_, measure_, own_share_;
  Matrix<float> last_loss_;  // (candidate, other); until first made, next to nothing, rising with dependence
  std::vector<int> open_, spent_;
};

// Chooses parents among the predecessors by greedy steps forward, then backward, on the score; those that
// `parents` brings along stay.
std::vector<int> choose_parents(const GaussianScore& score, int target, const std::vector<int>& candidates,
                                std::vector<int> parents) {
  const std::vector<int> fixed = parents;
  Conditioning conditioning(score, target);
  for (int parent : parents) conditioning.push(parent);
  while (static_cast<double>(2 * parents.size() + 3) < score.rows(target)) {
    int best = -1;
    double best_gain = score.penalty();
    for (int v : candidates) {
      const double gain = conditioning.likelihood_gain(v);
      if (gain > best_gain) best = v, best_gain = gain;
    }
    if (best < 0) break;
    parents.push_back(best);
    conditioning.push(best);
  }
  double present = score.local(target, parents);
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (std::size_t k = fixed.size(); k < parents.size() && !shrunk; ++k) {
      std::vector<int> fewer = parents;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      const double value = score.local(target, fewer);
      if (value > present) {
        parents = std::move(fewer);
        present = value;
        shrunk = true;
      }
    }
  }
  return parents;
}

// Least-squares coefficients of the standardised columns; the least norm where parents are dependent.
Eigen::VectorXd coefficients(const GaussianScore& score, int target, const std::vector<int>& parents) {
  const Eigen::Index k = static_cast<Eigen::Index>(parents.size());
  Eigen::MatrixXd covariance(k, k);
  Eigen::VectorXd with_target(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    for (Eigen::Index j = 0; j < k; ++j) covariance(i, j) = score.covariance(target, parents[i], parents[j]);
    with_target(i) = score.covariance(target, parents[i], target);
  }
  return covariance.completeOrthogonalDecomposition().solve(with_target);
}

MethodResult run_direct_lingam(const Dataset& dataset, const MethodOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const double penalty = number_setting(options, "penalty", 1.0, 0.0, 1e3);
  const int n = static_cast<int>(dataset.table.cols());
  const double rows = static_cast<double>(dataset.table.rows());
  const EdgePermissions permissions(n, options.knowledge);
  // The extended BIC: choosing among n columns costs log(n) a parameter on top.
  const GaussianScore score(dataset.table, {}, penalty * (1.0 + 2.0 * std::log(n) / std::log(rows)));

  CausalOrder search(dataset.table, options.knowledge, permissions, options.threads);
  std::vector<int> order;
  while (!search.done()) {
    order.push_back(search.next());
    const double left = 1.0 - static_cast<double>(order.size()) / n;
    report_progress(options, "order", 1.0 - left * left);
  }
  MethodResult result;
  if (!search.spent().empty())
    result.log.push_back(
        fmt::format("{} columns are constant or combinations of others and were put last in the causal order",
                    search.spent().size()));
  order.insert(order.end(), search.spent().begin(), search.spent().end());
  const auto ordered = std::chrono::steady_clock::now();

  Matrix<double> weights(n, n);
  std::vector<std::vector<int>> required(n);
  for (const Edge& edge : permissions.required) required[edge.target].push_back(edge.source);
  parallel_for(n, options.threads, [&](std::size_t position) {
    const int target = order[position];
    if (score.constant(target)) return;
    std::vector<int> candidates;
    for (std::size_t p = 0; p < position; ++p)
      if (permissions.allowed(order[p], target) && !score.constant(order[p]) &&
          std::ranges::find(required[target], order[p]) == required[target].end())
        candidates.push_back(order[p]);
    const std::vector<int> parents = choose_parents(score, target, candidates, required[target]);
    if (parents.empty()) return;
    const Eigen::VectorXd slopes = coefficients(score, target, parents);
    for (std::size_t k = 0; k < parents.size(); ++k)
      weights(parents[k], target) = slopes(static_cast<Eigen::Index>(k));
  });
  MethodResult weighted = weighted_result(weights, permissions, 0.0);
  weighted.log.insert(weighted.log.begin(), result.log.begin(), result.log.end());
  const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  weighted.seconds = {{"order", seconds(start, ordered)},
                      {"regression", seconds(ordered, std::chrono::steady_clock::now())}};
  return weighted;
}

}  // namespace

Method direct_lingam_method() {
  return {
      "direct-lingam",
      "causal order from non-Gaussian residuals, weights of standardised columns by regression",
      "linear, non-Gaussian noise, no hidden causes",
      "ignored",
      GraphClass::kDag,
      "O(n^2 m) to O(n^3 m), as few or many candidates stay close",
      "Shimizu et al., DirectLiNGAM: a direct method for learning a linear non-Gaussian structural equation "
      "model, 2011; Hyvarinen and Smith, Pairwise likelihood ratios, 2013",
      {{"penalty", "1", "factor of the extended BIC by which predecessors become parents"}},
      run_direct_lingam};
}

}  // namespace causcale
