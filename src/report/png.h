// The same drawing as the SVG, as pixels. Needs Cairo; without it the functions say so.
#pragma once

#include <string>

#include "report/shown_graph.h"

namespace causcale {

bool png_is_available();
std::string format_png(const ShownGraph& graph, const Knowledge& knowledge);

}  // namespace causcale
