// The graph as a vector drawing for publications.
#pragma once

#include <string>

#include "causcale/discover.h"

namespace causcale {

std::string format_svg(const DiscoverResult& result, const Knowledge& knowledge);

}  // namespace causcale
