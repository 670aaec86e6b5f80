// The JSON in which the page and clients of `causcale serve` ask for work.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "causcale/error.h"
#include "service/table_request.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  try {
    const TableRequest request =
        parse_table_request(std::string_view(reinterpret_cast<const char*>(data), size));
    const DiscoverOptions& options = request.discover;
    if (!(options.threshold >= 0 && options.threshold <= 1) || options.bootstrap < 0 || options.samples < 0 ||
        options.model.find('/') != std::string::npos || !request.read.interventions.file.empty())
      std::abort();
    if (equivalent_command(request).empty()) std::abort();
    resolve_knowledge(request.knowledge, {"a", "b", "c"});
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {
      R"({"name":"t.csv","table":"a,b\n1,2\n","interventions":"a\n","task":"audit"})",
      R"({"table":"a","reading":{"types":{"a":"ordered:low<high"},"missing":"drop","delimiter":"tab",)"
      R"("select":["a"],"control":["x"],"header":false}})",
      R"({"table":"a","options":{"threshold":0.25,"dag":"optimal","bootstrap":20,"seed":7,"model":"general"},)"
      R"("knowledge":{"required":[["a","b"]],"forbidden":[["b","c"]],"tiers":[["a"],["b","c"]]}})"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"table\":", "\"types\":", "[[\"a\",\"b\"]]", "1e999",  "-1", "null",
          "true",       "\"\"",       "\\u0000",         "[[[[[[", "{",  "}",
          "../../x",    "\"c\"",      "\"a\"",           ","};
}
