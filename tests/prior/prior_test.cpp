#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.h"
#include "causcale/error.h"
#include "prior/dense_algebra.h"
#include "prior/precision.h"
#include "prior/shrinkage.h"
#include "support/golden.h"

namespace causcale {
namespace {

Matrix<double> normal_values(std::size_t m, std::size_t n, std::uint64_t seed) {
  RandomStream random(seed, 0, 0);
  Matrix<double> values(m, n);
  for (double& value : values.values()) value = random.normal();
  return values;
}

double largest(const Matrix<double>& matrix) {
  double result = 0.0;
  for (double value : matrix.values()) result = std::max(result, std::abs(value));
  return result;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    result = std::max(result, std::abs(a.values()[i] - b.values()[i]));
  return result;
}

void expect_finite_and_symmetric(const Matrix<double>& prior) {
  for (std::size_t i = 0; i < prior.rows(); ++i)
    for (std::size_t j = 0; j < prior.cols(); ++j) {
      ASSERT_TRUE(std::isfinite(prior(i, j))) << i << ", " << j;
      ASSERT_EQ(prior(i, j), prior(j, i)) << i << ", " << j;
    }
}

TEST(Prior, EqualsTheReference) {
  const auto info = nlohmann::json::parse(test::golden_text("prior/info.json"));
  int cases = 0;
  for (const auto& [name, about] : info.items()) {
    if (!test::golden_exists("prior/" + name + "_data.npy")) continue;
    SCOPED_TRACE(name);
    const Matrix<double> data = test::golden_matrix("prior/" + name + "_data.npy");
    const Matrix<double> expected = test::golden_matrix("prior/" + name + "_prior.npy");
    const Matrix<double> prior = precision_prior(data);
    expect_finite_and_symmetric(prior);
    EXPECT_LE(largest_difference(prior, expected), 1e-8 * largest(expected));
    if (about.contains("shrinkage")) {
      const ShrunkCovariance shrunk = ledoit_wolf(centred_values(data, std::nullopt, 0, PriorScale::kRaw));
      EXPECT_NEAR(shrunk.shrinkage, about["shrinkage"].get<double>(), 1e-10);
      EXPECT_NEAR(shrunk.mean_variance, about["mean_variance_mu"].get<double>(), 1e-10);
    }
    ++cases;
  }
  EXPECT_GE(cases, 1);
}

// Every entry, not just the largest, where the covariance is well conditioned.
TEST(Prior, EqualsTheReferenceInEveryEntry) {
  const Matrix<double> expected = test::golden_matrix("prior/n8_m100_prior.npy");
  const Matrix<double> prior = precision_prior(test::golden_matrix("prior/n8_m100_data.npy"));
  for (std::size_t i = 0; i < prior.size(); ++i)
    EXPECT_NEAR(prior.values()[i], expected.values()[i], 1e-8 * std::abs(expected.values()[i]));
}

TEST(Prior, InvertsTheCovariance) {
  for (const auto method : {PriorMethod::kPseudoInverse, PriorMethod::kLedoitWolf}) {
    const Matrix<double> values = normal_values(60, 12, 7);
    const Matrix<double> centred = centred_values(values, std::nullopt, 0, PriorScale::kRaw);
    const Matrix<double> inverted =
        method == PriorMethod::kLedoitWolf ? ledoit_wolf(centred).covariance : covariance(centred, 59.0);
    PriorOptions options;
    options.method = method;
    const Matrix<double> prior = precision_prior(values, options);
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j) {
        double product = 0.0;
        for (std::size_t k = 0; k < 12; ++k) product += inverted(i, k) * prior(k, j);
        EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 1e-12);
      }
  }
}

struct Hard {
  std::size_t m, n;
  const char* kind;
};
class HardTables : public testing::TestWithParam<Hard> {};

TEST_P(HardTables, GiveAFiniteSymmetricPrior) {
  const auto [m, n, kind] = GetParam();
  Matrix<double> values = normal_values(m, n, 11);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      if (kind == std::string("constant")) values(r, c) = 0.1 * (c + 1);
      if (kind == std::string("some constant") && c % 2) values(r, c) = 3.3;
      if (kind == std::string("duplicates")) values(r, c) = values(r, c % 2);
      if (kind == std::string("units")) values(r, c) *= std::pow(10.0, static_cast<double>(c % 13) - 6.0);
      if (kind == std::string("not finite") && (r + c) % 3 == 0) values(r, c) = c % 2 ? NAN : INFINITY;
    }
  for (const auto scale : {PriorScale::kRaw, PriorScale::kStandardized})
    for (const auto method : {PriorMethod::kAuto, PriorMethod::kPseudoInverse, PriorMethod::kLedoitWolf}) {
      PriorOptions options;
      options.scale = scale;
      options.method = method;
      expect_finite_and_symmetric(precision_prior(values, options));
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HardTables,
                         testing::Values(Hard{2, 1, "plain"}, Hard{2, 3, "plain"}, Hard{2, 120, "plain"},
                                         Hard{3, 150, "plain"}, Hard{50, 10, "constant"},
                                         Hard{50, 130, "constant"}, Hard{50, 10, "some constant"},
                                         Hard{50, 130, "some constant"}, Hard{40, 12, "duplicates"},
                                         Hard{40, 110, "duplicates"}, Hard{60, 13, "units"},
                                         Hard{60, 117, "units"}, Hard{30, 9, "not finite"},
                                         Hard{30, 101, "not finite"}));

TEST(Prior, StandardizedScaleForgetsUnits) {
  const Matrix<double> values = normal_values(80, 6, 3);
  Matrix<double> other = values;
  for (std::size_t r = 0; r < 80; ++r)
    for (std::size_t c = 0; c < 6; ++c)
      other(r, c) = 5.0 + other(r, c) * std::pow(2.0, static_cast<double>(c));
  Matrix<double> huge = values;  // beyond what raw values are clipped to
  for (double& value : huge.values()) value = 5e9 + 1e9 * value;
  PriorOptions options;
  options.scale = PriorScale::kStandardized;
  EXPECT_LE(largest_difference(precision_prior(values, options), precision_prior(other, options)), 1e-11);
  EXPECT_LE(largest_difference(precision_prior(values, options), precision_prior(huge, options)), 1e-9);
  EXPECT_GT(largest_difference(precision_prior(values), precision_prior(other)), 0.1);
}

TEST(Prior, RowsAreDrawnWithoutReplacementBySeed) {
  const auto rows = draw_rows(1000, 500, 5);
  EXPECT_EQ(rows.size(), 500u);
  EXPECT_EQ(std::set<std::size_t>(rows.begin(), rows.end()).size(), 500u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_LT(rows.back(), 1000u);
  EXPECT_EQ(rows, draw_rows(1000, 500, 5));
  EXPECT_NE(rows, draw_rows(1000, 500, 6));
  EXPECT_EQ(draw_rows(3, 500, 5), (std::vector<std::size_t>{0, 1, 2}));

  const Matrix<double> values = normal_values(100, 5, 9);
  PriorOptions options;
  options.rows = 40;
  options.seed = 5;
  const Matrix<double> prior = precision_prior(values, options);
  EXPECT_EQ(prior, precision_prior(values, options));
  Matrix<double> subset(40, 5);
  const auto chosen = draw_rows(100, 40, 5);
  for (std::size_t r = 0; r < 40; ++r) std::copy_n(values.row(chosen[r]).begin(), 5, subset.row(r).begin());
  EXPECT_EQ(prior, precision_prior(subset));
  options.rows = 100;
  EXPECT_EQ(precision_prior(values, options), precision_prior(values));
}

// Large enough for several blocks and threads.
TEST(Prior, LargeTablesAgreeWithTheDefinition) {
  const std::size_t n = 420;
  const Matrix<double> values = normal_values(300, n, 13);
  const Matrix<double> centred = centred_values(values, std::nullopt, 0, PriorScale::kRaw);
  const Matrix<double> s = covariance(centred, 300.0);
  EXPECT_NEAR(s(3, 400), s(400, 3), 0.0);
  double entry = 0.0;
  for (std::size_t r = 0; r < 300; ++r) entry += centred(r, 3) * centred(r, 400) / 300.0;
  EXPECT_NEAR(s(3, 400), entry, 1e-13);

  const Matrix<double> shrunk = ledoit_wolf(centred).covariance;
  for (const Matrix<double>& inverse : {precision_prior(values), pseudo_inverse(shrunk)}) {
    expect_finite_and_symmetric(inverse);
    for (std::size_t i : {0, 100, 419})
      for (std::size_t j = 0; j < n; ++j) {
        double product = 0.0;
        for (std::size_t k = 0; k < n; ++k) product += shrunk(i, k) * inverse(k, j);
        ASSERT_NEAR(product, i == j ? 1.0 : 0.0, 1e-10) << i << ", " << j;
      }
  }
  // The covariance itself has rank 299: what remains of the product is a projection of that trace.
  const Matrix<double> inverse = pseudo_inverse(s);
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) trace += s(i, k) * inverse(k, i);
  EXPECT_NEAR(trace, 299.0, 1e-7);
}

TEST(Prior, NeedsTwoRows) {
  EXPECT_THROW(precision_prior(Matrix<double>(1, 4, 1.0)), InputError);
  EXPECT_THROW(precision_prior(Matrix<double>(0, 4)), InputError);
}

TEST(Prior, BlocksOfRowsAddUpToTheWhole) {
  RandomStream random(4, 0, 0);
  for (const std::size_t rows : {2, 7, 100})
    for (const PriorScale scale : {PriorScale::kRaw, PriorScale::kStandardized}) {
      Matrix<double> values(rows, 5);
      for (double& value : values.values()) value = 3.0 + random.normal();
      for (std::size_t r = 0; r < rows; ++r) values(r, 3) = 1.5;
      const CentredRows centred(values, std::nullopt, 0, scale);
      const CentredMoments whole = centred_moments(centred_values(values, std::nullopt, 0, scale));
      for (const std::size_t block : {1, 2, 6, 99, 1000}) {
        const CentredMoments moments = centred_moments(centred, block);
        EXPECT_EQ(moments.rows, rows);
        EXPECT_NEAR(moments.mean_fourth, whole.mean_fourth, 1e-9 * whole.mean_fourth);
        for (std::size_t k = 0; k < whole.products.size(); ++k)
          EXPECT_NEAR(moments.products.values()[k], whole.products.values()[k],
                      1e-10 * static_cast<double>(rows));
      }
      // Chosen rows only.
      if (rows == 100) {
        EXPECT_EQ(centred_moments(CentredRows(values, 40, 9, scale)).products,
                  gram(centred_values(values, 40, 9, scale)));
      }
    }
}

}  // namespace
}  // namespace causcale
