#include "methods/neural/packed_rows.h"

namespace causcale {

PackedRows::PackedRows(const Matrix<float>& table, const Matrix<float>& weight, std::span<const int> order,
                       bool with_across)
    : rows(static_cast<int>(order.size())),
      nodes(static_cast<int>(table.cols())),
      row_tiles((rows + kTile - 1) / kTile),
      node_tiles((nodes + kTile - 1) / kTile),
      down(static_cast<std::size_t>(row_tiles) * nodes * kTile),
      across(with_across ? static_cast<std::size_t>(node_tiles) * row_tiles * kTile * kTile : 0),
      weights(down.size()) {
  const float share = 1.0f / static_cast<float>(rows);
  for (int position = 0; position < rows; ++position) {
    const int tile = position / kTile, place = position % kTile, r = order[position];
    float* value = down.data() + static_cast<std::size_t>(tile) * nodes * kTile + place;
    float* scaled = weights.data() + static_cast<std::size_t>(tile) * nodes * kTile + place;
    for (int v = 0; v < nodes; ++v) {
      value[static_cast<std::size_t>(v) * kTile] = table(r, v);
      scaled[static_cast<std::size_t>(v) * kTile] = share * weight(r, v);
    }
    if (!with_across) continue;
    for (int v = 0; v < nodes; ++v)
      across[(static_cast<std::size_t>(v / kTile) * row_tiles * kTile + position) * kTile + v % kTile] =
          table(r, v);
  }
}

}  // namespace causcale
