// Missing cells.
#pragma once

#include "simulate/worlds/world_draw.h"

namespace causcale {

// By the settings of missing_settings(): cells become NaN. Every column keeps two values at least.
void remove_cells(WorldDraw& draw, Table& table);

}  // namespace causcale
