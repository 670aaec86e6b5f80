// Priors as tensor operations against those of src/prior.
#include "learn/networks/batched_prior.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "prior/precision.h"

namespace causcale {
namespace {

double largest(const at::Tensor& values) {
  return values.abs().max().item<double>();
}

TEST(BatchedPrecision, EqualsThePriorOfEachTable) {
  for (const int n : {1, 7, 40, 120}) {
    constexpr int kTables = 4, m = 70;
    at::Tensor values = at::empty({kTables, n, m}, at::kDouble);
    at::Tensor rows = at::ones({kTables, 1, m}, at::kDouble);
    at::Tensor standardized = at::tensor({0, 1, 0, 1}, at::kInt).to(at::kBool).view({kTables, 1, 1});
    RandomStream random(3, static_cast<std::uint32_t>(n), 0);
    for (int t = 0; t < kTables; ++t) {
      Matrix<double> table(m, n);
      PriorOptions options;
      options.scale = t % 2 ? PriorScale::kStandardized : PriorScale::kRaw;
      options.seed = 17;
      if (t >= 2) {
        options.rows = 50;
        rows[t].zero_();
        for (const std::size_t r : draw_rows(m, 50, 17)) rows[t][0][static_cast<std::int64_t>(r)] = 1.0;
      }
      for (int r = 0; r < m; ++r)
        for (int c = 0; c < n; ++c) {
          double value = random.normal() * (c % 3 + 1) + 10.0;
          if (c == 3) value = 4.2;                     // constant
          if (c == 5) value = table(r, 4);             // a copy: singular
          if (c == 6 && r == 0) value = std::nan("");  // counts as 0
          // Taken as it is; in a raw covariance, even clipped, it would bring all else to the verge of being
          // dropped.
          if (c == 6 && r == 1 && t % 2) value = 1e9;
          table(r, c) = value;
          values[t][c][r] = value;
        }
      const Matrix<double> expected = precision_prior(table, options);
      const at::Tensor wanted =
          at::from_blob(const_cast<double*>(expected.data()), {n, n}, at::kDouble).clone();
      const at::Tensor found =
          batched_precision(values.narrow(0, t, 1), rows.narrow(0, t, 1), standardized.narrow(0, t, 1))[0];
      EXPECT_LE(largest(found - wanted), 1e-7 * largest(wanted)) << n << " variables, table " << t;
    }
  }
}

}  // namespace
}  // namespace causcale
