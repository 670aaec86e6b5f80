// Results made up for tests of the report: no network has to run.
#pragma once

#include "report/report.h"

namespace causcale {

// A random acyclic graph whose edges are probable, with doubtful ones around; the same for the same seed.
DiscoverResult synthetic_result(int variables, int edges, std::uint64_t seed);

// Names that try to break out of HTML, JSON, XML and attributes, and some in other scripts.
DiscoverResult hostile_result();

// A record with everything in it, its texts as hostile as the names above when asked for.
RunRecord sample_record(bool hostile = false);

}  // namespace causcale
