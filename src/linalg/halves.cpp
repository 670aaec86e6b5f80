#include "linalg/halves.h"

#include <vector>

namespace causcale::linalg {

void multiply_left(const Context& context, std::int64_t n, std::int64_t m, const double* t,
                   std::int64_t t_stride, double* b, std::int64_t b_stride) {
  if (n <= kLeaf)
    return multiply(context, n, m, n, 1.0, plain(t, t_stride), plain(b, b_stride), b, b_stride, false);
  const std::int64_t half = first_half(n);
  double* lower = b + half * b_stride;
  multiply_left(context, half, m, t, t_stride, b, b_stride);
  multiply(context, half, m, n - half, 1.0, plain(t + half, t_stride), plain(lower, b_stride), b, b_stride,
           true);
  multiply_left(context, n - half, m, t + half * t_stride + half, t_stride, lower, b_stride);
}

void multiply_right(const Context& context, std::int64_t m, std::int64_t n, const double* t,
                    std::int64_t t_stride, double* b, std::int64_t b_stride) {
  if (n <= kLeaf)
    return multiply(context, m, n, n, 1.0, plain(b, b_stride), plain(t, t_stride), b, b_stride, false);
  const std::int64_t half = first_half(n);
  double* right = b + half;
  multiply_right(context, m, n - half, t + half * t_stride + half, t_stride, right, b_stride);
  multiply(context, m, n - half, half, 1.0, plain(b, b_stride), plain(t + half, t_stride), right, b_stride,
           true);
  multiply_right(context, m, half, t, t_stride, b, b_stride);
}

void multiply_right_transposed(const Context& context, std::int64_t m, std::int64_t n, const double* t,
                               std::int64_t t_stride, double* b, std::int64_t b_stride) {
  if (n <= kLeaf)
    return multiply(context, m, n, n, 1.0, plain(b, b_stride), transposed(t, t_stride), b, b_stride, false);
  const std::int64_t half = first_half(n);
  const double* right = b + half;
  multiply_right_transposed(context, m, half, t, t_stride, b, b_stride);
  multiply(context, m, half, n - half, 1.0, plain(right, b_stride), transposed(t + half, t_stride), b,
           b_stride, true);
  multiply_right_transposed(context, m, n - half, t + half * t_stride + half, t_stride, b + half, b_stride);
}

void divide_unit_lower(const Context& context, std::int64_t n, std::int64_t m, const double* l,
                       std::int64_t l_stride, double* b, std::int64_t b_stride) {
  if (n <= kLeaf) {
    std::vector<double> inverse(n * n);
    context.kernels.invert_unit_lower(n, l, l_stride, inverse.data(), n);
    return multiply(context, n, m, n, 1.0, plain(inverse.data(), n), plain(b, b_stride), b, b_stride, false);
  }
  const std::int64_t half = first_half(n);
  double* lower = b + half * b_stride;
  divide_unit_lower(context, half, m, l, l_stride, b, b_stride);
  multiply(context, n - half, m, half, -1.0, plain(l + half * l_stride, l_stride), plain(b, b_stride), lower,
           b_stride, true);
  divide_unit_lower(context, n - half, m, l + half * l_stride + half, l_stride, lower, b_stride);
}

}  // namespace causcale::linalg
