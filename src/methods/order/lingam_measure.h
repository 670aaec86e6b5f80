// The entropy approximation behind DirectLiNGAM's pairwise measure, made for long columns.
#pragma once

#include <cstddef>

namespace causcale {

// Hyvarinen's (1998) maximum-entropy approximation for a standardised variable u.
double approximate_entropy(const float* u, std::size_t rows);

// Of standardised columns with correlation `slope`: the entropies of what is left of each without the other,
// scale * (a - slope * b) and scale * (b - slope * a), both made standard by `scale`.
struct ResidualEntropies {
  double of_a, of_b;
};
ResidualEntropies residual_entropies(const float* a, const float* b, float slope, float scale,
                                     std::size_t rows);

}  // namespace causcale
