// The last steps of discover, on plain numbers: which rows go into which pass, and which edges make up the
// graph.
#pragma once

#include <cstdint>
#include <vector>

#include "causcale/discover.h"

namespace causcale {

// Deals rows 0 .. rows-1 (already in canonical order, so grouped by regime) to `passes` subsets of at most
// `largest` rows. Each regime is spread evenly, and each subset is in ascending order. Seed 0 deals in order;
// another seed rotates who gets which row.
std::vector<std::vector<std::size_t>> deal_rows(std::size_t rows, int passes, std::size_t largest,
                                                std::uint64_t seed);

// Edges above the threshold (or the K most probable), required ones always; sorted.
std::vector<Edge> selected_edges(const DiscoverOptions& options, const Matrix<double>& probabilities);

// Fills result.graph, result.removed_edges and result.acyclic_price of edges that were chosen already.
void select_graph(const DiscoverOptions& options, std::vector<Edge> edges, DiscoverResult& result);
// Fills result.graph, result.removed_edges and result.acyclic_price: the selected edges, cycles broken on
// request without touching a required edge.
void select_graph(const DiscoverOptions& options, DiscoverResult& result);

}  // namespace causcale
