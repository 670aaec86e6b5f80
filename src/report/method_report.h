// Showing and storing what a method other than the network found: scores are called scores, and edges whose
// direction is open keep their marks where the format can write them.
#pragma once

#include <filesystem>
#include <string>

#include "methods/to_result.h"
#include "report/report.h"

namespace causcale {

// source,target,score,score_reverse,edge: every direction that is possible, so an undirected edge has two
// lines, and a line for each pair with a common cause; edge is "-->", "---", "o->", "<->", ... read from
// source to target.
std::string format_method_csv(const MethodOutcome& outcome);
std::string format_method_json(const MethodOutcome& outcome, const RunRecord& record);
std::string format_method_dot(const MethodOutcome& outcome);
std::string format_method_tetrad(const MethodOutcome& outcome);
// A ranked table. `most` limits the rows shown.
std::string format_method_terminal(const MethodOutcome& outcome, std::size_t most);

// By extension, as write_result.
void write_method_outcome(const std::filesystem::path& path, const MethodOutcome& outcome,
                          const RunRecord& record);

}  // namespace causcale
