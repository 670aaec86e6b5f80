// Tables of more columns than a network is good at are looked at in overlapping blocks of columns: every
// variable is at the core of one block, together with the variables that it is most likely joined to.
#pragma once

#include <cstddef>
#include <vector>

#include "prior/neighbours.h"

namespace causcale {

struct Block {
  std::vector<int> members;  // column numbers, the core first
  std::size_t core = 0;      // so many of them
};

// Blocks of up to `size` columns of which `core` are their core; of the last block to begin it may be fewer.
// Each column is in exactly one core. Cores grow along likely edges, so that blocks share neighbours.
std::vector<Block> cover_columns(const Neighbours& neighbours, std::size_t size, std::size_t core);

}  // namespace causcale
