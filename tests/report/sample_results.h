// Results made up for tests of the report: no network has to run.
#pragma once

#include "methods/to_result.h"
#include "report/report.h"

namespace causcale {

// A random acyclic graph whose edges are probable, with doubtful ones around; the same for the same seed.
DiscoverResult synthetic_result(int variables, int edges, std::uint64_t seed);

// A partial ancestral graph with every kind of edge: v0 o-> v2 <-o v1, v2 --> v3 <-> v4 o-o v5, v6 --o v7,
// v7 --- v8; v9 has none. Scores fall in this order, from 0.95 in steps of 0.1; the reversal of each has
// less.
MethodOutcome pag_outcome();
// v0 --> v2 <-- v1, v2 --> v3 --- v4
MethodOutcome cpdag_outcome();

// Names that try to break out of HTML, JSON, XML and attributes, and some in other scripts.
DiscoverResult hostile_result();

// A record with everything in it, its texts as hostile as the names above when asked for.
RunRecord sample_record(bool hostile = false);

}  // namespace causcale
