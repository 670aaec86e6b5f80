// Everything that shows or stores the result of discover. One function a format; all write source -> target.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "report/shown_graph.h"

namespace causcale {

// The circumstances of a run, kept with its result so that it can be repeated.
struct RunRecord {
  std::string command;
  std::string data_file;
  std::string data_sha256;
  std::string audit_json;    // the audit's findings as a JSON array, or empty
  std::string options_json;  // the options as a JSON object, or empty
  Knowledge knowledge = {};  // what was required and forbidden, for the drawings and the HTML report
};

// The edges of the result's graph, most probable first.
std::vector<ScoredEdge> graph_edges(const DiscoverResult& result);

// What a bootstrap says about each edge, under the names that every format uses: bootstrap_mean,
// bootstrap_deviation, selection_frequency. Empty without a bootstrap.
struct EdgeFigure {
  const char* name;
  const Matrix<double>* values;
};
std::vector<EdgeFigure> bootstrap_figures(const DiscoverResult& result);

// source,target,probability,probability_reverse and the figures of a bootstrap
std::string format_edges_csv(const DiscoverResult& result);
std::string format_matrix_csv(const DiscoverResult& result);
std::string format_json(const DiscoverResult& result, const RunRecord& record);
std::string format_dot(const DiscoverResult& result);
// These two know arrows only: an edge with open marks stands there in every direction, with its marks as the
// attribute `edge`, read from source to target; <-> stands there both ways.
std::string format_graphml(const ShownGraph& graph);
std::string format_gml(const ShownGraph& graph);
std::string format_tetrad(const DiscoverResult& result);

// A ranked table with bars. `most` limits the rows shown.
std::string format_terminal(const DiscoverResult& result, std::size_t most, bool unicode);

// Chooses by extension: .html .svg .png .csv .json .dot .gv .graphml .gml .txt. Throws UsageError naming what
// is accepted.
void check_output_name(const std::filesystem::path& path);
void write_result(const std::filesystem::path& path, const DiscoverResult& result, const RunRecord& record);

// The full matrix of probabilities: .npy or .csv.
void check_matrix_name(const std::filesystem::path& path);
void write_matrix(const std::filesystem::path& path, const DiscoverResult& result);

// Quotes a CSV cell where needed.
std::string csv_cell(const std::string& text);

}  // namespace causcale
