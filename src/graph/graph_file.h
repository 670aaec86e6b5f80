// Graphs as people store them: a matrix (.npy; text with or without names) or an edge list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/sparse_scores.h"

namespace causcale {

struct StoredEdge {
  int source;
  int target;
  double score;
  bool operator==(const StoredEdge&) const = default;
};

struct GraphFile {
  std::string path;  // for messages
  bool is_edge_list = false;
  bool named = false;              // false: names are the numbers "0", "1", ... of the nodes
  std::vector<std::string> names;  // of a matrix: in order; of an edge list: in order of first appearance
  Matrix<double> matrix;           // when it is a matrix, but for a sparse one
  // Of a matrix: only some entries are stored, which are `edges`; the others are 0.
  bool is_sparse = false;
  std::vector<StoredEdge> edges;  // of an edge list or sparse matrix; indices into names
  bool has_scores = false;        // the edge list has a column of scores; without one, every score is 1
  // Of an edge list with a column probability_reverse or score_reverse: the score of the opposite direction,
  // one per edge. It ranks that direction and does not make it an edge.
  std::vector<double> reverse_scores;
};

// Recognised are: .npy, square; sparse matrices (.mtx, .npz; see sparse_file.h); text of as many rows as
// columns of numbers, optionally with a header of names and a first column of names; text with a header that
// begins source,target (or from,to) and an optional column probability (also score, weight, strength) and
// probability_reverse (also score_reverse); where a column edge says <->, a common cause, the line joins
// nothing. Commas, semicolons, tabs or spaces separate. Lines that begin with # are skipped. Throws
// InputError with file, line and column.
GraphFile read_graph_file(const std::filesystem::path& path);
GraphFile parse_graph_text(std::string_view text, const std::string& path);

// Of a sparse matrix the whole one; throws InputError where it would take more than `max_bytes` (0: the usual
// share of the memory). Other files as they are.
GraphFile with_whole_matrix(GraphFile file, std::size_t max_bytes = 0);

// Names of matrices: as many as variables, none empty or twice. Throws InputError that begins with `where`.
void require_distinct_names(const std::vector<std::string>& names, const std::string& where);
// "0", "1", ...
std::vector<std::string> numbers_as_names(std::size_t count);

// Whether the names are more than the numbers of the nodes: of an edge list any small numbers, of a matrix
// "0", "1", ... in order, which tools write for variables without names.
bool has_names(bool is_edge_list, const std::vector<std::string>& names);

// Scores of some ordered pairs only.
struct PartialScores {
  Matrix<double> scores;          // row -> column
  Matrix<std::uint8_t> is_known;  // of the same size
};

// Two graphs over the same variables in the same order.
struct GraphPair {
  std::vector<std::string> names;
  Matrix<double> prediction;  // scores, row -> column; 0 where an edge list has none
  Matrix<double> truth;       // 0 or not
  // Where the prediction is a list of scored edges that leaves ordered pairs out, as one cut at a threshold
  // does: the scores it has, reverse ones included. Absent for a matrix, for a list of every pair, and for a
  // list without scores, which is a graph and not a part of a ranking.
  std::optional<PartialScores> partial;
};

// Matches variables by name; a file without names matches by number. Two edge lists are taken over the union
// of their variables; as lists leave out variables without edges, `nodes` > 0 may say how many there are in
// truth. Names that one file has and the other must but does not know throw InputError listing them. So do
// matrices that would take more than `max_bytes` (0: the usual share of the memory): an edge list of one line
// can name variable 99999.
GraphPair match_graphs(const GraphFile& prediction, const GraphFile& truth, int nodes = 0,
                       std::size_t max_bytes = 0);

// The same for a prediction that is a whole matrix, which is taken over where the order of the variables is
// its own: no other n x n matrix is made.
struct MatrixPair {
  std::vector<std::string> names;
  Matrix<double> prediction;
  Digraph truth;  // an entry of its diagonal throws InputError
};
MatrixPair match_matrix(GraphFile prediction, const GraphFile& truth, int nodes = 0,
                        std::size_t max_bytes = 0);

// The same for predictions that are edge lists or sparse matrices, without any n x n matrix.
struct SparsePair {
  std::vector<std::string> names;
  SparseScores prediction;  // entries of a diagonal are left out
  Digraph truth;            // as in MatrixPair
  // As GraphPair::partial: the scores that a list has, reverse ones included.
  std::optional<SparseScores> partial;
};
SparsePair match_sparse_graphs(const GraphFile& prediction, const GraphFile& truth, int nodes = 0,
                               std::size_t max_bytes = 0);

}  // namespace causcale
