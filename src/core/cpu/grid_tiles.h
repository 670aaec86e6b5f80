// How attention cuts a grid of tokens into tiles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/kernels.h"

namespace causcale::core {

// Tokens at `places` places of the mixed axis by `tied` places of the tied one; at most kTile.
struct GridTile {
  std::int64_t first_place, places;
  std::int64_t first_tied, tied;
};

// Tiles of a panel of places each, then those of the last places, which fill no panel; each with as much of
// the tied axis as it holds. A panel has at most kTile places.
class GridTiles {
 public:
  GridTiles(std::int64_t L, std::int64_t tied, std::int64_t panel)
      : tied_(tied),
        panel_(panel),
        last_places_(L % panel),
        last_place_(L - last_places_),
        in_panels_(L / panel * along(panel)) {}

  std::int64_t count() const { return in_panels_ + (last_places_ > 0 ? along(last_places_) : 0); }

  GridTile operator[](std::int64_t number) const {
    if (number >= in_panels_) return tile(last_place_, last_places_, number - in_panels_);
    return tile(number / along(panel_) * panel_, panel_, number % along(panel_));
  }

 private:
  // Of the tied axis: what a tile of so many places holds, and how many tiles that makes.
  static std::int64_t held(std::int64_t places) { return kTile / places; }
  std::int64_t along(std::int64_t places) const { return (tied_ + held(places) - 1) / held(places); }

  GridTile tile(std::int64_t first_place, std::int64_t places, std::int64_t number_along) const {
    const std::int64_t first_tied = number_along * held(places);
    return {first_place, places, first_tied, std::min(held(places), tied_ - first_tied)};
  }

  std::int64_t tied_, panel_, last_places_, last_place_, in_panels_;
};

}  // namespace causcale::core
