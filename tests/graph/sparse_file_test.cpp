#include "graph/sparse_file.h"

#include <gtest/gtest.h>

#include <array>

#include "base/file.h"
#include "base/npy.h"
#include "base/zip.h"
#include "causcale/error.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;

const std::vector<std::string> kNames = {"a", "b c", "d,\"e\"", "\xC3\xA4"};
const SparseScores kScores{4, {{{0, 1}, 0.25}, {{0, 3}, 1.0}, {{2, 1}, -3.5}, {{3, 0}, 1e-9}}};

std::vector<StoredEdge> edges_of(const SparseScores& scores) {
  std::vector<StoredEdge> edges;
  for (const auto& [edge, score] : scores.entries) edges.push_back({edge.source, edge.target, score});
  return edges;
}

std::string archive(std::vector<std::pair<std::string, std::string>> members) {
  std::vector<std::pair<std::string, std::string_view>> views;
  for (const auto& [name, content] : members) views.emplace_back(name + ".npy", content);
  return format_zip(views, ZipMethod::kStored);
}

template <class T>
std::string numbers(std::vector<T> values) {
  return format_npy_list(std::span<const T>(values));
}

GraphFile parse(const std::string& bytes) {
  return parse_sparse_npz(std::as_bytes(std::span(bytes)), "m.npz");
}

TEST(SparseFile, BothFormatsComeBackAsTheyWere) {
  const TempFolder folder;
  for (const char* const name : {"scores.npz", "scores.mtx"})
    for (const SparseScores& scores : {kScores, SparseScores{4, {}}}) {
      write_sparse(folder / name, scores, kNames);
      const GraphFile file = read_graph_file(folder / name);
      EXPECT_TRUE(file.is_sparse && file.named && !file.is_edge_list) << name;
      EXPECT_EQ(file.names, kNames);
      EXPECT_EQ(file.edges, edges_of(scores));
      const GraphFile whole = with_whole_matrix(file);
      EXPECT_FALSE(whole.is_sparse);
      EXPECT_EQ(whole.matrix, dense_scores(scores));
    }
  EXPECT_EQ(MappedFile(folder / "scores.names.txt").text(), "a\nb c\nd,\"e\"\n\xC3\xA4\n");
  EXPECT_TRUE(contains(error_of([&] {
                         write_sparse(folder / "x.mtx", SparseScores{1, {}}, {"a\nb"});
                       }),
                       "line break"));
}

TEST(SparseFile, MistakesInTheListOfNamesNameItsFile) {
  const TempFolder folder;
  write_sparse(folder / "m.mtx", SparseScores{2, {}}, {"a", "b"});
  const auto error_with = [&](const char* names) {
    write_file_atomically(folder / "m.names.txt", names);
    return error_of([&] { read_graph_file(folder / "m.mtx"); });
  };
  EXPECT_EQ(error_with("a\n\n"), (folder / "m.names.txt").string() + ", line 2: the name is empty");
  EXPECT_EQ(error_with("a\na\n"), (folder / "m.names.txt").string() + ": name 'a' occurs twice");
}

TEST(SparseFile, WithoutNamesVariablesAreNumbered) {
  const GraphFile file =
      parse_matrix_market("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 .5\n", "m");
  EXPECT_FALSE(file.named);
  EXPECT_EQ(file.names, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(file.edges, (std::vector<StoredEdge>{{1, 0, 0.5}}));
}

TEST(MatrixMarket, OtherKindsAreUnderstood) {
  const std::string pattern =
      "%%MatrixMarket MATRIX Coordinate pattern symmetric\r\n% a remark\r\n\r\n3 3 2\r\n2 1\r\n 3\t3 \r\n";
  EXPECT_EQ(parse_matrix_market(pattern, "m").edges,
            (std::vector<StoredEdge>{{0, 1, 1.0}, {1, 0, 1.0}, {2, 2, 1.0}}));
  const std::string tiny = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1e-400\n2 1 5e-324\n";
  EXPECT_EQ(parse_matrix_market(tiny, "m").edges, (std::vector<StoredEdge>{{0, 1, 0.0}, {1, 0, 5e-324}}));
  const std::string whole = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 +7";
  EXPECT_EQ(parse_matrix_market(whole, "m").edges, (std::vector<StoredEdge>{{0, 1, 7.0}}));
  EXPECT_TRUE(
      parse_matrix_market("%%MatrixMarket matrix coordinate real general\n0 0 0\n", "m").names.empty());
}

TEST(MatrixMarket, MistakesNameTheLine) {
  const std::string begin = "%%MatrixMarket matrix coordinate real general\n";
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           {"", "no Matrix Market file"},
           {"1 2 3\n", "no Matrix Market file"},
           {"%%MatrixMarket matrix array real general\n2 2\n", "array real general"},
           {"%%MatrixMarket matrix coordinate complex general\n2 2\n", "complex"},
           {begin, "the size of the matrix is missing"},
           {begin + "2 3 0\n", "2 x 3, a graph is a square matrix"},
           {begin + "2 2\n", "line 2"},
           {begin + "2 2 1 5\n", "line 2"},
           {begin + "-2 -2 0\n", "line 2"},
           {begin + "2 2 99999999999\n1 2 1\n", "which the file does not hold"},
           {begin + "2 2 2\n1 2 0.123456789\n", "1 of 2 entries"},
           {begin + "2 2 1\n1 3 1\n", "line 3: row 1, column 3 of a matrix of 2"},
           {begin + "2 2 1\n0 1 1\n", "they count from 1"},
           {begin + "2 2 1\n1 2 x\n", "line 3: \"x\" where a number"},
           {begin + "2 2 1\n1 2 nan\n", "not a finite number"},
           {begin + "2 2 1\n1 2 1e400\n", "not a finite number"},
           {begin + "1e-400 2 1\n1 2 1\n", "line 2"},
           {begin + "2 2 1\n1 2 1 1\n", "follows the numbers"},
           {begin + "2 2 1\n1 2 1\n2 1 1\n", "line 4: more than 1 entries"},
           {begin + "2 2 2\n1 2 1\n1 2 0\n", "row 1, column 2 is given twice"},
           {begin + "999999999999 999999999999 0\n", "absurd"}})
    EXPECT_TRUE(contains(error_of([&] { parse_matrix_market(text, "m.mtx"); }), problem)) << text;
  EXPECT_TRUE(
      contains(error_of([&] { parse_matrix_market(begin + "2 2 0\n", "m.mtx", {"a"}); }), "1 names for 2"));
  EXPECT_TRUE(contains(error_of([&] {
                         parse_matrix_market(begin + "2 2 0\n", "m.mtx", {"a", "a"});
                       }),
                       "twice"));
}

TEST(SparseNpz, OtherLayoutsOfSciPyAreRead) {
  const std::string shape = numbers<std::int64_t>({2, 2}), data = numbers<double>({0.5, 0.25});
  const std::vector<StoredEdge> expected = {{0, 1, 0.5}, {1, 0, 0.25}};
  EXPECT_EQ(parse(archive({{"format", format_npy_word("csc")},
                           {"shape", shape},
                           {"data", numbers<double>({0.25, 0.5})},
                           {"indices", numbers<std::int64_t>({1, 0})},
                           {"indptr", numbers<std::int32_t>({0, 1, 2})}}))
                .edges,
            expected);
  const GraphFile coo = parse(archive({{"format", format_npy_text({"coo"})},
                                       {"shape", shape},
                                       {"data", data},
                                       {"row", numbers<std::int32_t>({0, 1})},
                                       {"col", numbers<std::int32_t>({1, 0})},
                                       {"var_names", format_npy_text({"p", "q"})}}));
  EXPECT_EQ(coo.edges, expected);
  EXPECT_EQ(coo.names, (std::vector<std::string>{"p", "q"}));
}

TEST(SparseNpz, MistakesAreExplained) {
  using Members = std::vector<std::pair<std::string, std::string>>;
  const Members whole = {{"format", format_npy_word("csr")},
                         {"shape", numbers<std::int64_t>({2, 2})},
                         {"data", numbers<double>({0.5})},
                         {"indices", numbers<std::int32_t>({1})},
                         {"indptr", numbers<std::int32_t>({0, 1, 1})}};
  EXPECT_EQ(parse(archive(whole)).edges.size(), 1u);
  const auto with = [&](const std::string& key, const std::string& content) {
    Members changed = whole;
    for (auto& [name, value] : changed)
      if (name == key) value = content;
    return error_of([&] { parse(archive(changed)); });
  };
  EXPECT_TRUE(contains(error_of([&] { parse(archive({{"x", numbers<double>({1})}})); }), "no sparse matrix"));
  EXPECT_TRUE(contains(with("format", format_npy_word("bsr")), "format \"bsr\""));
  EXPECT_TRUE(contains(with("format", numbers<double>({1})), "csr, csc and coo"));
  EXPECT_TRUE(contains(with("shape", numbers<std::int64_t>({2})), "two sizes"));
  EXPECT_TRUE(contains(with("shape", numbers<double>({2.5, 2.5})), "whole number"));
  EXPECT_TRUE(contains(with("shape", numbers<std::int64_t>({2, 3})), "square"));
  EXPECT_TRUE(contains(with("indices", numbers<std::int32_t>({2})), "column 3 of a matrix of 2"));
  EXPECT_TRUE(contains(with("indices", numbers<std::int32_t>({1, 0})), "2 numbers where 1"));
  EXPECT_TRUE(contains(with("indptr", numbers<std::int32_t>({0, 1})), "indptr"));
  EXPECT_TRUE(contains(with("indptr", numbers<std::int32_t>({0, 2, 1})), "upwards"));
  EXPECT_TRUE(contains(error_of([] { parse("PK no archive"); }), "m.npz"));
}

TEST(SparseMatch, EqualsTheMatchOfWholeMatrices) {
  const GraphFile list = parse_graph_text(
      "source,target,probability,probability_reverse\nb,a,0.9,0.2\na,c,0.6,0.1\nc,a,0.4,0.6\n", "p");
  GraphFile sparse = list;
  sparse.is_edge_list = false;
  sparse.is_sparse = true;
  sparse.reverse_scores.clear();
  for (const char* const text :
       {"source,target\na,b\nc,a\n", "c,b,a\n0,1,0\n0,0,0\n0,0,0\n", "0,1,0\n0,0,0\n1,0,0\n"})
    for (const GraphFile& prediction : {list, sparse}) {
      const GraphFile truth = parse_graph_text(text, "t");
      if (prediction.is_edge_list && !truth.is_edge_list && !truth.named) continue;  // no names to match
      const GraphPair whole = match_graphs(prediction, truth);
      const SparsePair pair = match_sparse_graphs(prediction, truth);
      EXPECT_EQ(pair.names, whole.names);
      EXPECT_EQ(dense_scores(pair.prediction), whole.prediction);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          EXPECT_EQ(pair.truth.has_edge(static_cast<int>(i), static_cast<int>(j)), whole.truth(i, j) != 0.0);
      ASSERT_EQ(pair.partial.has_value(), whole.partial.has_value());
      if (pair.partial) {
        EXPECT_EQ(dense_scores(*pair.partial), whole.partial->scores);
      }
      if (prediction.is_edge_list) continue;
      const MatrixPair matrix = match_matrix(with_whole_matrix(sparse), truth);
      EXPECT_EQ(matrix.names, pair.names);
      EXPECT_EQ(matrix.prediction, whole.prediction);
      EXPECT_TRUE(matrix.truth == pair.truth);
    }
}

TEST(SparseMatch, TakesManyVariablesAndRefusesLoops) {
  const GraphFile far = parse_graph_text("source,target,score\n0,99999,0.5\n", "p");
  const SparsePair pair = match_sparse_graphs(far, far);
  EXPECT_EQ(pair.prediction.nodes, 100000);
  EXPECT_EQ(pair.truth.edge_count(), 1u);
  const GraphFile loop =
      parse_matrix_market("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 2 1\n", "t.mtx");
  EXPECT_TRUE(contains(error_of([&] { match_sparse_graphs(loop, loop); }),
                       "t.mtx: variable '1' has an edge to itself"));
  EXPECT_THROW(match_sparse_graphs(far, far, 1000000000, 1 << 20), InputError);
}

}  // namespace
}  // namespace causcale
