// The inner loops of dense algebra in double precision, one table per instruction set.
#pragma once

#include <cstdint>
#include <vector>

namespace causcale::linalg {

inline constexpr std::int64_t kLeaf = 64;  // triangles up to this size are done by the plain loops below

// A product is cut into blocks of so many rows and columns, which tiles fill without rest.
inline constexpr std::int64_t kRowBlock = 96;
inline constexpr std::int64_t kColumnBlock = 480;

// Rows `row` and `row` + 1 become c row - s (row + 1) and s row + c (row + 1).
struct Rotation {
  std::int64_t row;
  double c, s;
};

struct Kernels {
  const char* name;
  std::int64_t rows, cols;  // of one tile

  // C [rows, cols] = (accumulate ? C : 0) + alpha A B for one tile, of which the first `used_rows` and
  // `used_cols` are stored. A is packed depth by depth, `rows` values each; B likewise, `cols` values each.
  void (*tile)(std::int64_t depth, const double* a, const double* b, double* c, std::int64_t c_stride,
               std::int64_t used_rows, std::int64_t used_cols, double alpha, bool accumulate);

  // Triangles of size n <= kLeaf, row-major.
  // The upper triangle of A becomes U with A = U^T U; false when A is not positive definite.
  bool (*cholesky)(std::int64_t n, double* a, std::int64_t stride);
  // to = U^-1 with zeros below the diagonal; `to` may be `from`.
  void (*invert_upper)(std::int64_t n, const double* from, std::int64_t from_stride, double* to,
                       std::int64_t to_stride);
  // to = L^-1 with zeros above the diagonal, of the L with ones on the diagonal below that of `from`.
  void (*invert_unit_lower)(std::int64_t n, const double* from, std::int64_t from_stride, double* to,
                            std::int64_t to_stride);

  // For eigenvectors.
  // row -= a w + b v; the sum of row * next.
  double (*update_and_dot)(std::int64_t n, double* row, double a, const double* w, double b, const double* v,
                           const double* next);
  // row -= scale (row . v) v.
  void (*reflect)(std::int64_t n, double* row, double scale, const double* v);
  // The rotations one after the other on `rotated_cols` columns.
  void (*rotate)(std::int64_t count, const Rotation* rotations, double* rows, std::int64_t stride);
  std::int64_t rotated_cols;
};

const Kernels* base_kernels();
const Kernels* avx2_kernels();    // null where not compiled
const Kernels* avx512_kernels();  // null where not compiled

// What this processor can run, slowest first; never empty.
std::vector<const Kernels*> available_kernels();

// The fastest of them, or the one that the environment variable CAUSCALE_ISA names; a name that stands for no
// table here (amx) means the fastest.
const Kernels& chosen_kernels();

}  // namespace causcale::linalg
