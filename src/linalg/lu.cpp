#include <algorithm>
#include <cmath>

#include "linalg/halves.h"
#include "linalg/triangular.h"

namespace causcale::linalg {

namespace {

constexpr std::int64_t kPanel = 16;  // columns that are eliminated one by one

class Elimination {
 public:
  Elimination(const Context& context, std::int64_t n, double* a, std::int64_t stride,
              std::vector<std::int64_t>& pivots)
      : context_(context), n_(n), a_(a), stride_(stride), pivots_(pivots) {}

  // Columns [begin, end), their rows from `begin` on.
  bool eliminate(std::int64_t begin, std::int64_t end) {
    if (end - begin <= kPanel) return eliminate_panel(begin, end);
    const std::int64_t middle = begin + ((end - begin) / 2 + kPanel - 1) / kPanel * kPanel;
    if (!eliminate(begin, middle)) return false;
    divide_unit_lower(context_, middle - begin, end - middle, at(begin, begin), stride_, at(begin, middle),
                      stride_);
    multiply(context_, n_ - middle, end - middle, middle - begin, -1.0, plain(at(middle, begin), stride_),
             plain(at(begin, middle), stride_), at(middle, middle), stride_, true);
    return eliminate(middle, end);
  }

 private:
  double* at(std::int64_t row, std::int64_t col) { return a_ + row * stride_ + col; }

  bool eliminate_panel(std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t best = k;
      for (std::int64_t i = k + 1; i < n_; ++i)
        if (std::abs(*at(i, k)) > std::abs(*at(best, k))) best = i;
      pivots_[k] = best;
      if (best != k) std::swap_ranges(at(k, 0), at(k, n_), at(best, 0));
      const double* row = at(k, 0);
      if (!(std::abs(row[k]) > 0.0)) return false;
      for (std::int64_t i = k + 1; i < n_; ++i) {
        double* to = at(i, 0);
        const double factor = to[k] /= row[k];
        for (std::int64_t j = k + 1; j < end; ++j) to[j] -= factor * row[j];
      }
    }
    return true;
  }

  const Context& context_;
  std::int64_t n_;
  double* a_;
  std::int64_t stride_;
  std::vector<std::int64_t>& pivots_;
};

}  // namespace

bool lu(const Context& context, std::int64_t n, double* a, std::int64_t stride,
        std::vector<std::int64_t>& pivots) {
  pivots.assign(n, 0);
  return n == 0 || Elimination(context, n, a, stride, pivots).eliminate(0, n);
}

void divide_by_unit_lower(const Context& context, std::int64_t m, std::int64_t n, const double* l,
                          std::int64_t l_stride, double* b, std::int64_t b_stride) {
  if (n <= kLeaf) {
    std::vector<double> inverse(n * n);
    context.kernels.invert_unit_lower(n, l, l_stride, inverse.data(), n);
    return multiply(context, m, n, n, 1.0, plain(b, b_stride), plain(inverse.data(), n), b, b_stride, false);
  }
  const std::int64_t half = first_half(n);
  double* right = b + half;
  divide_by_unit_lower(context, m, n - half, l + half * l_stride + half, l_stride, right, b_stride);
  multiply(context, m, half, n - half, -1.0, plain(right, b_stride), plain(l + half * l_stride, l_stride), b,
           b_stride, true);
  divide_by_unit_lower(context, m, half, l, l_stride, b, b_stride);
}

}  // namespace causcale::linalg
