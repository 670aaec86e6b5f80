// Rows of a table laid out for the kernels of node_networks.h: vectors run over 32 rows, or over 32
// variables.
#pragma once

#include <span>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

inline constexpr int kTile = 32;

struct PackedRows {
  // `rows` of the table in that order; weight(r, v) = 0 takes variable v of row r out of the likelihood.
  // `across` also fills the second layout, which nodes with most variables as inputs need.
  PackedRows(const Matrix<float>& table, const Matrix<float>& weight, std::span<const int> rows, bool across);

  int rows, nodes;
  int row_tiles, node_tiles;
  std::vector<float> down;     // [row tile][variable][row within the tile], missing rows zero
  std::vector<float> across;   // [variable tile][row, padded][variable within the tile]
  std::vector<float> weights;  // as `down`, divided by the number of rows; zero for missing rows

  const float* column(int tile, int variable) const {
    return down.data() + (static_cast<std::size_t>(tile) * nodes + variable) * kTile;
  }
  const float* column_weights(int tile, int variable) const {
    return weights.data() + (static_cast<std::size_t>(tile) * nodes + variable) * kTile;
  }
};

}  // namespace causcale
