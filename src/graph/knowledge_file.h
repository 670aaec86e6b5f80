// Background knowledge from files: edge lists, tiers, and Tetrad's knowledge format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "causcale/knowledge.h"

namespace causcale {

// CSV with two columns, from and to (a header source,target or from,to is recognised), separated by commas,
// semicolons or tabs. Unknown names are errors with file and line.
std::vector<Edge> read_edge_constraints(const std::filesystem::path& path,
                                        const std::vector<std::string>& names);

// CSV with two columns, variable and tier (a whole number; smaller is earlier). Adds to `knowledge`.
void read_tiers(const std::filesystem::path& path, const std::vector<std::string>& names,
                Knowledge& knowledge);

// Tetrad's text format: /knowledge with the sections addtemporal, forbiddirect, requiredirect. Adds to
// `knowledge`.
void read_tetrad_knowledge(const std::filesystem::path& path, const std::vector<std::string>& names,
                           Knowledge& knowledge);

}  // namespace causcale
