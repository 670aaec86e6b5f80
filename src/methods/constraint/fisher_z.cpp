#include "methods/constraint/fisher_z.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/vector_clones.h"

namespace causcale {
namespace {

constexpr double kUndecided = std::numeric_limits<double>::infinity();

// The state of a branch of the search: everything is what remains of it after regression on the members
// chosen so far.
struct PairRest {
  double xx, yy, xy;
};

// For the candidates [begin, end): squared partial correlations given the branch and the candidate.
// Branch-free, so that it becomes vector code.
CAUSCALE_VECTOR_CLONES
void squared_correlations(int begin, int end, const PairRest& rest, const double* __restrict with_x,
                          const double* __restrict with_y, const double* __restrict variance,
                          double* __restrict ratios) {
  for (int c = begin; c < end; ++c) {
    const double xy = rest.xy * variance[c] - with_x[c] * with_y[c];
    const double xx = rest.xx * variance[c] - with_x[c] * with_x[c];
    const double yy = rest.yy * variance[c] - with_y[c] * with_y[c];
    const double floor = kDeterminedVariance * variance[c];
    const double ratio = xy * xy / (xx * yy);
    const double decided = variance[c] > kDeterminedVariance ? ratio : kUndecided;
    const double decided_x = xx > floor ? decided : kUndecided;
    ratios[c] = yy > floor ? decided_x : kUndecided;
  }
}

// Covariances with x and y and variances of the candidates.
struct Layer {
  double* with_x;
  double* with_y;
  double* variance;
};
// What remains when the direction (of unit length) is taken out.
CAUSCALE_VECTOR_CLONES
void take_direction_out(int begin, int end, double x_part, double y_part, const double* __restrict direction,
                        const Layer& from, const Layer& to) {
  const double* __restrict from_x = from.with_x;
  const double* __restrict from_y = from.with_y;
  const double* __restrict from_variance = from.variance;
  double* __restrict to_x = to.with_x;
  double* __restrict to_y = to.with_y;
  double* __restrict to_variance = to.variance;
  for (int c = begin; c < end; ++c) {
    to_x[c] = from_x[c] - direction[c] * x_part;
    to_y[c] = from_y[c] - direction[c] * y_part;
    to_variance[c] = from_variance[c] - direction[c] * direction[c];
  }
}

class BranchSearch {
 public:
  BranchSearch(const Matrix<double>& correlations, int x, int y, std::span<const int> candidates,
               int first_below, int size, double bound, const SubsetRequest& request)
      : correlations_(correlations),
        candidates_(candidates),
        first_below_(first_below),
        size_(size),
        bound_(bound),
        limit_(request.limit),
        check_(request.check),
        chosen_(size) {
    const std::size_t count = candidates.size();
    // One layer a depth: rests of the covariances with x and y, of the variance, and the direction chosen.
    layers_.resize(4 * count * static_cast<std::size_t>(size));
    double* const with_x = layer(0, 0);
    double* const with_y = layer(0, 1);
    double* const variance = layer(0, 2);
    for (std::size_t c = 0; c < count; ++c) {
      with_x[c] = correlations(x, candidates[c]);
      with_y[c] = correlations(y, candidates[c]);
      variance[c] = 1.0;
    }
    ratios_.resize(count);
    descend(0, 0, {1.0, 1.0, correlations(x, y)});
  }

  double smallest() const { return smallest_; }  // squared partial correlation
  bool separated() const { return smallest_ <= bound_; }
  std::int64_t tests() const { return tests_; }
  bool complete() const { return complete_; }
  const std::vector<int>& chosen() const { return chosen_; }

 private:
  double* layer(int depth, int kind) {
    return layers_.data() + (4 * static_cast<std::size_t>(depth) + kind) * candidates_.size();
  }

  // False ends the search.
  bool descend(int depth, int begin, const PairRest& rest) {
    if (depth == size_ - 1) return try_last(depth, begin, rest);
    const int count = static_cast<int>(candidates_.size());
    const int end = std::min(depth == 0 ? first_below_ : count, count - (size_ - depth) + 1);
    for (int s = begin; s < end; ++s) {
      const double variance = layer(depth, 2)[s];
      if (variance <= kDeterminedVariance) continue;
      const double scale = 1.0 / std::sqrt(variance);
      const double x_part = layer(depth, 0)[s] * scale, y_part = layer(depth, 1)[s] * scale;
      const PairRest next{rest.xx - x_part * x_part, rest.yy - y_part * y_part, rest.xy - x_part * y_part};
      if (next.xx <= kDeterminedVariance || next.yy <= kDeterminedVariance) continue;
      chosen_[depth] = candidates_[s];
      project(depth, s, scale, x_part, y_part);
      if (!descend(depth + 1, s + 1, next)) return false;
    }
    return true;
  }

  // Takes the direction of candidate s out of all candidates after it.
  void project(int depth, int s, double scale, double x_part, double y_part) {
    const int count = static_cast<int>(candidates_.size());
    double* const direction = layer(depth, 3);
    const auto row = correlations_.row(candidates_[s]);
    for (int c = s + 1; c < count; ++c) direction[c] = row[candidates_[c]];
    for (int d = 0; d < depth; ++d) {
      const double* const earlier = layer(d, 3);
      const double part = earlier[s];
      for (int c = s + 1; c < count; ++c) direction[c] -= part * earlier[c];
    }
    for (int c = s + 1; c < count; ++c) direction[c] *= scale;
    take_direction_out(s + 1, count, x_part, y_part, direction,
                       {layer(depth, 0), layer(depth, 1), layer(depth, 2)},
                       {layer(depth + 1, 0), layer(depth + 1, 1), layer(depth + 1, 2)});
  }

  bool try_last(int depth, int begin, const PairRest& rest) {
    if (check_ && tests_ >= next_check_) {
      (*check_)();
      next_check_ = tests_ + kTestsBetweenChecks;
    }
    constexpr int kBlock = 32;
    const double* const with_x = layer(depth, 0);
    const double* const with_y = layer(depth, 1);
    const double* const variance = layer(depth, 2);
    const int count = depth == 0 ? first_below_ : static_cast<int>(candidates_.size());
    for (int block = begin; block < count; block += kBlock) {
      int end = std::min(count, block + kBlock);
      const bool cut = limit_ >= 0 && tests_ + (end - block) > limit_;
      if (cut) end = block + static_cast<int>(limit_ - tests_);
      squared_correlations(block, end, rest, with_x, with_y, variance, ratios_.data());
      double least = kUndecided;
      for (int c = block; c < end; ++c) least = ratios_[c] < least ? ratios_[c] : least;
      if (least <= bound_) {
        int c = block;
        while (!(ratios_[c] <= bound_)) ++c;
        tests_ += c - block + 1;
        smallest_ = ratios_[c];
        chosen_[depth] = candidates_[c];
        return false;
      }
      tests_ += end - block;
      smallest_ = std::min(smallest_, least);
      if (cut) {
        complete_ = false;
        return false;
      }
    }
    return true;
  }

  const Matrix<double>& correlations_;
  std::span<const int> candidates_;
  int first_below_;
  int size_;
  double bound_;
  std::int64_t limit_;
  const std::function<void()>* check_;
  static constexpr std::int64_t kTestsBetweenChecks = 1'000'000;  // some milliseconds
  std::int64_t next_check_ = kTestsBetweenChecks;
  std::int64_t tests_ = 0;
  bool complete_ = true;
  double smallest_ = kUndecided;
  std::vector<int> chosen_;
  std::vector<double> layers_;
  std::vector<double> ratios_;
};

}  // namespace

double two_sided_normal_quantile(double alpha) {
  double low = 0.0, high = 40.0;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::sqrt(2.0)) > alpha ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

FisherZ::FisherZ(Matrix<double> correlations, std::size_t rows, double alpha)
    : correlations_(std::move(correlations)), rows_(rows), critical_(two_sided_normal_quantile(alpha)) {}

double FisherZ::strength_of(double correlation, std::size_t given) const {
  if (!(correlation < 1.0)) return kUndecided;
  return std::atanh(correlation) * std::sqrt(static_cast<double>(rows_ - given - 3)) / critical_;
}

double FisherZ::partial_correlation(int x, int y, std::span<const int> given) const {
  // Modified Gram-Schmidt over given, x, y: row k holds the rests of the covariances of member k.
  const std::size_t count = given.size() + 2;
  std::vector<int> members(given.begin(), given.end());
  members.push_back(x);
  members.push_back(y);
  Matrix<double> rest(count, count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) rest(a, b) = a == b ? 1.0 : correlations_(members[a], members[b]);
  for (std::size_t k = 0; k + 2 < count; ++k) {
    if (rest(k, k) <= kDeterminedVariance) continue;
    for (std::size_t a = k + 1; a < count; ++a) {
      const double part = rest(k, a) / rest(k, k);
      for (std::size_t b = a; b < count; ++b) rest(a, b) -= part * rest(k, b);
    }
  }
  const double xx = rest(count - 2, count - 2), yy = rest(count - 1, count - 1);
  if (xx <= kDeterminedVariance || yy <= kDeterminedVariance) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(rest(count - 2, count - 1) / std::sqrt(xx * yy), -1.0, 1.0);
}

double FisherZ::strength(int x, int y, std::span<const int> given) const {
  return strength_of(std::abs(given.empty() ? correlations_(x, y) : partial_correlation(x, y, given)),
                     given.size());
}

SubsetSearch FisherZ::search(int x, int y, const SubsetRequest& request) const {
  if (request.size == 0) return IndependenceTest::search(x, y, request);
  std::vector<int> candidates(request.fresh.begin(), request.fresh.end());
  candidates.insert(candidates.end(), request.other.begin(), request.other.end());
  const int first_below = static_cast<int>(request.fresh.size());
  if (static_cast<int>(candidates.size()) < request.size || first_below == 0) return {};
  const auto with_x = correlations_.row(x), with_y = correlations_.row(y);
  const auto more_telling = [&](int a, int b) {
    const double of_a = std::abs(with_x[a] * with_y[a]), of_b = std::abs(with_x[b] * with_y[b]);
    return of_a != of_b ? of_a > of_b : a < b;
  };
  std::sort(candidates.begin(), candidates.begin() + first_below, more_telling);
  std::sort(candidates.begin() + first_below, candidates.end(), more_telling);

  const double bound = std::tanh(
      critical_ / std::sqrt(static_cast<double>(rows_ - static_cast<std::size_t>(request.size) - 3)));
  const BranchSearch branches(correlations_, x, y, candidates, first_below, request.size, bound * bound,
                              request);
  SubsetSearch result;
  result.separated = branches.separated();
  result.tests = branches.tests();
  result.complete = branches.complete();
  if (branches.smallest() < kUndecided)
    result.weakest = strength_of(std::sqrt(branches.smallest()), static_cast<std::size_t>(request.size));
  if (result.separated) {
    result.weakest = std::min(result.weakest, 1.0);  // the bound and the statistic round apart
    result.separator = branches.chosen();
    std::ranges::sort(result.separator);
  }
  return result;
}

}  // namespace causcale
