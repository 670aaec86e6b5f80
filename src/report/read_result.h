// A stored result (format "causcale.discover/1", .json) read back, with every field checked.
#pragma once

#include <string>
#include <string_view>

#include "methods/to_result.h"
#include "report/report.h"

namespace causcale {

struct StoredResult {
  // Of a method, `probabilities` are its scores and `score_kind` is "ranking".
  DiscoverResult result;
  // Command, data file with its hash, options and audit as JSON; knowledge where the options hold it.
  RunRecord record;

  // Where another method than the network found it: its name and the edges with their marks.
  bool by_method = false;
  std::string method;
  GraphClass graph_class = GraphClass::kDirected;
  MixedGraph marks;
  std::vector<std::string> log;

  // As to_outcome() made it, but for the price of breaking cycles, which is not stored.
  MethodOutcome outcome() const;
};

// Throws InputError naming the file and the field: "result.json: edges[3].source: ...". Fields that are not
// known are passed over, so that files of later versions can be read.
StoredResult read_result(const std::string& path);
// The same from memory; `source` stands in for the name of the file in messages.
StoredResult parse_result(std::string_view text, const std::string& source);

}  // namespace causcale
