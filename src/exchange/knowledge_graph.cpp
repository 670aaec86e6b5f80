#include "exchange/knowledge_graph.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/file.h"
#include "causcale/error.h"
#include "exchange/formats.h"
#include "graph/delimited_text.h"
#include "graph/knowledge_file.h"

namespace causcale {
namespace {

// Lists without a header, and those of two columns, are no graph files but edges one by one.
bool is_graph(const std::filesystem::path& path) {
  if (path.extension() == ".npy" || format_of_name(path)) return true;
  const MappedFile file(path);
  if (recognised_format(file.text())) return true;
  // from,edge,to of caugi, from,to,strength,direction of bnlearn, source,target,score,... of this program
  const std::vector<DelimitedLine> header =
      split_delimited(file.text().substr(0, file.text().find('\n')), path.string());
  return !header.empty() && header.front().cells.size() > 2;
}

}  // namespace

std::vector<Edge> read_edge_knowledge(const std::filesystem::path& path,
                                      const std::vector<std::string>& names, bool required) {
  if (!is_graph(path)) return read_edge_constraints(path, names);
  const GraphDocument document = read_graph_document(path);
  std::unordered_map<std::string, int> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], static_cast<int>(i));
  const auto variable = [&](int node) {
    const std::string& name = document.names[static_cast<std::size_t>(node)];
    const auto found = index.find(name);
    if (found == index.end())
      throw InputError(fmt::format("{}: '{}' is not a variable of the table", path.string(), name));
    return found->second;
  };
  std::vector<Edge> edges;
  for (const DocumentEdge& edge : document.edges) {
    const int a = variable(edge.a), b = variable(edge.b);
    if (required && !edge.is_arrow())
      throw InputError(fmt::format("{}: {} {} {} has no direction that could be required", path.string(),
                                   names[static_cast<std::size_t>(a)], edge_text(edge),
                                   names[static_cast<std::size_t>(b)]));
    edges.push_back({a, b});
    if (!edge.is_arrow()) edges.push_back({b, a});
  }
  return edges;
}

void read_knowledge_file(const std::filesystem::path& path, const std::vector<std::string>& names,
                         Knowledge& knowledge) {
  if (!is_graph(path)) {
    read_tetrad_knowledge(path, names, knowledge);
    return;
  }
  const std::vector<Edge> edges = read_edge_knowledge(path, names, true);
  knowledge.required.insert(knowledge.required.end(), edges.begin(), edges.end());
}

}  // namespace causcale
