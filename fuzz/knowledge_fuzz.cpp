// Files of background knowledge: edges that are required or forbidden, tiers, Tetrad's format. The first byte
// chooses the form.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "causcale/error.h"
#include "exchange/knowledge_graph.h"
#include "graph/knowledge_file.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  if (size == 0) return 0;
  static const std::vector<std::string> names{"a", "b", "c d", "e,f", "#g", "from"};
  const auto path = std::filesystem::temp_directory_path() / ("knowledge_fuzz_" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
  const auto check = [&](const std::vector<Edge>& edges) {
    for (const Edge& edge : edges)
      if (edge.source < 0 || edge.target < 0 || edge.source >= std::ssize(names) ||
          edge.target >= std::ssize(names) || edge.source == edge.target)
        std::abort();
  };
  Knowledge knowledge;
  try {
    switch (data[0] % 5) {
      case 0:
        check(read_edge_constraints(path, names));
        break;
      case 1:
        read_tiers(path, names, knowledge);
        break;
      case 2:
        read_knowledge_file(path, names, knowledge);
        break;
      default:  // a graph of any format, too
        check(read_edge_knowledge(path, names, data[0] % 5 == 3));
    }
    check(knowledge.required);
    check(knowledge.forbidden);
    if (!knowledge.tier_of.empty() && knowledge.tier_of.size() != names.size()) std::abort();
  } catch (const Error&) {
  }
  std::filesystem::remove(path);
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  using namespace std::string_literals;
  return {"\0from,to\na,b\nb,\"e,f\"\n"s,
          "\0# note\na,c d\n"s,
          "\1variable,tier\na,0\nb,2\nc d,1\n"s,
          "\3dag { a -> b; \"c d\" -> a }"s,
          "\4a,b\n0,1\n0,0\n"s,
          "\2/knowledge\naddtemporal\n1 a b\n2* from\n\nforbiddirect\na b\n\nrequiredirect\nb a\n"s};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"/knowledge",
          "addtemporal",
          "forbiddirect",
          "requiredirect",
          "a,b",
          "2147483648",
          "-1",
          "*",
          "\"",
          ",",
          ";",
          "\n",
          "#"};
}
