// The same drawing as the SVG, as pixels. Needs Cairo; without it the functions say so.
#pragma once

#include <string>

#include "causcale/discover.h"

namespace causcale {

bool png_is_available();
std::string format_png(const DiscoverResult& result, const Knowledge& knowledge);

}  // namespace causcale
