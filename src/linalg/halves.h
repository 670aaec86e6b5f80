// How triangles are halved, and triangular products and solutions that the factorisations share.
#pragma once

#include "linalg/product.h"

namespace causcale::linalg {

// The size of the first part: a multiple of kLeaf near the middle, for n > kLeaf.
inline std::int64_t first_half(std::int64_t n) {
  return (n / 2 + kLeaf - 1) / kLeaf * kLeaf;
}

inline View plain(const double* data, std::int64_t stride) {
  return {data, stride, 1};
}
inline View transposed(const double* data, std::int64_t stride) {
  return {data, 1, stride};
}

// Triangles T [n, n] are upper with zeros below the diagonal in the diagonal's blocks of kLeaf.
// B [n, m] = T B.
void multiply_left(const Context& context, std::int64_t n, std::int64_t m, const double* t,
                   std::int64_t t_stride, double* b, std::int64_t b_stride);
// B [m, n] = B T.
void multiply_right(const Context& context, std::int64_t m, std::int64_t n, const double* t,
                    std::int64_t t_stride, double* b, std::int64_t b_stride);
// B [m, n] = B T^T.
void multiply_right_transposed(const Context& context, std::int64_t m, std::int64_t n, const double* t,
                               std::int64_t t_stride, double* b, std::int64_t b_stride);

// B [n, m] = L^-1 B with the L below the diagonal of `l`, ones on its diagonal.
void divide_unit_lower(const Context& context, std::int64_t n, std::int64_t m, const double* l,
                       std::int64_t l_stride, double* b, std::int64_t b_stride);

}  // namespace causcale::linalg
