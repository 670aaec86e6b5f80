#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "causcale/error.h"
#include "causcale/matrix.h"
#include "linalg/eigen.h"
#include "linalg/triangular.h"
#include "methods/dense_product.h"
#include "prior/dense_algebra.h"

namespace causcale {
namespace {

using linalg::Context;
using linalg::Kernels;
using linalg::Part;

Matrix<double> random_matrix(std::size_t rows, std::size_t cols, std::uint32_t seed) {
  RandomStream random(seed, rows, cols);
  Matrix<double> result(rows, cols);
  for (double& value : result.values()) value = random.normal();
  return result;
}

Matrix<double> plain_product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> result(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k)
      for (std::size_t j = 0; j < b.cols(); ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}

Matrix<double> transpose(const Matrix<double>& a) {
  Matrix<double> result(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  return result;
}

// Symmetric with eigenvalues of at least `least`.
Matrix<double> random_positive_definite(std::size_t n, double least, std::uint32_t seed) {
  const Matrix<double> root = random_matrix(n, n, seed);
  Matrix<double> result = plain_product(root, transpose(root));
  for (double& value : result.values()) value /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) result(i, i) += least;
  return result;
}

double distance_from_identity(const Matrix<double>& a) {
  double result = 0.0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j)
      result = std::max(result, std::abs(a(i, j) - (i == j ? 1.0 : 0.0)));
  return result;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    result = std::max(result, std::abs(a.values()[i] - b.values()[i]));
  return result;
}

class EveryKernel : public testing::TestWithParam<const Kernels*> {};
INSTANTIATE_TEST_SUITE_P(Isa, EveryKernel, testing::ValuesIn(linalg::available_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

struct Sizes {
  std::int64_t m, n, depth;
};
constexpr Sizes kSizes[] = {{1, 1, 1},   {3, 5, 7},     {8, 24, 256},  {9, 25, 257},
                            {97, 31, 3}, {13, 481, 19}, {100, 100, 1}, {150, 133, 521}};

TEST_P(EveryKernel, MultipliesLikeThePlainLoops) {
  for (const auto& [m, n, depth] : kSizes) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << depth);
    const Matrix<double> a = random_matrix(m, depth, 1), b = random_matrix(depth, n, 2);
    const Matrix<double> expected = plain_product(a, b), before = random_matrix(m, n, 3);
    for (const bool a_transposed : {false, true})
      for (const bool b_transposed : {false, true})
        for (const bool accumulate : {false, true}) {
          const Matrix<double> a_stored = a_transposed ? transpose(a) : a;
          const Matrix<double> b_stored = b_transposed ? transpose(b) : b;
          const linalg::View a_view =
              a_transposed ? linalg::View{a_stored.data(), 1, m} : linalg::View{a_stored.data(), depth, 1};
          const linalg::View b_view =
              b_transposed ? linalg::View{b_stored.data(), 1, depth} : linalg::View{b_stored.data(), n, 1};
          Matrix<double> result = before;
          linalg::multiply({*GetParam(), 2}, m, n, depth, -0.5, a_view, b_view, result.data(), n, accumulate);
          for (std::size_t i = 0; i < result.size(); ++i)
            ASSERT_NEAR(result.values()[i],
                        -0.5 * expected.values()[i] + (accumulate ? before.values()[i] : 0.0),
                        1e-13 * static_cast<double>(depth));
        }
  }
}

TEST_P(EveryKernel, MultipliesOnlyTheUpperTriangle) {
  const std::int64_t n = 203;
  const Matrix<double> x = random_matrix(50, n, 4);
  const Matrix<double> expected = plain_product(transpose(x), x);
  Matrix<double> result(n, n, 7.0);
  linalg::multiply({*GetParam(), 2}, n, n, 50, 1.0, {x.data(), 1, n}, {x.data(), n, 1}, result.data(), n,
                   false, Part::kUpper);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i; j < n; ++j) ASSERT_NEAR(result(i, j), expected(i, j), 1e-12);
  EXPECT_EQ(result(n - 1, 0), 7.0);
}

TEST_P(EveryKernel, MultipliesInPlace) {
  const std::int64_t n = 61, m = 700;
  const Matrix<double> t = random_matrix(n, n, 5), tall = random_matrix(m, n, 6), wide = transpose(tall);
  const Context context{*GetParam(), 2};
  Matrix<double> result = wide;
  linalg::multiply(context, n, m, n, 1.0, {t.data(), n, 1}, {result.data(), m, 1}, result.data(), m, false);
  EXPECT_LE(largest_difference(result, plain_product(t, wide)), 1e-12);
  result = tall;
  linalg::multiply(context, m, n, n, 1.0, {result.data(), n, 1}, {t.data(), n, 1}, result.data(), n, false);
  EXPECT_LE(largest_difference(result, plain_product(tall, t)), 1e-12);
}

TEST_P(EveryKernel, FactorsAndInvertsTriangles) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 130, 257}) {
    SCOPED_TRACE(n);
    const Context context{*GetParam(), 2};
    const Matrix<double> a = random_positive_definite(n, 0.1, 7);
    Matrix<double> factor = a;
    ASSERT_TRUE(linalg::cholesky(context, n, factor.data(), n));
    Matrix<double> upper(n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i; j < n; ++j) upper(i, j) = factor(i, j);
    EXPECT_LE(largest_difference(plain_product(transpose(upper), upper), a), 1e-13);

    linalg::invert_upper(context, n, factor.data(), n);
    Matrix<double> inverse(n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i; j < n; ++j) inverse(i, j) = factor(i, j);
    EXPECT_LE(distance_from_identity(plain_product(upper, inverse)), 1e-12);

    linalg::square_upper(context, n, factor.data(), n);
    const Matrix<double> square = plain_product(inverse, transpose(inverse));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i; j < n; ++j)
        ASSERT_NEAR(factor(i, j), square(i, j), 1e-12 * std::abs(square(i, i)));
  }
}

TEST_P(EveryKernel, FactorsGeneralMatrices) {
  for (const std::int64_t n : {1, 15, 16, 17, 64, 100, 203}) {
    SCOPED_TRACE(n);
    const Context context{*GetParam(), 2};
    const Matrix<double> a = random_matrix(n, n, 8);
    Matrix<double> factor = a, permuted = a;
    std::vector<std::int64_t> pivots;
    ASSERT_TRUE(linalg::lu(context, n, factor.data(), n, pivots));
    for (std::int64_t k = 0; k < n; ++k)
      if (pivots[k] != k)
        std::swap_ranges(permuted.row(k).begin(), permuted.row(k).end(), permuted.row(pivots[k]).begin());
    Matrix<double> lower(n, n), upper(n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        (j < i ? lower : upper)(i, j) = factor(i, j);
        lower(i, i) = 1.0;
        ASSERT_TRUE(j >= i || std::abs(factor(i, j)) <= 1.0) << "the pivot is not the largest";
      }
    EXPECT_LE(largest_difference(plain_product(lower, upper), permuted), 1e-12);
    Matrix<double> quotient = permuted;
    linalg::divide_by_unit_lower(context, n, n, factor.data(), n, quotient.data(), n);
    EXPECT_LE(largest_difference(plain_product(quotient, lower), permuted), 1e-11);
  }
}

double largest(const Matrix<double>& a) {
  double result = 0.0;
  for (const double value : a.values()) result = std::max(result, std::abs(value));
  return result;
}

void expect_eigenpairs(const Matrix<double>& a, const linalg::Eigenpairs& found) {
  const std::size_t n = a.rows();
  EXPECT_LE(distance_from_identity(plain_product(found.vectors, transpose(found.vectors))), 1e-13 * n);
  Matrix<double> scaled = found.vectors;
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_TRUE(k == 0 || found.values[k - 1] <= found.values[k]);
    for (double& value : scaled.row(k)) value *= found.values[k];
  }
  EXPECT_LE(largest_difference(plain_product(transpose(found.vectors), scaled), a), 1e-14 * n * largest(a));
}

TEST_P(EveryKernel, FindsEigenpairs) {
  const Context context{*GetParam(), 2};
  for (const std::size_t n : {1, 2, 3, 5, 17, 32, 33, 100, 203}) {
    SCOPED_TRACE(n);
    const Matrix<double> root = random_matrix(n, n, 20);
    Matrix<double> a(n, n), chain(n, n), few(n, n, 2.0);  // eigenvalues of both signs, known, mostly equal
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a(i, j) = root(i, j) + root(j, i);
      chain(i, i) = 2.0;
      if (i > 0) chain(i, i - 1) = chain(i - 1, i) = -1.0;
    }
    expect_eigenpairs(a, linalg::symmetric_eigenpairs(context, a));
    expect_eigenpairs(few, linalg::symmetric_eigenpairs(context, few));
    const Matrix<double> thin = random_matrix(3, n, 23);
    const Matrix<double> of_low_rank = plain_product(transpose(thin), thin);
    expect_eigenpairs(of_low_rank, linalg::symmetric_eigenpairs(context, of_low_rank));
    const linalg::Eigenpairs found = linalg::symmetric_eigenpairs(context, chain);
    expect_eigenpairs(chain, found);
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_NEAR(found.values[k], 2.0 - 2.0 * std::cos(M_PI * (k + 1.0) / (n + 1.0)), 1e-13);
    for (const double unit : {1e-200, 1e200}) {
      Matrix<double> other = a;
      for (double& value : other.values()) value *= unit;
      const linalg::Eigenpairs pairs = linalg::symmetric_eigenpairs(context, other);
      EXPECT_NEAR(pairs.values[0] / unit, linalg::symmetric_eigenpairs(context, a).values[0],
                  1e-13 * n * largest(a));
    }
    const linalg::Eigenpairs zero = linalg::symmetric_eigenpairs(context, Matrix<double>(n, n));
    EXPECT_EQ(zero.values, std::vector<double>(n, 0.0));
  }
}

TEST_P(EveryKernel, RefusesWhatIsNotPositiveDefinite) {
  const Context context{*GetParam(), 1};
  for (const std::size_t at : {std::size_t{0}, std::size_t{70}, std::size_t{149}})
    for (const double value : {-1.0, 0.0, std::nan(""), -std::numeric_limits<double>::infinity()}) {
      Matrix<double> a = random_positive_definite(150, 0.1, 9);
      a(at, at) = value;
      EXPECT_FALSE(linalg::cholesky(context, 150, a.data(), 150)) << at << " " << value;
    }
}

TEST(DenseAlgebra, ThreadsDoNotChangeTheResult) {
  const std::int64_t n = 700;
  const Matrix<double> spd = random_positive_definite(n, 0.1, 10);
  const auto inverse = [&](int threads) {
    const Context context{linalg::chosen_kernels(), threads};
    Matrix<double> a = spd;
    EXPECT_TRUE(linalg::cholesky(context, n, a.data(), n));
    linalg::invert_upper(context, n, a.data(), n);
    linalg::square_upper(context, n, a.data(), n);
    for (std::int64_t i = 0; i < n; ++i) std::fill_n(a.row(i).begin(), i, 0.0);
    return a;
  };
  const Matrix<double> one = inverse(1);
  EXPECT_EQ(one, inverse(2));
  EXPECT_EQ(one, inverse(5));
}

TEST(DenseAlgebra, ThreadsDoNotChangeEigenvectors) {
  const Matrix<double> a = random_positive_definite(400, 0.1, 21);
  const linalg::Eigenpairs one = linalg::symmetric_eigenpairs({linalg::chosen_kernels(), 1}, a);
  const linalg::Eigenpairs three = linalg::symmetric_eigenpairs({linalg::chosen_kernels(), 3}, a);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.vectors, three.vectors);
}

TEST(DenseAlgebra, EigenpairsOfWhatIsNotANumber) {
  Matrix<double> a = random_positive_definite(40, 0.1, 22);
  a(3, 5) = a(5, 3) = std::nan("");
  EXPECT_THROW(linalg::symmetric_eigenpairs({}, a), Error);
}

TEST(DenseAlgebra, InvertsPositiveDefiniteMatrices) {
  for (const std::size_t n : {1, 3, 64, 100, 301}) {
    const Matrix<double> a = random_positive_definite(n, 0.1, 11);
    Matrix<double> inverse = a;
    ASSERT_TRUE(invert_positive_definite(inverse, 1e-12));
    EXPECT_LE(distance_from_identity(plain_product(a, inverse)), 1e-11) << n;
    EXPECT_EQ(inverse, transpose(inverse));
  }
}

// Diagonal plus rank one: the condition is known, and so is the inverse.
TEST(DenseAlgebra, TellsHowFarFromSingular) {
  for (const double small : {1e-3, 1e-6, 1e-9, 1e-11}) {
    const std::size_t n = 90;
    Matrix<double> a(n, n, 1.0);
    for (std::size_t i = 0; i < n; ++i) a(i, i) += small;
    Matrix<double> inverse = a;
    ASSERT_TRUE(invert_positive_definite(inverse, small * 1e-3)) << small;
    const double off = -1.0 / (small * (small + n)), on = 1.0 / small + off;
    EXPECT_NEAR(inverse(3, 3), on, on * 1e-13 / small);
    EXPECT_NEAR(inverse(3, 80), off, on * 1e-13 / small);
    EXPECT_FALSE(invert_positive_definite(a, small * 0.1)) << small;
  }
  Matrix<double> singular(80, 80, 1.0);
  EXPECT_FALSE(invert_positive_definite(singular, 1e-12));
  Matrix<double> not_finite = random_positive_definite(80, 0.1, 12);
  not_finite(3, 70) = not_finite(70, 3) = std::nan("");
  EXPECT_FALSE(invert_positive_definite(not_finite, 1e-12));
}

TEST(DenseAlgebra, InvertsGeneralMatricesWithTheirDeterminant) {
  for (const std::size_t n : {1, 2, 16, 63, 64, 65, 150}) {
    const Matrix<double> a = random_matrix(n, n, 13);
    Matrix<double> inverse = a;
    double log_determinant = 0.0;
    ASSERT_TRUE(invert_with_log_determinant(inverse, log_determinant));
    EXPECT_LE(distance_from_identity(plain_product(a, inverse)), 1e-9) << n;
    double back = 0.0;
    ASSERT_TRUE(invert_with_log_determinant(inverse, back));
    EXPECT_NEAR(log_determinant, -back, 1e-9 * static_cast<double>(n));
  }
  Matrix<double> known(2, 2, std::vector<double>{0.0, 2.0, 3.0, 1.0});
  double log_determinant = 0.0;
  ASSERT_TRUE(invert_with_log_determinant(known, log_determinant));
  EXPECT_NEAR(log_determinant, std::log(6.0), 1e-15);
  EXPECT_NEAR(known(0, 1), 1.0 / 3.0, 1e-15);
  Matrix<double> singular = random_matrix(70, 70, 14);
  for (std::size_t j = 0; j < 70; ++j) singular(40, j) = 0.0;
  EXPECT_FALSE(invert_with_log_determinant(singular, log_determinant));
}

TEST(DenseAlgebra, EmptyMatrices) {
  EXPECT_TRUE(gram(Matrix<double>(5, 0)).empty());
  EXPECT_EQ(gram(Matrix<double>(0, 2)), Matrix<double>(2, 2, 0.0));
  EXPECT_EQ(dense_product(Matrix<double>(2, 0), Matrix<double>(0, 3)), Matrix<double>(2, 3, 0.0));
}

}  // namespace
}  // namespace causcale
