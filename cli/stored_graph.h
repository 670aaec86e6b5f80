// A graph to ask questions about: a result of discover, or a graph file of any format of causcale convert.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/graph_document.h"
#include "report/read_result.h"

namespace causcale::cli {

struct StoredGraph : StoredResult {
  std::optional<GraphDocument> document;  // of a graph file

  // Arrows, and common causes that were not measured beside them, or variables that the file calls latent.
  bool has_hidden_causes() const;
};

// Of a graph file the result has names, graph, marks and their class, by_method is set, the method is "file"
// and the record is empty; the scores are those of the file, else 1. `format`: where content and name leave
// it open, as --from names it; empty: found out.
StoredGraph read_result_or_graph(const std::string& path, const std::string& format);

// The arrows of a graph file with its measured variables first, then those that were not, both in the given
// order, then a common cause for every <->.
struct GraphOfColumns {
  Digraph graph;
  std::vector<std::string> names;  // common causes are called after what they act on
};
GraphOfColumns graph_of_columns(const StoredGraph& stored, const std::vector<std::string>& columns,
                                const std::vector<std::string>& not_measured);

}  // namespace causcale::cli
