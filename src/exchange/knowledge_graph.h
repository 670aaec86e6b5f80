// Edges that are required or forbidden, from graph files of any format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "causcale/knowledge.h"

namespace causcale {

// A list of two columns (from, to) as read_edge_constraints takes it, or a graph of any format of formats.h.
// Of a graph every arrow counts. What leaves directions open (---, o->, <->) forbids both of them and cannot
// be required: InputError. Names that are no variables are errors.
std::vector<Edge> read_edge_knowledge(const std::filesystem::path& path,
                                      const std::vector<std::string>& names, bool required);

// Tetrad's knowledge, or a graph file that says by name or content what it is: its arrows are required, as
// read_edge_knowledge() takes them. Adds to `knowledge`.
void read_knowledge_file(const std::filesystem::path& path, const std::vector<std::string>& names,
                         Knowledge& knowledge);

}  // namespace causcale
