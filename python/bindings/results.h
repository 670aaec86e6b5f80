// What discover found, with the circumstances of its run: what the writers of reports need.
#pragma once

#include <string>

#include "arrays.h"
#include "causcale/discover.h"
#include "report/report.h"

namespace causcale::python {

struct Found {
  DiscoverResult result;
  RunRecord record;
};

// From what format_json wrote. Throws InputError that names `source` where the text is something else.
Found found_from_json(const std::string& text, const std::string& source);

}  // namespace causcale::python
