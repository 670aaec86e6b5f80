// A matrix as part of a stored result.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

// A list of rows.
inline nlohmann::ordered_json matrix_json(const Matrix<double>& matrix) {
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

}  // namespace causcale
