// Cholesky and LU factors and what is made of them, in place, by halving down to blocks of kLeaf: nearly all
// the work is in products. Matrices are row-major with a stride.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/product.h"

namespace causcale::linalg {

// The upper triangle of a symmetric A [n, n] becomes U with A = U^T U, below it lies nothing of use. False,
// A then being spoilt, when A is not positive definite.
bool cholesky(const Context& context, std::int64_t n, double* a, std::int64_t stride);

// The upper triangle becomes its inverse; blocks of kLeaf on the diagonal get zeros below it.
void invert_upper(const Context& context, std::int64_t n, double* a, std::int64_t stride);

// The upper triangle of A, as invert_upper leaves it, becomes that of A A^T.
void square_upper(const Context& context, std::int64_t n, double* a, std::int64_t stride);

// P A = L U with ones on the diagonal of L. Row i was exchanged with row pivots[i], one after the other.
// False, A then being spoilt, when a pivot is zero or not a number.
bool lu(const Context& context, std::int64_t n, double* a, std::int64_t stride,
        std::vector<std::int64_t>& pivots);

// B [m, n] = B L^-1 with the L that lu() leaves.
void divide_by_unit_lower(const Context& context, std::int64_t m, std::int64_t n, const double* l,
                          std::int64_t l_stride, double* b, std::int64_t b_stride);

}  // namespace causcale::linalg
