// Files of sparse matrices of scores: Matrix Market (.mtx), and .npz as scipy.sparse writes it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph_file.h"
#include "graph/sparse_scores.h"

namespace causcale {

bool is_sparse_name(const std::filesystem::path& path);  // ends in .mtx or .npz

// "coordinate real general", numbers from 1. The format has no place for names.
std::string format_matrix_market(const SparseScores& scores);
// The list of names that belongs to a .mtx file and stands beside it, one a line: graph.mtx has
// graph.names.txt.
std::filesystem::path names_file(const std::filesystem::path& matrix_file);
// What scipy.sparse.load_npz reads: data, indices, indptr, shape and format (csr); and `names` beside them.
std::string format_sparse_npz(const SparseScores& scores, const std::vector<std::string>& names);

// By extension; a .mtx file with its list of names, which is written first.
void write_sparse(const std::filesystem::path& path, const SparseScores& scores,
                  const std::vector<std::string>& names);

// A GraphFile with is_sparse set: every variable is there, and the entries that the file holds are its edges,
// those on the diagonal included. Without a list of names variables are numbered from 0. Throws InputError
// naming the file, and the line of a .mtx file.
GraphFile read_sparse(const std::filesystem::path& path);
// `names` are those of the list, or empty where there is none.
GraphFile parse_matrix_market(std::string_view text, const std::string& path,
                              std::vector<std::string> names = {});
// Formats csr, csc and coo; names under `names` or `var_names`, where the archive has them.
GraphFile parse_sparse_npz(std::span<const std::byte> bytes, const std::string& path,
                           std::size_t max_bytes = 0);

}  // namespace causcale
