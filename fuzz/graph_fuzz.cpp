// Graph files, as evaluate reads them: what is accepted is matched against a truth, and written and read
// again.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "causcale/error.h"
#include "graph/graph_file.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  constexpr std::size_t kMemory = std::size_t{64} << 20;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const GraphFile file = parse_graph_text(text, "fuzz.csv");
    if (file.is_edge_list) {
      for (const StoredEdge& edge : file.edges)
        if (edge.source < 0 || edge.target < 0 || edge.source >= std::ssize(file.names) ||
            edge.target >= std::ssize(file.names) || !std::isfinite(edge.score))
          std::abort();
    } else if (file.matrix.rows() != file.names.size() || file.matrix.cols() != file.names.size()) {
      std::abort();
    }
    for (const char* other :
         {"source,target\na,b\n", "a,b\n0,1\n0,0\n", "0,1\n0,0\n", "source,target\n0,99999\n"})
      try {
        const GraphPair pair = match_graphs(file, parse_graph_text(other, "truth.csv"), 0, kMemory);
        if (pair.prediction.rows() != pair.names.size() || pair.truth.rows() != pair.names.size())
          std::abort();
      } catch (const Error&) {
      }
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {"source\\target,a,b\na,0,0.75\nb,0.25,0\n",
          "source,target,probability\na,b,0.9\nb,c,0.1\n",
          "\"a;b\";c\n0;0.75\n0.25;0\n",
          "0 1\n0 0\n",
          "from,to,edge\na,b,<->\nb,c,-->\n",
          "source,target\n0,1\n1,99999\n"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"source,target", "from,to", "\"\"", "\"",    "\n", "\r\n",           ";", "\t", ",", "probability",
          "<->",           "1e999",   "nan",  "99999", "#",  "source\\target,"};
}
