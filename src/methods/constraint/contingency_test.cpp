#include "methods/constraint/contingency_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "base/parallel.h"
#include "methods/constraint/contingency_table.h"
#include "methods/constraint/fisher_z.h"

namespace causcale {
namespace {

constexpr double kUndecided = std::numeric_limits<double>::infinity();
constexpr double kRowsPerStratum = 5.0;  // from here on, no variation within strata means determination
constexpr std::int64_t kTestsBetweenChecks = 256;

}  // namespace

ContingencyTest::ContingencyTest(std::vector<CodedColumn> columns, ContingencyStatistic statistic,
                                 double alpha, int threads)
    : columns_(std::move(columns)),
      statistic_(statistic),
      critical_(two_sided_normal_quantile(alpha)),
      rows_(columns_.empty() ? 0 : columns_.front().codes.size()),
      n_log_n_(rows_ + 1, 0.0),
      pairs_(columns_.size(), columns_.size()) {
  for (std::size_t k = 2; k <= rows_; ++k) n_log_n_[k] = static_cast<double>(k) * std::log(k);
  const Strata whole(rows_);
  parallel_for(columns_.size(), threads, [&](std::size_t x) {
    for (std::size_t y = x + 1; y < columns_.size(); ++y) {
      ContingencyTable table(columns_[x], columns_[y], statistic_, n_log_n_);
      pairs_(x, y) = strength_of(table.of(whole), static_cast<int>(x), static_cast<int>(y));
    }
  });
  for (std::size_t x = 0; x < columns_.size(); ++x)
    for (std::size_t y = 0; y < x; ++y) pairs_(x, y) = pairs_(y, x);
}

double ContingencyTest::strength_of(const ContingencyValue& value, int x, int y) const {
  if (columns_[x].levels < 2 || columns_[y].levels < 2) return 0.0;
  if (value.degrees > 0.0)
    return normal_of_log_p(log_chi_square_tail(value.statistic, value.degrees)) / critical_;
  const bool determined = value.strata > 0 && static_cast<double>(value.rows) >=
                                                  kRowsPerStratum * static_cast<double>(value.strata);
  return determined ? kUndecided : 0.0;
}

ContingencyValue ContingencyTest::value(int x, int y, std::span<const int> given) const {
  // The same order of x and y, whoever asks, so that sums round alike.
  ContingencyTable table(columns_[std::min(x, y)], columns_[std::max(x, y)], statistic_, n_log_n_);
  std::vector<int> members(given.begin(), given.end());
  if (members.empty()) return table.of(Strata(rows_));
  const int last = members.back();
  members.pop_back();
  return table.of(strata_of(columns_, members, rows_), columns_[last]);
}

double ContingencyTest::strength(int x, int y, std::span<const int> given) const {
  if (given.empty()) return pairs_(x, y);
  return strength_of(value(x, y, given), x, y);
}

// The sets of one search as a tree.
class StrataBranches {
 public:
  StrataBranches(const ContingencyTest& test, int x, int y, std::span<const int> candidates,
                 const SubsetRequest& request)
      : test_(test),
        x_(x),
        y_(y),
        candidates_(candidates),
        first_below_(static_cast<int>(request.fresh.size())),
        request_(request),
        table_(test.columns_[std::min(x, y)], test.columns_[std::max(x, y)], test.statistic_, test.n_log_n_),
        levels_(request.size),
        chosen_(request.size) {
    levels_[0] = Strata(test.rows_);
    descend(0, 0);
  }

  SubsetSearch result() {
    if (result_.separated) {
      result_.separator = chosen_;
      std::ranges::sort(result_.separator);
    }
    return std::move(result_);
  }

 private:
  // False ends the search.
  bool descend(int depth, int begin) {
    const int count = static_cast<int>(candidates_.size());
    const int end = std::min(depth == 0 ? first_below_ : count, count - (request_.size - depth) + 1);
    for (int k = begin; k < end; ++k) {
      chosen_[depth] = candidates_[k];
      const CodedColumn& column = test_.columns_[candidates_[k]];
      if (depth + 1 < request_.size) {
        levels_[depth].refine(column, levels_[depth + 1]);
        if (!descend(depth + 1, k + 1)) return false;
      } else if (!ask(levels_[depth], column)) {
        return false;
      }
    }
    return true;
  }

  bool ask(const Strata& strata, const CodedColumn& last) {
    if (request_.limit >= 0 && result_.tests >= request_.limit) {
      result_.complete = false;
      return false;
    }
    if (request_.check && result_.tests % kTestsBetweenChecks == kTestsBetweenChecks - 1) (*request_.check)();
    const double strength = test_.strength_of(table_.of(strata, last), x_, y_);
    ++result_.tests;
    result_.weakest = std::min(result_.weakest, strength);
    result_.separated = strength <= 1.0;
    return !result_.separated;
  }

  const ContingencyTest& test_;
  int x_, y_;
  std::span<const int> candidates_;
  int first_below_;
  const SubsetRequest& request_;
  ContingencyTable table_;
  std::vector<Strata> levels_;
  std::vector<int> chosen_;
  SubsetSearch result_;
};

SubsetSearch ContingencyTest::search(int x, int y, const SubsetRequest& request) const {
  if (request.size == 0) return IndependenceTest::search(x, y, request);
  std::vector<int> candidates(request.fresh.begin(), request.fresh.end());
  candidates.insert(candidates.end(), request.other.begin(), request.other.end());
  if (static_cast<int>(candidates.size()) < request.size || request.fresh.empty()) return {};
  const auto more_telling = [&](int a, int b) {
    const double of_a = std::min(pairs_(x, a), pairs_(y, a)), of_b = std::min(pairs_(x, b), pairs_(y, b));
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const auto fresh_end = candidates.begin() + static_cast<std::ptrdiff_t>(request.fresh.size());
  std::sort(candidates.begin(), fresh_end, more_telling);
  std::sort(fresh_end, candidates.end(), more_telling);
  return StrataBranches(*this, x, y, candidates, request).result();
}

}  // namespace causcale
