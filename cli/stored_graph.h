// A graph to ask questions about: a result of discover, or a graph file of any format of causcale convert.
#pragma once

#include <string>

#include "report/read_result.h"

namespace causcale::cli {

// Of a graph file the result has names, graph, marks and their class, by_method is set, the method is "file"
// and the record is empty; the scores are those of the file, else 1. `format`: where content and name leave
// it open, as --from names it; empty: found out.
StoredResult read_result_or_graph(const std::string& path, const std::string& format);

}  // namespace causcale::cli
