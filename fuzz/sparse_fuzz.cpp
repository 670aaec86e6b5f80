// Sparse matrices of scores, in both formats; what is accepted is written and read again.
#include <cstdlib>
#include <span>
#include <string_view>

#include "causcale/error.h"
#include "graph/sparse_file.h"
#include "target.h"

namespace {

using namespace causcale;

constexpr std::size_t kMemory = std::size_t{64} << 20;

void check(const GraphFile& file) {
  std::vector<ScoredEdge> entries;
  for (const StoredEdge& edge : file.edges)
    if (edge.source != edge.target) entries.push_back({{edge.source, edge.target}, edge.score});
  const SparseScores scores = sparse_scores(static_cast<int>(file.names.size()), std::move(entries));
  const std::string bytes = format_sparse_npz(scores, file.names);
  const GraphFile again = parse_sparse_npz(std::as_bytes(std::span(bytes)), "again.npz");
  if (again.edges.size() != scores.entries.size()) std::abort();
  if (parse_matrix_market(format_matrix_market(scores), "again.mtx").edges.size() != scores.entries.size())
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // Names of millions of variables that a few bytes can claim would only make it slow.
    const GraphFile file = text.starts_with("%%")
                               ? parse_matrix_market(text, "fuzz.mtx")
                               : parse_sparse_npz(std::as_bytes(std::span(data, size)), "fuzz.npz", kMemory);
    if (file.names.size() < 10'000) check(file);
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  const SparseScores scores{3, {{{0, 1}, 0.5}, {{2, 0}, 1.0}}};
  return {format_matrix_market(scores), format_sparse_npz(scores, {"a", "b", "c"}),
          format_sparse_npz(SparseScores{0, {}}, {}),
          "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"%%MatrixMarket", "coordinate", "pattern", "symmetric", "PK\3\4", "PK\1\2", "PK\5\6", "csr", "coo"};
}
