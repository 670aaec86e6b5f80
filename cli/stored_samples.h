// What the commands on stored results share: reading one, finding variables by name, drawing graphs.
#pragma once

#include <string>

#include "causcale/samples.h"
#include "report/read_result.h"

namespace causcale::cli {

// Throws InputError where it holds a ranking: graphs cannot be drawn in proportion to that.
StoredResult read_probabilities(const std::string& path);

// Throws UsageError that names the option, with the nearest name there is.
int variable_named(const std::vector<std::string>& names, const std::string& name, const std::string& option);

// "1000 acyclic graphs, drawn exactly (enumeration)." and, where chains disagree, a warning.
std::string describe_samples(const GraphSamples& samples);

// Names beside each other in a table: padded to a number of characters, not bytes.
std::string padded(const std::string& text, std::size_t width);
std::size_t shown_length(const std::string& text);

}  // namespace causcale::cli
