// Several methods on the same table, and one graph of what they agree on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "methods/method.h"

namespace causcale {

struct CombinedMethod {
  std::string name;                             // "causcale" is the network
  std::map<std::string, std::string> settings;  // as MethodOptions::settings
};

// "pc+ges+boss"
std::string combined_name(const std::vector<CombinedMethod>& methods);

// A result whose scores are shares of the methods: direction_votes() of their graphs, averaged. So the two
// directions of a pair add up to the share of methods that join it, and a method that leaves a direction open
// counts half for either. Pairs that more than half of the methods join are joined, with an arrow the way
// that has the larger share, without a direction where both have the same.
MethodResult combine_graphs(const std::vector<std::string>& names, const std::vector<MixedGraph>& graphs);

// Runs them one after another, each with options.seconds of its own. One that fails is left out, which the
// log says; where all fail, the first one's error is thrown. `network` is for "causcale".
MethodResult run_combined(const std::vector<CombinedMethod>& methods, const Dataset& dataset,
                          const MethodOptions& options, const DiscoverOptions& network);

}  // namespace causcale
