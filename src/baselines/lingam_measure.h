// The entropy approximation behind DirectLiNGAM's pairwise measure, made for long columns.
#pragma once

#include <cstddef>

namespace causcale {

// Hyvarinen's (1998) maximum-entropy approximation for a standardised variable u.
double approximate_entropy(const float* u, std::size_t rows);
// The same for scale * (a - slope * b), without writing it down.
double residual_entropy(const float* a, const float* b, float slope, float scale, std::size_t rows);

}  // namespace causcale
