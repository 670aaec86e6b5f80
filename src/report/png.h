// The same drawing as the SVG, as pixels. Needs Cairo when it runs; without it the functions say so.
#pragma once

#include <string>

#include "report/shown_graph.h"

namespace causcale {

// What to say where it is not available.
inline constexpr const char* kNoCairo =
    ".png needs the library Cairo, which is not installed here (Debian: libcairo2): install it or use .svg";

bool png_is_available();
std::string format_png(const ShownGraph& graph, const Knowledge& knowledge);

}  // namespace causcale
