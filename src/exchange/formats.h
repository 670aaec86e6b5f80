// The formats in which graphs are exchanged with other programs, found out by content and by file name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/graph_document.h"

namespace causcale {

enum class GraphFormat {
  kEdges,            // CSV source,target[,score][,edge]: this program's own
  kMatrix,           // square matrix, row -> column: this program's own
  kCauscale,         // result of discover as JSON; read only
  kDagitty,          // dag { A -> B }; also simple DOT
  kGml,              // as networkx and DoWhy read it
  kNodeLink,         // JSON of networkx
  kTetrad,           // Graph Nodes / Graph Edges, as Tetrad and causal-learn write them
  kCaugi,            // CSV from,edge,to
  kBnlearnStrength,  // CSV from,to,strength,direction
  kBnlearnModel,     // [A][B|A]
  kPcalgCpdag,       // pcalg's amat.cpdag
  kPcalgPag,         // pcalg's amat.pag
};

std::string format_name(GraphFormat format);  // "dagitty", "pcalg-cpdag", ...
std::vector<std::string> format_names();
// Throws UsageError naming the option and what is accepted.
GraphFormat format_named(std::string_view name, std::string_view option);
// What a file name says: NAME.pcalg-cpdag.csv, NAME.dagitty, NAME.gml; nothing where it leaves several open.
std::optional<GraphFormat> format_of_name(const std::filesystem::path& path);

struct ReadGraphOptions {
  std::optional<GraphFormat> format = {};  // otherwise found out by name and content
  // Of files with scores: edges are those above. Without one, a list's lines are its edges, of a strength
  // table those that bnlearn would keep at 0.5, and a matrix must be of zeros and ones.
  std::optional<double> threshold = {};
  std::string format_option = "--from";  // for messages
};

// Throws InputError with file and line for what cannot be read, and where the content could be several
// formats, naming the option.
GraphDocument read_graph_document(const std::filesystem::path& path, const ReadGraphOptions& options = {});
GraphDocument parse_graph_document(std::string_view text, const std::string& path,
                                   const ReadGraphOptions& options = {});
// What the text begins like; nothing where it can only be an edge list or a matrix of this program.
std::optional<GraphFormat> recognised_format(std::string_view text);

// Throws InputError naming the edge or the variable that the format has no way to write.
std::string format_graph(const GraphDocument& document, GraphFormat format);

// Any graph file for evaluation: `ranking` as in to_graph_file. Matrices and lists of this program's own
// keep all their scores.
GraphFile read_any_graph_file(const std::filesystem::path& path, bool ranking,
                              const ReadGraphOptions& options = {});

}  // namespace causcale
