// Smooth measures of how far a weighted graph is from being acyclic, for sparse weights.
//
// Both measures are functions of A = W o W. A cycle stays within one strongly connected component, so the
// value is a sum over components, and its gradient at an edge between components is zero. Only the
// components' blocks are therefore worked on; they shrink as the weights become acyclic.
#pragma once

#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Edges sorted by (source, target), each with a weight; weights of zero count as absent.
struct SparseWeights {
  int nodes = 0;
  std::span<const Edge> edges;
  std::span<const double> weights;
};

// Both give the derivative by the squared weights; that by the weights themselves is 2 w times it, and twice
// it the main part of the second derivative. Edges of weight zero between components get a zero.

// tr(exp(A)) - n (Zheng et al. 2018); infinity when the exponential overflows.
double trace_exponential(const SparseWeights& w, int threads, std::span<double> by_square);

// n log s - log det(s I - A) (Bello et al. 2022); infinity outside the domain, where s I - A is no M-matrix.
double negative_log_determinant(const SparseWeights& w, double s, std::span<double> by_square);

}  // namespace causcale
