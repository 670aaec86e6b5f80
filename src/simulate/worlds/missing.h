// Missing cells.
#pragma once

#include "base/name_table.h"
#include "simulate/worlds/world_draw.h"

namespace causcale {

// What decides which cells are missing.
enum class MissingKind {
  kRandom,  // nothing
  kOthers,  // the value of another column
  kItself,  // the value that is missing
  kBlocks,  // neighbouring rows of several columns at once
};
inline constexpr NameTable<MissingKind, 4> kMissingKindNames{{
    {MissingKind::kRandom, "random"},
    {MissingKind::kOthers, "others"},
    {MissingKind::kItself, "itself"},
    {MissingKind::kBlocks, "blocks"},
}};

// A share of the cells becomes NaN. Every column keeps two values at least.
void remove_cells(MissingKind kind, double share, RandomStream& random, Table& table);

// By the settings of missing_settings().
void remove_cells(WorldDraw& draw, Table& table);

}  // namespace causcale
