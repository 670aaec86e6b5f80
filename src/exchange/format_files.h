// One reader and one writer per format; formats.h chooses among them.
#pragma once

#include <string>
#include <string_view>

#include "exchange/formats.h"

namespace causcale {

GraphDocument parse_dagitty(std::string_view text, const std::string& path);
GraphDocument parse_gml(std::string_view text, const std::string& path);
GraphDocument parse_node_link(std::string_view text, const std::string& path);
GraphDocument parse_causcale_result(std::string_view text, const std::string& path);
GraphDocument parse_tetrad(std::string_view text, const std::string& path);
GraphDocument parse_edge_table(std::string_view text, const std::string& path,
                               std::optional<double> threshold);  // this program's own and caugi's
GraphDocument parse_bnlearn_strength(std::string_view text, const std::string& path,
                                     std::optional<double> threshold);
GraphDocument parse_bnlearn_model(std::string_view text, const std::string& path);
GraphDocument document_of_matrix(const GraphFile& file, const ReadGraphOptions& options);
GraphDocument document_of_sparse(const GraphFile& file, const ReadGraphOptions& options);
GraphDocument document_of_pcalg_cpdag(const GraphFile& file);
GraphDocument document_of_pcalg_pag(const GraphFile& file);
// Zero pattern and values of pcalg's amat.pag, with at least one 2 or 3.
bool looks_like_pcalg_pag(const Matrix<double>& matrix);

std::string format_dagitty(const GraphDocument& document);
std::string format_gml(const GraphDocument& document);
std::string format_node_link(const GraphDocument& document);
std::string format_tetrad(const GraphDocument& document);
std::string format_edges(const GraphDocument& document);
std::string format_caugi(const GraphDocument& document);
std::string format_matrix(const GraphDocument& document);
std::string format_bnlearn_strength(const GraphDocument& document);
std::string format_bnlearn_model(const GraphDocument& document);
std::string format_pcalg_cpdag(const GraphDocument& document);
std::string format_pcalg_pag(const GraphDocument& document);

// For GML: ASCII with character entities, quotes included.
std::string gml_escaped(std::string_view text);
// Throws InputError: the format has no way to write this edge.
[[noreturn]] void refuse_edge(const GraphDocument& document, const DocumentEdge& edge, const char* format,
                              const char* what_it_has);
// Throws for two variables that several edges join.
void require_one_edge_per_pair(const GraphDocument& document, const char* format);
// The matrix of a file with names in header and first column.
std::string format_named_matrix(const std::vector<std::string>& names, const Matrix<double>& matrix,
                                const char* corner);

}  // namespace causcale
