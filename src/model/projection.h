// Linear, GELU, LayerNorm, Linear: the small network of the u and v features and of the head.
#pragma once

#include "model/parameters.h"

namespace causcale {

at::Tensor project(const ProjectionParams& params, const at::Tensor& x);

}  // namespace causcale
