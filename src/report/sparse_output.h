// Which scores of a result go into files: all of few variables, those above a floor of many.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "causcale/discover.h"
#include "graph/sparse_scores.h"

namespace causcale {

// Of more variables a result in JSON holds the pairs above a floor instead of whole matrices.
constexpr std::size_t kMostJsonVariables = 2'000;
// Of more variables no n x n numbers are written as text at all.
constexpr std::size_t kMostTextVariables = 5'000;
// Probabilities below it are left out of sparse files where nobody chose another floor.
constexpr double kUsualFloor = 0.01;

// The least score that sparse files hold: the result's own floor, else kUsualFloor of probabilities, and of
// scores that only rank whatever is not 0.
double output_floor(const DiscoverResult& result);

// The scores at or above the floor; and those of the graph's edges alone, whatever they are.
SparseScores scores_above_floor(const DiscoverResult& result);
SparseScores graph_scores(const DiscoverResult& result);

// Whether JSON holds `pairs` in place of matrices: a floor was chosen, or there are too many variables.
bool holds_pairs(const DiscoverResult& result);
// {least, source, target, score, and the bootstrap's figures}: columns of pairs, variables by number. The
// edges of the graph are among them, whatever their score.
nlohmann::ordered_json pairs_json(const DiscoverResult& result);
// {least, source, target, name}: the entries of another matrix over the variables.
nlohmann::ordered_json pairs_json(const Matrix<double>& values, double least, const char* name);

// The scores under `key`, or as `pairs`, and the figures of a bootstrap, as holds_pairs() says.
void add_matrices(const DiscoverResult& result, const char* key, nlohmann::ordered_json& out);

// What the model tells of pairs beside edges, by its name: matrices, or {pairs} where there are too many
// variables.
void add_told_pairs(const DiscoverResult& result, nlohmann::ordered_json& out);

// Throws UsageError where `what`, a file or option, would write the numbers of so many pairs as text.
void require_text_size(const std::string& what, std::size_t variables, const char* instead);

}  // namespace causcale
