// The graph as a vector drawing for publications.
#pragma once

#include <string>

#include "report/shown_graph.h"

namespace causcale {

std::string format_svg(const ShownGraph& graph, const Knowledge& knowledge);

}  // namespace causcale
