#include "methods/continuous/acyclicity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "graph/components.h"
#include "methods/dense_product.h"
#include "simulate/vector_clones.h"

namespace causcale {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One strongly connected component of at least two nodes: its edges in compressed rows of local numbers.
struct Block {
  std::vector<int> nodes;
  std::vector<int> row_begin;
  std::vector<int> column;
  std::vector<double> value;  // squared weight
  std::vector<int> edge;      // number in the list of all edges
};

std::vector<Block> cyclic_blocks(const SparseWeights& w) {
  std::vector<Edge> present;
  for (std::size_t e = 0; e < w.edges.size(); ++e)
    if (w.weights[e] != 0.0) present.push_back(w.edges[e]);
  const Components components = strongly_connected_components(Digraph(w.nodes, present));
  std::vector<int> size(components.count, 0), block_of(components.count, -1), local(w.nodes);
  for (int node = 0; node < w.nodes; ++node) local[node] = size[components.component_of[node]]++;
  std::vector<Block> blocks;
  for (int node = 0; node < w.nodes; ++node) {
    const int component = components.component_of[node];
    if (size[component] < 2) continue;
    if (block_of[component] < 0) {
      block_of[component] = static_cast<int>(blocks.size());
      blocks.emplace_back();
      blocks.back().row_begin.push_back(0);
    }
    blocks[block_of[component]].nodes.push_back(node);
  }
  // Edges come sorted by source, and local numbers ascend with nodes: rows fill in order. Edges of weight
  // zero come along for their derivative.
  std::size_t e = 0;
  for (int node = 0; node < w.nodes; ++node) {
    const int component = components.component_of[node];
    Block* block = size[component] < 2 ? nullptr : &blocks[block_of[component]];
    for (; e < w.edges.size() && w.edges[e].source == node; ++e) {
      if (!block || components.component_of[w.edges[e].target] != component) continue;
      block->column.push_back(local[w.edges[e].target]);
      block->value.push_back(w.weights[e] * w.weights[e]);
      block->edge.push_back(static_cast<int>(e));
    }
    if (block) block->row_begin.push_back(static_cast<int>(block->column.size()));
  }
  return blocks;
}

constexpr int kPanel = 16;  // columns of the exponential that are made together, small enough for the cache

// next = A term * factor and sum += next, over a panel; returns the largest entry of next. Everything is
// non-negative, so nothing cancels and the series needs no scaling.
CAUSCALE_VECTOR_CLONES
double series_step(const int* row_begin, const int* column, const double* value, int rows, double factor,
                   const double* term, double* next, double* sum) {
  double largest[kPanel] = {};
  for (int r = 0; r < rows; ++r) {
    double line[kPanel] = {};
    for (int e = row_begin[r]; e < row_begin[r + 1]; ++e) {
      const double* from = term + static_cast<std::size_t>(column[e]) * kPanel;
      const double a = value[e];
      for (int c = 0; c < kPanel; ++c) line[c] += a * from[c];
    }
    double* to = next + static_cast<std::size_t>(r) * kPanel;
    double* total = sum + static_cast<std::size_t>(r) * kPanel;
    for (int c = 0; c < kPanel; ++c) {
      const double entry = line[c] * factor;
      to[c] = entry;
      total[c] += entry;
      largest[c] = entry > largest[c] ? entry : largest[c];
    }
  }
  return *std::max_element(largest, largest + kPanel);
}

// Columns [first, first + width) of exp(A) - I by its power series; gives their part of the trace and the
// derivatives of the edges that leave these columns' nodes.
double exponential_panel(const Block& block, int first, std::span<double> by_square) {
  const int size = static_cast<int>(block.nodes.size());
  const int width = std::min(kPanel, size - first);
  const std::size_t cells = static_cast<std::size_t>(size) * kPanel;
  std::vector<double> term(cells, 0.0), next(cells), sum(cells, 0.0);
  for (int c = 0; c < width; ++c) term[static_cast<std::size_t>(first + c) * kPanel + c] = 1.0;
  constexpr double kNegligible = 1e-18;
  constexpr int kMaxTerms = 1000;
  for (int k = 1; k <= kMaxTerms; ++k) {
    const double largest = series_step(block.row_begin.data(), block.column.data(), block.value.data(), size,
                                       1.0 / k, term.data(), next.data(), sum.data());
    if (!std::isfinite(largest) || largest > 1e100) return kInfinity;
    if (largest <= kNegligible) break;
    term.swap(next);
  }
  double trace = 0.0;
  for (int c = 0; c < width; ++c) {
    const int node = first + c;
    trace += sum[static_cast<std::size_t>(node) * kPanel + c];
    for (int e = block.row_begin[node]; e < block.row_begin[node + 1]; ++e)
      by_square[block.edge[e]] = sum[static_cast<std::size_t>(block.column[e]) * kPanel + c];
  }
  return trace;
}

double sparse_exponential(const Block& block, int threads, std::span<double> by_square) {
  const int size = static_cast<int>(block.nodes.size());
  const std::size_t panels = static_cast<std::size_t>((size + kPanel - 1) / kPanel);
  std::vector<double> traces(panels);
  const bool worth_threads = block.column.size() * size > 100000;
  parallel_for(panels, worth_threads ? threads : 1, [&](std::size_t p) {
    traces[p] = exponential_panel(block, static_cast<int>(p) * kPanel, by_square);
  });
  double trace = 0.0;
  for (double part : traces) trace += part;
  return trace;
}

// exp(A) by scaling, a Taylor polynomial and squaring: for blocks with so many edges that sparse products do
// not pay.
double dense_exponential(const Block& block, std::span<double> by_square) {
  const std::size_t size = block.nodes.size();
  Matrix<double> a(size, size);
  double norm = 0.0;
  for (std::size_t r = 0; r < size; ++r) {
    double row = 0.0;
    for (int e = block.row_begin[r]; e < block.row_begin[r + 1]; ++e) {
      a(r, block.column[e]) = block.value[e];
      row += block.value[e];
    }
    norm = std::max(norm, row);
  }
  if (!(norm < 200.0)) return kInfinity;
  const int squarings = norm > 0.5 ? static_cast<int>(std::ceil(std::log2(norm / 0.5))) : 0;
  for (double& value : a.values()) value = std::ldexp(value, -squarings);
  // Below a norm of 1/2, twelve terms leave less than 1e-14. F = exp(A) - I throughout, so that the small
  // traces of nearly acyclic weights keep their digits: (I + F)^2 - I = F F + 2 F.
  Matrix<double> f = a;
  for (int k = 12; k >= 2; --k) {
    Matrix<double> product = dense_product(a, f);
    for (std::size_t i = 0; i < f.size(); ++i) f.values()[i] = a.values()[i] + product.values()[i] / k;
  }
  for (int s = 0; s < squarings; ++s) {
    Matrix<double> product = dense_product(f, f);
    for (std::size_t i = 0; i < f.size(); ++i) f.values()[i] = product.values()[i] + 2.0 * f.values()[i];
  }
  double trace = 0.0;
  for (std::size_t r = 0; r < size; ++r) {
    trace += f(r, r);
    for (int e = block.row_begin[r]; e < block.row_begin[r + 1]; ++e)
      by_square[block.edge[e]] = f(block.column[e], r);
  }
  return std::isfinite(trace) ? trace : kInfinity;
}

}  // namespace

double trace_exponential(const SparseWeights& w, int threads, std::span<double> by_square) {
  std::ranges::fill(by_square, 0.0);
  double total = 0.0;
  for (const Block& block : cyclic_blocks(w)) {
    const std::size_t size = block.nodes.size();
    const bool dense = size >= 32 && block.column.size() * 8 > size * size;
    total += dense ? dense_exponential(block, by_square) : sparse_exponential(block, threads, by_square);
    if (!std::isfinite(total)) return kInfinity;
  }
  return total;
}

double negative_log_determinant(const SparseWeights& w, double s, std::span<double> by_square) {
  std::ranges::fill(by_square, 0.0);
  double total = 0.0;
  for (const Block& block : cyclic_blocks(w)) {
    const std::size_t size = block.nodes.size();
    Matrix<double> m(size, size);
    for (std::size_t r = 0; r < size; ++r) {
      m(r, r) = s;
      for (int e = block.row_begin[r]; e < block.row_begin[r + 1]; ++e)
        m(r, block.column[e]) = -block.value[e];
    }
    double log_determinant = 0.0;
    if (!invert_with_log_determinant(m, log_determinant)) return kInfinity;
    // A matrix with non-positive off-diagonal entries is an M-matrix exactly if its inverse is non-negative.
    for (double value : m.values())
      if (!(value >= -1e-9)) return kInfinity;
    total += static_cast<double>(size) * std::log(s) - log_determinant;
    for (std::size_t r = 0; r < size; ++r)
      for (int e = block.row_begin[r]; e < block.row_begin[r + 1]; ++e)
        by_square[block.edge[e]] = m(block.column[e], r);
  }
  return total;
}

}  // namespace causcale
