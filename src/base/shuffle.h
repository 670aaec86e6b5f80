// A random order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/random.h"

namespace causcale {

// Every order of what `items` holds is as likely as any other (Fisher and Yates, from the end).
template <class Items>
void shuffle(Items& items, RandomStream& random) {
  for (std::size_t k = items.size(); k > 1; --k)
    std::swap(items[k - 1], items[random.below(static_cast<std::uint32_t>(k))]);
}

}  // namespace causcale
