// Square matrices: this program's (row -> column) and those of pcalg, whose marks are read as follows.
//   amat.cpdag  0 and 1. amat[a,b] = 0 and amat[b,a] = 1: a --> b. Both 1: a --- b. The row of a 1 has the
//               arrowhead: the transpose of this program's matrices.
//   amat.pag    0 no edge, 1 circle, 2 arrowhead, 3 tail; amat[a,b] is the mark at b. amat[a,b] = 2 and
//               amat[b,a] = 3: a --> b.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv_cell.h"
#include "causcale/error.h"
#include "exchange/format_files.h"

namespace causcale {
namespace {

DocumentBuilder builder_of(const GraphFile& file) {
  if (file.is_edge_list) throw InputError(fmt::format("{}: an edge list, not a square matrix", file.path));
  DocumentBuilder builder(file.path);
  for (std::size_t i = 0; i < file.names.size(); ++i) {
    builder.node(file.names[i]);
    if (file.matrix(i, i) != 0.0)
      throw InputError(fmt::format("{}: variable '{}' has an edge to itself", file.path, file.names[i]));
  }
  return builder;
}

std::string place(const GraphFile& file, std::size_t i, std::size_t j) {
  return fmt::format("{}: row '{}', column '{}'", file.path, file.names[i], file.names[j]);
}

}  // namespace

namespace {

// Adds what an entry beside the diagonal means.
class MatrixEntries {
 public:
  MatrixEntries(const GraphFile& file, const ReadGraphOptions& options, bool scored)
      : file_(file), least_(options.threshold.value_or(0.0)), scored_(scored), builder_(builder_of(file)) {
    if (scored && !options.threshold && file.names.size() > 1)
      throw InputError(fmt::format(
          "{} is a matrix of scores: say with --threshold above which value an entry is an edge", file.path));
  }
  void add(std::size_t i, std::size_t j, double value) {
    const int a = static_cast<int>(i), b = static_cast<int>(j);
    if (scored_) builder_.document().pair_scores.push_back({a, b, value});
    if (value > least_)
      builder_.edge({a, b, Mark::kTail, Mark::kArrow, scored_ ? value : std::nan("")}, place(file_, i, j));
  }
  GraphDocument finish() { return builder_.finish(); }

 private:
  const GraphFile& file_;
  double least_;
  bool scored_;
  DocumentBuilder builder_;
};

bool is_score(double value) {
  return value != 0.0 && value != 1.0;
}

}  // namespace

GraphDocument document_of_matrix(const GraphFile& file, const ReadGraphOptions& options) {
  MatrixEntries entries(file, options, std::ranges::any_of(file.matrix.values(), is_score));
  const std::size_t n = file.names.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) entries.add(i, j, file.matrix(i, j));
  return entries.finish();
}

GraphDocument document_of_sparse(const GraphFile& file, const ReadGraphOptions& options) {
  const bool scored =
      std::ranges::any_of(file.edges, [](const StoredEdge& edge) { return is_score(edge.score); });
  MatrixEntries entries(file, options, scored);
  for (const StoredEdge& edge : file.edges) {
    const auto i = static_cast<std::size_t>(edge.source), j = static_cast<std::size_t>(edge.target);
    if (i != j) entries.add(i, j, edge.score);
  }
  GraphDocument document = entries.finish();
  document.others_score_zero = true;
  return document;
}

GraphDocument document_of_pcalg_cpdag(const GraphFile& file) {
  DocumentBuilder builder = builder_of(file);
  const std::size_t n = file.names.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double value = file.matrix(i, j);
      if (value != 0.0 && value != 1.0)
        throw InputError(fmt::format("{}: {} where pcalg's amat.cpdag has 0 or 1", place(file, i, j), value));
      if (value == 0.0) continue;
      const bool both = file.matrix(j, i) != 0.0;
      if (both && j < i) continue;
      builder.edge({static_cast<int>(j), static_cast<int>(i), Mark::kTail, both ? Mark::kTail : Mark::kArrow},
                   place(file, i, j));
    }
  return builder.finish();
}

bool looks_like_pcalg_pag(const Matrix<double>& matrix) {
  bool marked = false;
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      const double value = matrix(i, j);
      if (value != 0.0 && value != 1.0 && value != 2.0 && value != 3.0) return false;
      if ((value == 0.0) != (matrix(j, i) == 0.0)) return false;
      marked |= value >= 2.0;
    }
  return marked;
}

GraphDocument document_of_pcalg_pag(const GraphFile& file) {
  DocumentBuilder builder = builder_of(file);
  const std::size_t n = file.names.size();
  const auto mark = [&](std::size_t i, std::size_t j) {
    const double value = file.matrix(i, j);
    if (value == 0.0) return Mark::kNone;
    if (value == 1.0) return Mark::kCircle;
    if (value == 2.0) return Mark::kArrow;
    if (value == 3.0) return Mark::kTail;
    throw InputError(fmt::format("{}: {} where pcalg's amat.pag has 0, 1, 2 or 3", place(file, i, j), value));
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const Mark at_i = mark(j, i), at_j = mark(i, j);
      if ((at_i == Mark::kNone) != (at_j == Mark::kNone))
        throw InputError(fmt::format("{}: a mark at one end only", place(file, i, j)));
      if (at_i != Mark::kNone)
        builder.edge({static_cast<int>(i), static_cast<int>(j), at_i, at_j}, place(file, i, j));
    }
  // Arrows alone may as well be a DAG in this form.
  GraphDocument& document = builder.document();
  document.ancestral = std::ranges::any_of(
      document.edges, [](const DocumentEdge& edge) { return !edge.is_arrow() && !edge.is_undirected(); });
  return builder.finish();
}

std::string format_named_matrix(const std::vector<std::string>& names, const Matrix<double>& matrix,
                                const char* corner) {
  std::string out = corner;
  for (const std::string& name : names) out += ',' + csv_cell(name);
  out += '\n';
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += csv_cell(names[i]);
    for (std::size_t j = 0; j < names.size(); ++j) out += fmt::format(",{:.9g}", matrix(i, j));
    out += '\n';
  }
  return out;
}

std::string format_matrix(const GraphDocument& document) {
  const std::size_t n = document.names.size();
  Matrix<double> matrix(n, n);
  for (const DocumentEdge& edge : document.edges) {
    if (!edge.is_arrow() && !edge.is_undirected())
      refuse_edge(document, edge, "a matrix row -> column", "--> and --- (an entry in both directions)");
    matrix(static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b)) = 1.0;
    if (edge.is_undirected())
      matrix(static_cast<std::size_t>(edge.b), static_cast<std::size_t>(edge.a)) = 1.0;
  }
  return format_named_matrix(document.names, matrix, "source\\target");
}

std::string format_pcalg_cpdag(const GraphDocument& document) {
  require_one_edge_per_pair(document, "pcalg's amat.cpdag");
  const std::size_t n = document.names.size();
  Matrix<double> matrix(n, n);
  for (const DocumentEdge& edge : document.edges) {
    if (!edge.is_arrow() && !edge.is_undirected())
      refuse_edge(document, edge, "pcalg's amat.cpdag", "--> and ---");
    matrix(static_cast<std::size_t>(edge.b), static_cast<std::size_t>(edge.a)) = 1.0;
    if (edge.is_undirected())
      matrix(static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b)) = 1.0;
  }
  return format_named_matrix(document.names, matrix, "\"\"");
}

std::string format_pcalg_pag(const GraphDocument& document) {
  require_one_edge_per_pair(document, "pcalg's amat.pag");
  const std::size_t n = document.names.size();
  Matrix<double> matrix(n, n);
  const auto code = [](Mark mark) { return mark == Mark::kCircle ? 1.0 : mark == Mark::kArrow ? 2.0 : 3.0; };
  for (const DocumentEdge& edge : document.edges) {
    matrix(static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b)) = code(edge.at_b);
    matrix(static_cast<std::size_t>(edge.b), static_cast<std::size_t>(edge.a)) = code(edge.at_a);
  }
  return format_named_matrix(document.names, matrix, "\"\"");
}

}  // namespace causcale
