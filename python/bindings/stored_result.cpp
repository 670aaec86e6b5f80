// A result from the JSON that it was written as.
#include <fmt/format.h>

#include "causcale/error.h"
#include "report/read_result.h"
#include "results.h"

namespace causcale::python {

Found found_from_json(const std::string& text, const std::string& source) {
  StoredResult stored = parse_result(text, source);
  if (stored.by_method)
    throw InputError(
        fmt::format("{}: it holds what the method {} found; only results of the network can be loaded",
                    source, stored.method));
  return {std::move(stored.result), std::move(stored.record)};
}

}  // namespace causcale::python
