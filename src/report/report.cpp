#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "base/npy.h"
#include "causcale/error.h"
#include "graph/ranked_edges.h"
#include "graph/sparse_file.h"
#include "report/exchange_output.h"
#include "report/html.h"
#include "report/png.h"
#include "report/sparse_output.h"
#include "report/svg.h"

namespace causcale {
std::vector<ScoredEdge> graph_edges(const DiscoverResult& result) {
  std::vector<ScoredEdge> edges;
  for (const Edge& edge : result.graph.edges())
    edges.push_back({edge, result.probabilities(edge.source, edge.target)});
  sort_by_score(edges);
  return edges;
}

std::vector<EdgeFigure> bootstrap_figures(const DiscoverResult& result) {
  if (result.bootstrap == 0) return {};
  return {{"bootstrap_mean", &result.bootstrap_mean},
          {"bootstrap_deviation", &result.bootstrap_deviation},
          {"selection_frequency", &result.selection_frequency}};
}

std::vector<EdgeFigure> edge_figures(const DiscoverResult& result) {
  std::vector<EdgeFigure> figures = bootstrap_figures(result);
  if (!result.feedback.empty()) figures.push_back({"feedback", &result.feedback});
  if (!result.confounded.empty()) figures.push_back({"confounded", &result.confounded});
  return figures;
}

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-";
}

void write_to_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw InputError("standard output: the result could not be written");
}

void check_output_name(const std::filesystem::path& path) {
  static const char* const known[] = {".html", ".svg",     ".png", ".csv", ".json", ".dot",
                                      ".gv",   ".graphml", ".gml", ".txt", ".npz",  ".mtx"};
  if (is_standard_output(path)) return;
  if (exchange_format(path)) return;
  const std::string extension = path.extension().string();
  if (std::ranges::find(known, extension) == std::end(known))
    throw UsageError(fmt::format(
        "{}: unknown output format '{}': use .html (interactive report), .svg, .png, .csv, .json, .dot, "
        ".graphml, .gml, .txt (Tetrad), .npz or .mtx (sparse matrix), .dagitty or NAME.FORMAT.csv ('causcale "
        "convert --help' has the "
        "formats), or - for the edges as CSV on standard output; "
        "the full matrix goes to --matrix FILE.npy, .csv, .npz or .mtx",
        path.string(), extension));
  if (extension == ".png" && !png_is_available())
    throw UsageError(fmt::format("{}: {}", path.string(), kNoCairo));
}

void write_result(const std::filesystem::path& path, const DiscoverResult& result, const RunRecord& record) {
  check_output_name(path);
  const std::string extension = path.extension().string();
  const auto edge_list = [&] {
    return record.all_pairs ? format_pairs_csv(result) : format_edges_csv(result);
  };
  if (is_standard_output(path)) return write_to_standard_output(edge_list());
  if (const auto format = exchange_format(path))
    return write_file_atomically(path, format_graph(document_of(result), *format));
  if (is_sparse_name(path)) return write_sparse(path, graph_scores(result), result.names);
  std::string content;
  if (extension == ".html") content = format_html(result, record);
  if (extension == ".svg") content = format_svg(result, record.knowledge);
  if (extension == ".png") content = format_png(result, record.knowledge);
  if (extension == ".csv") content = edge_list();
  if (extension == ".json") content = format_json(result, record);
  if (extension == ".dot" || extension == ".gv") content = format_dot(result);
  if (extension == ".graphml") content = format_graphml(result);
  if (extension == ".gml") content = format_gml(result);
  if (extension == ".txt") content = format_tetrad(result);
  write_file_atomically(path, content);
}

void write_result(const std::filesystem::path& path, const DiscoverResult& result) {
  write_result(path, result, RunRecord{});
}

void check_matrix_name(const std::filesystem::path& path, const std::string& option) {
  const std::string extension = path.extension().string();
  if (extension != ".npy" && extension != ".csv" && !is_sparse_name(path))
    throw UsageError(
        fmt::format("{} {}: use a name that ends in .npy, .csv, .npz or .mtx", option, path.string()));
}

void check_matrix_size(const std::filesystem::path& path, std::size_t variables) {
  if (path.extension() == ".csv")
    require_text_size(path.string(), variables, "use .npz or .mtx (sparse) or .npy");
}

void write_matrix(const std::filesystem::path& path, const DiscoverResult& result) {
  write_matrix(path, result.names, result.probabilities, output_floor(result));
}

void write_matrix(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const Matrix<double>& values, double least) {
  check_matrix_name(path);
  check_matrix_size(path, names.size());
  if (is_sparse_name(path)) return write_sparse(path, scores_at_least(values, least), names);
  if (path.extension() == ".npy")
    write_file_atomically(path, [&](std::ostream& out) { write_npy(out, values); });
  else
    write_file_atomically(path, format_matrix_csv(names, values));
}

std::vector<std::filesystem::path> files_written(const std::filesystem::path& path) {
  if (path.extension() == ".mtx") return {path, names_file(path)};
  return {path};
}

}  // namespace causcale
