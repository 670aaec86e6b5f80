// Linear, GELU, LayerNorm, Linear: the small network of the u and v features and of the head.
#pragma once

#include "learn/networks/parameters.h"

namespace causcale {

at::Tensor project(const ProjectionParams& params, const at::Tensor& x);
// The last linear layer in two products, of its first rows and of the others: what the first say does not
// depend, to the last bit, on whether there are others.
at::Tensor project_in_parts(const ProjectionParams& params, const at::Tensor& x, std::int64_t first_rows);

}  // namespace causcale
