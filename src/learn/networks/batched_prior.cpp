#include "learn/networks/batched_prior.h"

#include <ATen/ATen.h>

#include <limits>

#include "prior/covariance.h"
#include "prior/precision.h"

namespace causcale {

namespace {

// As centred_values; rows that do not count become zero.
at::Tensor centred(const at::Tensor& values, const at::Tensor& rows, const at::Tensor& count,
                   const at::Tensor& standardized) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const at::Tensor finite = at::nan_to_num(values, 0.0, kLargestValue, -kLargestValue);
  const at::Tensor x = at::where(standardized, finite, finite.clamp(-kLargestValue, kLargestValue));
  const at::Tensor left_out = rows == 0;
  const at::Tensor varies =
      x.masked_fill(left_out, -kInfinity).amax(2, true) > x.masked_fill(left_out, kInfinity).amin(2, true);
  at::Tensor c = (x - (x * rows).sum(2, true) / count) * rows;
  c = (c - c.sum(2, true) / count) * rows * varies;
  const at::Tensor deviation = (c.square().sum(2, true) / count).sqrt();
  return c / deviation.masked_fill(deviation.eq(0).logical_or(standardized.logical_not()), 1.0);
}

// As ledoit_wolf, from the centred values and their covariance with divisor m.
at::Tensor shrunk(const at::Tensor& c, const at::Tensor& covariance, const at::Tensor& count) {
  const auto n = static_cast<double>(covariance.size(1));
  const at::Tensor trace = covariance.diagonal(0, 1, 2).sum(1).view({-1, 1, 1});
  const at::Tensor mean_variance = trace / n;
  const at::Tensor squares = covariance.square().sum({1, 2}, true);
  const at::Tensor mean_fourth = c.square().sum(1, true).square().sum(2, true) / count;
  const at::Tensor dispersion = squares - mean_variance * trace;
  at::Tensor shrinkage = ((mean_fourth - squares) / count / dispersion).clamp(0.0, 1.0);
  shrinkage = shrinkage.masked_fill(dispersion.le(0), 0.0);
  at::Tensor result = covariance * (1.0 - shrinkage);
  result.diagonal(0, 1, 2).add_((shrinkage * mean_variance).view({-1, 1}));
  return result;
}

at::Tensor batched_pseudo_inverse(const at::Tensor& symmetric) {
  const auto [values, vectors] = at::linalg_eigh(symmetric, "L");
  const at::Tensor size = values.abs();
  const at::Tensor dropped = size <= kSmallestEigenvalue * size.amax(1, true);
  const at::Tensor inverse = values.reciprocal().masked_fill(dropped, 0.0);
  return at::matmul(vectors * inverse.unsqueeze(1), vectors.transpose(1, 2));
}

at::Tensor one_norm(const at::Tensor& matrices) {
  return matrices.abs().sum(1).amax(1);
}

// Cholesky for all, eigenvalues only for those whose condition is worse than the limit. The product of the
// norms bounds the ratio of the extreme eigenvalues, so a matrix that passes would have dropped none.
at::Tensor inverse(const at::Tensor& symmetric, double least_condition) {
  const auto [factor, failed] = at::linalg_cholesky_ex(symmetric, /*upper=*/false, /*check_errors=*/false);
  const at::Tensor identity = at::eye(symmetric.size(1), symmetric.options()).expand_as(symmetric);
  const at::Tensor half = at::linalg_solve_triangular(factor, identity, /*upper=*/false);
  at::Tensor result = at::matmul(half.transpose(1, 2), half);
  const at::Tensor condition = (one_norm(symmetric) * one_norm(result)).reciprocal();
  const at::Tensor good = (condition >= least_condition).logical_and(failed.eq(0));
  const at::Tensor rest = good.logical_not().nonzero().view(-1);
  if (rest.numel() > 0) result.index_copy_(0, rest, batched_pseudo_inverse(symmetric.index_select(0, rest)));
  return result;
}

}  // namespace

at::Tensor batched_precision(const at::Tensor& values, const at::Tensor& rows,
                             const at::Tensor& standardized) {
  const at::Tensor count = rows.sum(2, true);
  return precision_of_centred(centred(values, rows, count, standardized), count);
}

at::Tensor precision_of_centred(const at::Tensor& centred, const at::Tensor& count) {
  const at::Tensor squares = at::matmul(centred, centred.transpose(1, 2));
  if (static_cast<std::size_t>(centred.size(1)) >= kLedoitWolfFrom)
    return inverse(shrunk(centred, squares / count, count), kLeastCondition);
  return inverse(squares / (count - 1), kSmallestEigenvalue);
}

}  // namespace causcale
