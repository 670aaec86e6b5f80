// What somebody might know of a graph: some of its edges, some that are not there, or an order in time.
#pragma once

#include "base/random.h"
#include "causcale/knowledge.h"

namespace causcale {

Knowledge draw_true_knowledge(const Digraph& graph, RandomStream& random);

}  // namespace causcale
