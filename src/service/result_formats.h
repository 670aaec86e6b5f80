// A result as the text of a file, by the name of its format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace causcale {

struct ResultFormat {
  std::string name;        // "html", "csv", "pcalg-cpdag", ...
  std::string file;        // what a file of it is called: "report.html"
  std::string media_type;  // "text/html; charset=utf-8"
};

// Every format that this build can write.
std::vector<ResultFormat> result_formats();
// Throws UsageError that lists what is accepted.
ResultFormat result_format_named(std::string_view name);

// Throws InputError where the format has no way to write this graph.
std::string format_result(const DiscoverResult& result, const RunRecord& record, std::string_view format);

}  // namespace causcale
