// Graph files of other programs: what is accepted is written in every format that can hold it and read again.
#include "exchange/formats.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "causcale/error.h"
#include "target.h"

namespace {

using namespace causcale;

void check(const GraphDocument& document) {
  const int n = static_cast<int>(document.names.size());
  for (const DocumentEdge& edge : document.edges)
    if (edge.a < 0 || edge.b < 0 || edge.a >= n || edge.b >= n || edge.a == edge.b ||
        edge.at_a == Mark::kNone || edge.at_b == Mark::kNone)
      std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  GraphDocument document;
  try {
    document = parse_graph_document(text, "fuzz", {.threshold = 0.5});
  } catch (const Error&) {
    return 0;
  }
  check(document);
  if (document.names.size() > 200) return 0;
  for (const std::string& name : format_names()) {
    const GraphFormat format = format_named(name, "--to");
    std::string written;
    try {
      written = format_graph(document, format);
    } catch (const Error&) {
      continue;  // the format has no way to write it
    }
    if (format == GraphFormat::kGml || format == GraphFormat::kNodeLink || format == GraphFormat::kDagitty) {
      const bool plain = std::ranges::all_of(document.names, [](const std::string& variable) {
        return !variable.empty() &&
               std::ranges::all_of(variable, [](char c) { return c > 32 && c < 127 && c != '\\'; });
      });
      if (plain &&
          parse_graph_document(written, "again", {.format = format}).edges.size() != document.edges.size())
        std::abort();
    }
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {
      "dag { A -> B; \"C 1\" <-> B; {D E} -> A [beta=0.4] }",
      "pag { A @-> B; B @-@ C }",
      "graph [ directed 1 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] edge [ source 0 target 1 ] ]",
      "{\"directed\": true, \"nodes\": [{\"id\": 1}, {\"id\": 2}], \"links\": [{\"source\": 1, \"target\": "
      "2}]}",
      "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A o-> B\n",
      "from,edge,to\nA,-->,B\nB,---,C\n",
      "from,to,strength,direction\nA,B,0.9,0.5\nB,A,0.9,0.5\n",
      "[A][B|A][C|A:B]",
      "a,b\n0,2\n3,0\n",
      "{\"format\": \"causcale.discover/1\", \"names\": [\"A\", \"B\"], \"edges\": [], \"probabilities\": "
      "[[0, 1], [0, 0]]}"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"dag",    "pdag",         "pag",      "digraph",   "{",         "}",         "[",
          "]",      "->",           "<->",      "--",        "@->",       "\"",        "source",
          "target", "label",        "id",       "edge",      "\"links\"", "\"nodes\"", "o->",
          "-->",    "from,edge,to", "strength", "direction", "|",         ":",         "&#955;"};
}
