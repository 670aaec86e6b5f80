// Tile registers in memory, with the arithmetic that Intel documents for TDPBF16PS: in every row of sums the
// products of even and of odd depths are summed apart by fused multiply-adds in floats, beginning at zero,
// then added to each other and to what the register held. Denormal numbers count as zero, going in and coming
// out. What the processor would refuse is an exception here.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/cpu/tile_products.h"

namespace causcale::core {
namespace {

class EmulatedTiles {
 public:
  void configure(const TileConfig& config) {
    demand(config.palette == 1 && config.start_row == 0, "palette");
    for (const std::uint8_t byte : config.reserved) demand(byte == 0, "reserved bytes");
    for (int tile = 0; tile < 16; ++tile) {
      demand(config.rows[tile] <= 16 && config.row_bytes[tile] <= 64, "a register's size");
      demand((config.rows[tile] == 0) == (config.row_bytes[tile] == 0), "a register without rows or bytes");
      demand(tile < 8 || config.rows[tile] == 0, "a ninth register");
    }
    config_ = config;
    std::memset(bytes_, 0, sizeof bytes_);
  }
  template <int kTile>
  void zero() {
    demand(config_.rows[kTile] > 0, "a register that has no shape");
    std::memset(bytes_[kTile], 0, sizeof bytes_[kTile]);
  }
  template <int kTile>
  void load(const void* from, std::int64_t stride_bytes) {
    zero<kTile>();
    for (int row = 0; row < config_.rows[kTile]; ++row)
      std::memcpy(bytes_[kTile][row], static_cast<const char*>(from) + row * stride_bytes,
                  config_.row_bytes[kTile]);
  }
  template <int kTile>
  void store(void* to, std::int64_t stride_bytes) const {
    demand(config_.rows[kTile] > 0, "a register that has no shape");
    for (int row = 0; row < config_.rows[kTile]; ++row)
      std::memcpy(static_cast<char*>(to) + row * stride_bytes, bytes_[kTile][row], config_.row_bytes[kTile]);
  }
  template <int kSum, int kA, int kB>
  void multiply() {
    demand(config_.rows[kSum] > 0 && config_.rows[kSum] == config_.rows[kA], "rows that do not fit");
    demand(config_.row_bytes[kSum] == config_.row_bytes[kB], "columns that do not fit");
    demand(config_.row_bytes[kA] == 4 * config_.rows[kB], "depths that do not fit");
    for (int m = 0; m < config_.rows[kSum]; ++m)
      for (int n = 0; n < config_.row_bytes[kSum] / 4; ++n) {
        float even = 0.0f, odd = 0.0f, sum;
        for (int k = 0; k < config_.rows[kB]; ++k) {
          even = flushed(std::fma(element(kA, m, 2 * k), element(kB, k, 2 * n), even));
          odd = flushed(std::fma(element(kA, m, 2 * k + 1), element(kB, k, 2 * n + 1), odd));
        }
        std::memcpy(&sum, bytes_[kSum][m] + 4 * n, sizeof sum);
        sum = flushed(flushed(sum) + flushed(even + odd));
        std::memcpy(bytes_[kSum][m] + 4 * n, &sum, sizeof sum);
      }
  }
  void fetch(const Bf16*, std::int64_t) {}
  void copy_pairs(const Bf16* from, std::int64_t count, Bf16* to) const {
    for (std::int64_t k = 0; k < 32; ++k) to[k] = k < 2 * count ? from[k] : Bf16{};
  }

  static float flushed(float value) {
    return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
  }

 private:
  static void demand(bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("tiles: ") + what);
  }
  float element(int tile, int row, int place) const {
    Bf16 value;
    std::memcpy(&value, bytes_[tile][row] + sizeof value * static_cast<std::size_t>(place), sizeof value);
    return flushed(to_float(value));
  }

  TileConfig config_{.palette = 0};
  unsigned char bytes_[8][16][64] = {};
};

}  // namespace
}  // namespace causcale::core
