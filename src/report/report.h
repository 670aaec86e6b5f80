// Everything that shows or stores the result of discover. One function a format; all write source -> target.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "causcale/discover.h"
#include "causcale/write.h"
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
  bool all_pairs = false;    // .csv lists every ordered pair instead of the graph's edges
  // What was understood of every column of the table, those set aside included, as a JSON array of objects:
  // name, kind, reason, set_aside, missing, levels (the words of its values), ...; or empty.
  std::string variables_json = {};
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
// Those and, where the model tells, feedback and confounded: that the pair acts on each other, and that a
// hidden variable causes both.
std::vector<EdgeFigure> edge_figures(const DiscoverResult& result);

// source,target,probability,probability_reverse, edge_figures(), effect_kind and the figures of
// the effect (effect_figures.h)
std::string format_edges_csv(const DiscoverResult& result);
// The same columns for every ordered pair, most probable first, and `selected`: 1 for the edges of the graph.
// Pairs below the result's min_probability are left out. Throws UsageError for pairs of too many variables
// without one.
std::string format_pairs_csv(const DiscoverResult& result);
std::string format_matrix_csv(const DiscoverResult& result);
std::string format_matrix_csv(const std::vector<std::string>& names, const Matrix<double>& values);
std::string format_json(const DiscoverResult& result, const RunRecord& record);
std::string format_dot(const DiscoverResult& result);
// These two know arrows only: an edge with open marks stands there in every direction, with its marks as the
// attribute `edge`, read from source to target; <-> stands there both ways.
std::string format_graphml(const ShownGraph& graph);
std::string format_gml(const ShownGraph& graph);
std::string format_tetrad(const DiscoverResult& result);

// Rows that went through the network at least once; the prior is made of all of them.
std::size_t rows_seen(const DiscoverResult& result);
// How many rows, passes and repetitions the numbers come from, in sentences.
std::string format_summary(const DiscoverResult& result, std::size_t intervened_rows);
// A ranked table with bars; with a bootstrap, its mean, deviation and share of selections in columns of their
// own. `most` limits the rows shown.
std::string format_terminal(const DiscoverResult& result, std::size_t most, bool unicode);

// The name - stands for standard output, which takes the edges as CSV.
bool is_standard_output(const std::filesystem::path& path);
// Throws InputError when it is closed or full.
void write_to_standard_output(std::string_view text);

// Chooses by extension: .html .svg .png .csv .json .dot .gv .graphml .gml .txt .npz .mtx; - is standard
// output. Throws UsageError naming what is accepted.
void check_output_name(const std::filesystem::path& path);
void write_result(const std::filesystem::path& path, const DiscoverResult& result, const RunRecord& record);

// Names of files of matrices end in .npy or .csv, or, of sparse ones, in .npz or .mtx.
void check_matrix_name(const std::filesystem::path& path, const std::string& option = "--matrix");
// Throws UsageError where a matrix of so many variables would become text.
void check_matrix_size(const std::filesystem::path& path, std::size_t variables);
// Any matrix over the variables, such as result.ancestry; of a sparse one the entries that are at least
// `least` and not 0.
void write_matrix(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const Matrix<double>& values, double least);
// What writing a result or a matrix of this name makes: a .mtx file has a list of names beside it.
std::vector<std::filesystem::path> files_written(const std::filesystem::path& path);

// Quotes a CSV cell where needed.
std::string csv_cell(const std::string& text);

}  // namespace causcale
