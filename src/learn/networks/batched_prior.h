// The prior of many tables at once, as tensor operations: for data that is on a GPU or goes there anyway.
// src/prior holds the definition and the reference.
#pragma once

#include <ATen/core/Tensor.h>

namespace causcale {

// values [B, n, m] double, one row of it a variable; `rows` [B, 1, m] double, 1 for the rows that count and 0
// for the others; `standardized` [B, 1, 1] bool. Returns [B, n, n] double, with the method that precision.h
// chooses by the number of variables.
at::Tensor batched_precision(const at::Tensor& values, const at::Tensor& rows,
                             const at::Tensor& standardized);

// The same from values that centred_values has made: [B, n, m], zero in rows that do not count; `count` [B,
// 1, 1] of those that do.
at::Tensor precision_of_centred(const at::Tensor& centred, const at::Tensor& count);

}  // namespace causcale
