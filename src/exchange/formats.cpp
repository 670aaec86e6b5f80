#include "exchange/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/text_encoding.h"
#include "causcale/error.h"
#include "exchange/format_files.h"
#include "graph/delimited_text.h"
#include "graph/sparse_file.h"

namespace causcale {
namespace {

constexpr std::array<std::pair<GraphFormat, const char*>, 12> kNames{{
    {GraphFormat::kEdges, "edges"},
    {GraphFormat::kMatrix, "matrix"},
    {GraphFormat::kCauscale, "causcale"},
    {GraphFormat::kDagitty, "dagitty"},
    {GraphFormat::kGml, "gml"},
    {GraphFormat::kNodeLink, "node-link"},
    {GraphFormat::kTetrad, "tetrad"},
    {GraphFormat::kCaugi, "caugi"},
    {GraphFormat::kBnlearnStrength, "bnlearn-strength"},
    {GraphFormat::kBnlearnModel, "bnlearn-model"},
    {GraphFormat::kPcalgCpdag, "pcalg-cpdag"},
    {GraphFormat::kPcalgPag, "pcalg-pag"},
}};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<GraphFormat> format_called(const std::string& name) {
  for (const auto& [format, known] : kNames)
    if (name == known) return format;
  return std::nullopt;
}

// The text without what may stand before a graph: blanks and comments.
std::string_view past_comments(std::string_view text) {
  text = without_byte_order_mark(text);
  for (;;) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(first, text.size()));
    if (text.starts_with("//") || text.starts_with('#'))
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    else if (text.starts_with("/*"))
      text.remove_prefix(text.find("*/") == text.npos ? text.size() : text.find("*/") + 2);
    else
      return text;
  }
}

// Whether a word and the bracket that opens a graph follow, with a name between them at most.
bool begins_with(std::string_view text, std::string_view word, char bracket) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  const std::size_t open = text.find_first_of("{[\n,;");
  if (open > 200) return false;  // or nowhere
  const bool parted = open == 0 || std::isspace(static_cast<unsigned char>(text.front()));
  const std::size_t next = text.find_first_not_of(" \t\r\n");
  return parted &&
         (text[open] == bracket || (text[open] == '\n' && next != text.npos && text[next] == bracket));
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// "1. A --> B" or "A --> B"
bool is_edge_line(const std::string& line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (words.size() < 4) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == line.npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  Mark left, right;
  return (words.size() > 2 && parse_edge_text(words[1], left, right)) ||
         (words.size() > 3 && words[0].ends_with('.') && parse_edge_text(words[2], left, right));
}

// By the names of its columns.
std::optional<GraphFormat> table_format(std::string_view text, const std::string& path) {
  const std::string line = first_line(text);
  std::vector<std::string> header;
  try {
    const std::vector<DelimitedLine> lines = split_delimited(line, path);
    if (!lines.empty()) header = lines.front().cells;
  } catch (const InputError&) {  // a name with a line break; the readers say more
    return std::nullopt;
  }
  for (std::string& cell : header) cell = lower(cell);
  const auto has = [&](const char* name) { return std::ranges::find(header, name) != header.end(); };
  const auto at = [&](const char* name) { return std::ranges::find(header, name) - header.begin(); };
  if (has("from") && has("to") && has("strength") && has("direction")) return GraphFormat::kBnlearnStrength;
  if (has("from") && has("edge") && has("to") && at("edge") == at("from") + 1 && at("to") == at("edge") + 1)
    return GraphFormat::kCaugi;
  return std::nullopt;
}

bool is_link(std::string_view text) {
  const std::string line = lower(first_line(text));
  return line.starts_with("http://") || line.starts_with("https://") || line.starts_with("dagitty.net/") ||
         line.starts_with("www.dagitty.net/");
}

GraphFile matrix_in(std::string_view text, const std::string& path) {
  GraphFile file = parse_graph_text(text, path);
  if (file.is_edge_list) throw InputError(fmt::format("{}: an edge list, not a square matrix", path));
  return file;
}

GraphDocument document_of(const GraphFile& file, GraphFormat format, const ReadGraphOptions& options) {
  switch (format) {
    case GraphFormat::kPcalgCpdag:
      return document_of_pcalg_cpdag(with_whole_matrix(file));
    case GraphFormat::kPcalgPag:
      return document_of_pcalg_pag(with_whole_matrix(file));
    default:
      return file.is_sparse ? document_of_sparse(file, options) : document_of_matrix(file, options);
  }
}

// Marks or weights: only people can tell.
void require_unambiguous(const GraphFile& file, const ReadGraphOptions& options) {
  if (!file.is_edge_list && !file.is_sparse && looks_like_pcalg_pag(file.matrix))
    throw InputError(fmt::format(
        "{}: the numbers can be marks of a PAG from pcalg (0 none, 1 circle, 2 arrowhead, 3 tail) or "
        "weights row -> column: say which with {} pcalg-pag or {} matrix",
        file.path, options.format_option, options.format_option));
}

[[noreturn]] void refuse_link(const std::string& path) {
  throw InputError(fmt::format(
      "{}: a link holds only the number of a model that is kept at dagitty.net; open it there and save "
      "the text under 'Model code' instead",
      path));
}

// Without the edges whose scores do not reach the threshold.
GraphDocument above(GraphDocument document, std::optional<double> threshold) {
  if (threshold)
    std::erase_if(document.edges, [&](const DocumentEdge& edge) { return edge.score <= *threshold; });
  return document;
}

GraphFormat chosen_format(std::string_view text, const std::string& path, const ReadGraphOptions& options) {
  if (options.format) return *options.format;
  if (const auto named = format_of_name(path)) return *named;
  if (is_link(past_comments(text))) refuse_link(path);
  if (const auto recognised = recognised_format(text)) return *recognised;
  if (const auto table = table_format(past_comments(text), path)) return *table;
  const GraphFile file = parse_graph_text(text, path);
  require_unambiguous(file, options);
  return file.is_edge_list ? GraphFormat::kEdges : GraphFormat::kMatrix;
}

}  // namespace

std::string format_name(GraphFormat format) {
  for (const auto& [known, name] : kNames)
    if (known == format) return name;
  throw Error("unknown format of graphs");
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kNames) names.emplace_back(name);
  return names;
}

GraphFormat format_named(std::string_view name, std::string_view option) {
  std::string text = lower(std::string(name));
  if (text == "causal-learn") text = "tetrad";
  if (text == "causaldisco") text = "caugi";
  if (text == "networkx") text = "node-link";
  if (const auto format = format_called(text)) return *format;
  throw UsageError(
      fmt::format("{} {}: no such format; there are {}", option, name, fmt::join(format_names(), ", ")));
}

std::optional<GraphFormat> format_of_name(const std::filesystem::path& path) {
  const std::string extension = lower(path.extension().string());
  if (extension == ".dagitty") return GraphFormat::kDagitty;
  if (extension == ".gml") return GraphFormat::kGml;
  const std::string inner = lower(path.stem().extension().string());  // NAME.pcalg-cpdag.csv
  if (inner.empty()) return std::nullopt;
  return format_called(inner.substr(1));
}

std::optional<GraphFormat> recognised_format(std::string_view whole) {
  std::string_view text = past_comments(whole);
  if (text.starts_with('{')) {
    // A few keys tell the two apart; what is neither is left to the reader of node-link files to refuse.
    return text.substr(0, 400).find("\"causcale.discover") != text.npos ? GraphFormat::kCauscale
                                                                        : GraphFormat::kNodeLink;
  }
  if (text.starts_with("strict ")) text = past_comments(text.substr(7));
  for (const char* const type : {"dag", "pdag", "mag", "pag", "digraph", "graph"})
    if (begins_with(text, type, '{')) return GraphFormat::kDagitty;
  if (begins_with(text, "graph", '[')) return GraphFormat::kGml;
  for (const char* const word : {"Creator ", "Version ", "comment "})  // what may precede a graph in GML
    if (text.starts_with(word) && text.find("graph") != text.npos) return GraphFormat::kGml;
  if (text.starts_with('[')) return GraphFormat::kBnlearnModel;
  if (text.starts_with("Graph Nodes:") || text.starts_with("Graph Edges:") || is_edge_line(first_line(text)))
    return GraphFormat::kTetrad;
  return std::nullopt;
}

GraphDocument parse_graph_document(std::string_view text, const std::string& path,
                                   const ReadGraphOptions& options) {
  if (text.find('\0') != text.npos) throw InputError(fmt::format("{}: neither text nor a .npy file", path));
  if (past_comments(text).starts_with("<") && !options.format)
    throw InputError(fmt::format("{}: GraphML and other XML are not read; accepted are {}", path,
                                 fmt::join(format_names(), ", ")));
  const GraphFormat format = chosen_format(text, path, options);
  switch (format) {
    case GraphFormat::kEdges:
    case GraphFormat::kCaugi:
      return parse_edge_table(text, path, options.threshold);
    case GraphFormat::kMatrix:
    case GraphFormat::kPcalgCpdag:
    case GraphFormat::kPcalgPag:
      return document_of(matrix_in(text, path), format, options);
    case GraphFormat::kCauscale:
      return above(parse_causcale_result(text, path), options.threshold);
    case GraphFormat::kDagitty:
      if (is_link(past_comments(text))) refuse_link(path);
      return parse_dagitty(text, path);
    case GraphFormat::kGml:
      return above(parse_gml(text, path), options.threshold);
    case GraphFormat::kNodeLink:
      return above(parse_node_link(text, path), options.threshold);
    case GraphFormat::kTetrad:
      return parse_tetrad(text, path);
    case GraphFormat::kBnlearnStrength:
      return parse_bnlearn_strength(text, path, options.threshold);
    case GraphFormat::kBnlearnModel:
      return parse_bnlearn_model(text, path);
  }
  throw Error("unknown format of graphs");
}

GraphDocument read_graph_document(const std::filesystem::path& path, const ReadGraphOptions& options) {
  if (is_link(path.string())) refuse_link(path.string());
  if (path.extension() == ".npy" || is_sparse_name(path)) {
    const GraphFile file = read_graph_file(path);
    const auto format = options.format ? options.format : format_of_name(path);
    if (!format) require_unambiguous(file, options);
    return document_of(file, format.value_or(GraphFormat::kMatrix), options);
  }
  const MappedFile file(path);
  std::string converted;
  return parse_graph_document(as_utf8(file.text(), converted), path.string(), options);
}

std::string format_graph(const GraphDocument& document, GraphFormat format) {
  switch (format) {
    case GraphFormat::kEdges:
      return format_edges(document);
    case GraphFormat::kMatrix:
      return format_matrix(document);
    case GraphFormat::kCauscale:
      throw UsageError("the format causcale is that of discover's results; only discover can write it");
    case GraphFormat::kDagitty:
      return format_dagitty(document);
    case GraphFormat::kGml:
      return format_gml(document);
    case GraphFormat::kNodeLink:
      return format_node_link(document);
    case GraphFormat::kTetrad:
      return format_tetrad(document);
    case GraphFormat::kCaugi:
      return format_caugi(document);
    case GraphFormat::kBnlearnStrength:
      return format_bnlearn_strength(document);
    case GraphFormat::kBnlearnModel:
      return format_bnlearn_model(document);
    case GraphFormat::kPcalgCpdag:
      return format_pcalg_cpdag(document);
    case GraphFormat::kPcalgPag:
      return format_pcalg_pag(document);
  }
  throw Error("unknown format of graphs");
}

GraphFile read_any_graph_file(const std::filesystem::path& path, bool ranking,
                              const ReadGraphOptions& options) {
  if (is_link(path.string())) refuse_link(path.string());
  const auto given = options.format ? options.format : format_of_name(path);
  const auto is_own = [](GraphFormat format) {
    return format == GraphFormat::kEdges || format == GraphFormat::kMatrix;
  };
  if (path.extension() == ".npy" || is_sparse_name(path)) {
    GraphFile file = read_graph_file(path);
    if (!given) require_unambiguous(file, options);
    if (!given || is_own(*given)) return file;
    return to_graph_file(document_of(file, *given, options), ranking);
  }
  const MappedFile file(path);
  std::string converted;
  const std::string_view text = as_utf8(file.text(), converted);
  const bool other_content =
      !given && (recognised_format(text) || is_link(past_comments(text)) ||
                 past_comments(text).starts_with("<") || table_format(past_comments(text), path.string()));
  if (other_content || (given && !is_own(*given)))
    return to_graph_file(parse_graph_document(text, path.string(), options), ranking);
  GraphFile own = parse_graph_text(text, path.string());
  if (!given) require_unambiguous(own, options);
  return own;
}

void refuse_edge(const GraphDocument& document, const DocumentEdge& edge, const char* format,
                 const char* what_it_has) {
  throw InputError(fmt::format("{}: {} cannot hold {} {} {}; it has {}", document.path, format,
                               document.names[static_cast<std::size_t>(edge.a)], edge_text(edge),
                               document.names[static_cast<std::size_t>(edge.b)], what_it_has));
}

void require_one_edge_per_pair(const GraphDocument& document, const char* format) {
  std::set<std::pair<int, int>> joined;
  for (const DocumentEdge& edge : document.edges)
    if (!joined.insert(std::minmax(edge.a, edge.b)).second)
      refuse_edge(document, edge, format, "one edge per pair of variables");
}

}  // namespace causcale
