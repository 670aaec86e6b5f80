#include "linalg/eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "base/thread_pool.h"
#include "causcale/error.h"

namespace causcale::linalg {

namespace {

constexpr std::int64_t kWorthThreads = 256;        // rows
constexpr std::int64_t kRowsAtOnce = 16;           // of a block of work
constexpr std::size_t kRotationsAtOnce = 1 << 16;  // kept before they are applied
constexpr int kMostSweeps = 60;                    // per eigenvalue; two are usual
constexpr std::int64_t kWidestVectors = 32;        // every kernel's `rotated_cols` divides it

// A = Q T Q^T with T of three diagonals and Q = H_0 H_1 ..., H_k = 1 - scale_k v_k v_k^T.
struct Tridiagonal {
  std::vector<double> diagonal, beside;  // beside[k] joins k and k + 1
  std::vector<double> scale;
  Matrix<double> vectors;  // v_k is row k from column k + 1 on
};

// The reflection that takes x to a multiple of its first axis, which is returned; x becomes v.
double reflection(std::span<double> x, double& scale) {
  double rest = 0.0;
  for (std::size_t i = 1; i < x.size(); ++i) rest += x[i] * x[i];
  scale = 0.0;
  if (rest == 0.0) return x[0];
  const double length = std::sqrt(x[0] * x[0] + rest), result = x[0] > 0.0 ? -length : length;
  x[0] -= result;
  scale = 2.0 / (x[0] * x[0] + rest);
  return result;
}

// A step's change of the matrix, B - v w^T - w v^T, is made together with the product of the next step: each
// goes over the whole rest of the matrix, which is most of the time.
Tridiagonal reduce(const Context& context, int threads, Matrix<double> a) {
  const auto n = static_cast<std::int64_t>(a.rows());
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), {}};
  std::vector<double> v(n, 0.0), w(n, 0.0), product(n, 0.0);
  for (std::int64_t k = 0; k < n; ++k) {
    double* row = a.row(k).data();
    const double v_k = v[k], w_k = w[k];
    for (std::int64_t j = k; j < n; ++j) row[j] -= v_k * w[j] + w_k * v[j];
    result.diagonal[k] = row[k];
    if (k + 1 == n) break;
    double& scale = result.scale[k];
    const std::int64_t first = k + 1, size = n - first;
    double* next = row + first;
    result.beside[k] = reflection({next, static_cast<std::size_t>(size)}, scale);
    for_each_block(size, kRowsAtOnce, size < kWorthThreads ? 1 : threads, [&](const WorkBlock& block) {
      for (std::int64_t i = first + block.begin; i < first + block.end; ++i)
        product[i] = scale * context.kernels.update_and_dot(size, a.row(i).data() + first, v[i],
                                                            w.data() + first, w[i], v.data() + first, next);
    });
    const double half = 0.5 * scale * std::inner_product(next, next + size, product.begin() + first, 0.0);
    for (std::int64_t j = first; j < n; ++j) {
      v[j] = next[j - first];
      w[j] = product[j] - half * v[j];
    }
  }
  result.vectors = std::move(a);
  return result;
}

// Q^T, each row by itself: row i is the i-th unit vector after the reflections that reach it, the last first.
std::vector<double> transposed_q(const Context& context, int threads, const Tridiagonal& reduced,
                                 std::int64_t stride) {
  const auto n = static_cast<std::int64_t>(reduced.diagonal.size());
  std::vector<double> rows(n * stride, 0.0);
  for_each_block(n, kRowsAtOnce, n < kWorthThreads ? 1 : threads, [&](const WorkBlock& block) {
    for (std::int64_t i = block.begin; i < block.end; ++i) rows[i * stride + i] = 1.0;
    for (std::int64_t k = std::min(block.end, n) - 2; k >= 0; --k) {
      if (reduced.scale[k] == 0.0) continue;
      const double* v = reduced.vectors.row(k).data() + k + 1;
      for (std::int64_t i = std::max(block.begin, k + 1); i < block.end; ++i)
        context.kernels.reflect(n - k - 1, rows.data() + i * stride + k + 1, reduced.scale[k], v);
    }
  });
  return rows;
}

// Rotations wait until there are many: then every thread takes them through columns of its own.
class Rotations {
 public:
  Rotations(const Context& context, int threads, std::vector<double>& rows, std::int64_t stride)
      : context_(context), threads_(threads), rows_(rows), stride_(stride) {}

  void add(const Rotation& rotation) { waiting_.push_back(rotation); }
  void apply_if_many() {
    if (waiting_.size() >= kRotationsAtOnce) apply();
  }
  void apply() {
    const std::int64_t cols = context_.kernels.rotated_cols;
    for_each_item(stride_ / cols, stride_ < kWorthThreads ? 1 : threads_, [&](std::int64_t block, int) {
      context_.kernels.rotate(std::ssize(waiting_), waiting_.data(), rows_.data() + block * cols, stride_);
    });
    waiting_.clear();
  }

 private:
  const Context& context_;
  int threads_;
  std::vector<double>& rows_;
  std::int64_t stride_;
  std::vector<Rotation> waiting_;
};

// One sweep of QL with Wilkinson's shift over the block [first, last] of T, from its end to its beginning.
void sweep(std::int64_t first, std::int64_t last, std::vector<double>& d, std::vector<double>& e,
           Rotations& rotations) {
  const double half_gap = (d[first + 1] - d[first]) / (2.0 * e[first]);
  const double shift = d[first] - e[first] / (half_gap + std::copysign(std::hypot(half_gap, 1.0), half_gap));
  double c = 1.0, s = 1.0, moved = 0.0, bulge = d[last] - shift;
  for (std::int64_t i = last - 1; i >= first; --i) {
    const double outside = s * e[i], inside = c * e[i];
    const double length = std::hypot(outside, bulge);
    e[i + 1] = length;
    if (length == 0.0) {  // the block falls apart here
      d[i + 1] -= moved;
      e[last] = 0.0;
      return;
    }
    s = outside / length;
    c = bulge / length;
    const double before = d[i + 1] - moved;
    const double turned = (d[i] - before) * s + 2.0 * c * inside;
    moved = s * turned;
    d[i + 1] = before + moved;
    bulge = c * turned - inside;
    rotations.add({i, c, s});
  }
  d[first] -= moved;
  e[first] = bulge;
  e[last] = 0.0;
}

// What joins two blocks counts as zero where it is below the rounding errors of the largest entries: the
// reduction has brought in as much. Against its neighbours alone, noise beside noise would never vanish.
void diagonalize(std::vector<double>& d, std::vector<double>& e, Rotations& rotations) {
  const auto n = std::ssize(d);
  double norm = 0.0;
  for (std::int64_t k = 0; k < n; ++k) norm = std::max(norm, std::abs(d[k]) + std::abs(e[k]));
  const double tiny = std::numeric_limits<double>::epsilon() * norm;
  for (std::int64_t first = 0; first < n; ++first)
    for (int sweeps = 0;; ++sweeps) {
      std::int64_t last = first;
      while (last + 1 < n && !(std::abs(e[last]) <= tiny)) ++last;
      if (last == first) break;
      if (sweeps == kMostSweeps) throw Error("eigenvalue decomposition failed");
      sweep(first, last, d, e, rotations);
      rotations.apply_if_many();
    }
  rotations.apply();
}

}  // namespace

Eigenpairs symmetric_eigenpairs(const Context& context, const Matrix<double>& symmetric) {
  const auto n = static_cast<std::int64_t>(symmetric.rows());
  const int threads = resolve_threads(context.threads);
  Matrix<double> scaled = symmetric;  // by its largest entry, whose square could be too large or vanish
  double largest = 0.0;
  for (const double value : symmetric.values()) largest = std::max(largest, std::abs(value));
  if (largest > 0.0)
    for (double& value : scaled.values()) value /= largest;

  Tridiagonal reduced = reduce(context, threads, std::move(scaled));
  const std::int64_t stride = (n + kWidestVectors - 1) / kWidestVectors * kWidestVectors;
  std::vector<double> rows = transposed_q(context, threads, reduced, stride);
  Rotations rotations(context, threads, rows, stride);
  diagonalize(reduced.diagonal, reduced.beside, rotations);

  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t k) { return reduced.diagonal[k]; });
  Eigenpairs result{std::vector<double>(n), Matrix<double>(n, n)};
  for (std::int64_t k = 0; k < n; ++k) {
    result.values[k] = reduced.diagonal[order[k]] * largest;
    std::copy_n(rows.begin() + order[k] * stride, n, result.vectors.row(k).begin());
  }
  return result;
}

}  // namespace causcale::linalg
