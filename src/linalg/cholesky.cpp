#include "linalg/halves.h"
#include "linalg/triangular.h"

namespace causcale::linalg {

namespace {

// Inverses of the blocks on the diagonal are kept: each is used once per halving above it.
class Factor {
 public:
  Factor(const Context& context, std::int64_t n, double* a, std::int64_t stride)
      : context_(context), a_(a), stride_(stride), inverses_(((n + kLeaf - 1) / kLeaf) * kLeaf * kLeaf) {}

  bool factor(std::int64_t first, std::int64_t n) {
    double* corner = at(first, first);
    if (n <= kLeaf) {
      if (!context_.kernels.cholesky(n, corner, stride_)) return false;
      context_.kernels.invert_upper(n, corner, stride_, inverse(first), n);
      return true;
    }
    const std::int64_t half = first_half(n), rest = n - half;
    double* right = at(first, first + half);
    if (!factor(first, half)) return false;
    divide(first, half, rest, right);
    multiply(context_, rest, rest, half, -1.0, transposed(right, stride_), plain(right, stride_),
             at(first + half, first + half), stride_, true, Part::kUpper);
    return factor(first + half, rest);
  }

 private:
  double* at(std::int64_t row, std::int64_t col) { return a_ + row * stride_ + col; }
  double* inverse(std::int64_t first) { return inverses_.data() + first * kLeaf; }

  // B [n, m] = U^-T B for the triangle U at `first`.
  void divide(std::int64_t first, std::int64_t n, std::int64_t m, double* b) {
    if (n <= kLeaf)
      return multiply(context_, n, m, n, 1.0, transposed(inverse(first), n), plain(b, stride_), b, stride_,
                      false);
    const std::int64_t half = first_half(n);
    double* lower = b + half * stride_;
    divide(first, half, m, b);
    multiply(context_, n - half, m, half, -1.0, transposed(at(first, first + half), stride_),
             plain(b, stride_), lower, stride_, true);
    divide(first + half, n - half, m, lower);
  }

  const Context& context_;
  double* a_;
  std::int64_t stride_;
  std::vector<double> inverses_;
};

}  // namespace

bool cholesky(const Context& context, std::int64_t n, double* a, std::int64_t stride) {
  return Factor(context, n, a, stride).factor(0, n);
}

void invert_upper(const Context& context, std::int64_t n, double* a, std::int64_t stride) {
  if (n <= kLeaf) return context.kernels.invert_upper(n, a, stride, a, stride);
  const std::int64_t half = first_half(n), rest = n - half;
  double *right = a + half, *corner = a + half * stride + half;
  invert_upper(context, half, a, stride);
  invert_upper(context, rest, corner, stride);
  multiply_left(context, half, rest, a, stride, right, stride);
  for (std::int64_t i = 0; i < half; ++i)
    for (std::int64_t j = 0; j < rest; ++j) right[i * stride + j] = -right[i * stride + j];
  multiply_right(context, half, rest, corner, stride, right, stride);
}

void square_upper(const Context& context, std::int64_t n, double* a, std::int64_t stride) {
  if (n <= kLeaf)
    return multiply(context, n, n, n, 1.0, plain(a, stride), transposed(a, stride), a, stride, false);
  const std::int64_t half = first_half(n), rest = n - half;
  double *right = a + half, *corner = a + half * stride + half;
  square_upper(context, half, a, stride);
  multiply(context, half, half, rest, 1.0, plain(right, stride), transposed(right, stride), a, stride, true,
           Part::kUpper);
  multiply_right_transposed(context, half, rest, corner, stride, right, stride);
  square_upper(context, rest, corner, stride);
}

}  // namespace causcale::linalg
