#include "methods/mixed_moments.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "methods/strata.h"
#include "methods/widened_columns.h"

namespace causcale {
namespace {

std::size_t triangle(std::size_t a, std::size_t b) {
  return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

CellMoments empty_cell(std::vector<std::uint16_t> key, std::size_t continuous) {
  return {std::move(key), 0.0, std::vector<double>(continuous, 0.0),
          std::vector<double>(continuous * (continuous + 1) / 2, 0.0)};
}

}  // namespace

MixedColumns mixed_columns(const Table& table, std::span<const char> discrete) {
  MixedColumns result;
  result.discrete.assign(discrete.begin(), discrete.end());
  result.rows = table.rows();
  result.codes.resize(table.cols());
  result.continuous.resize(table.cols());
  const std::vector<char> none(table.cols(), 0);
  const WidenedColumns standard = widened_columns(table, none);
  result.missing = standard.missing;
  for (std::size_t c = 0; c < table.cols(); ++c) {
    if (discrete[c]) {
      result.codes[c] = coded_column(table, c, "a conditional Gaussian");
    } else if (standard.blocks[c].width > 0) {
      result.continuous[c].resize(table.rows());
      for (std::size_t r = 0; r < table.rows(); ++r)
        result.continuous[c][r] = standard.values(r, standard.blocks[c].begin);
    }
  }
  return result;
}

MixedMembers split_members(const MixedColumns& columns, std::span<const int> members) {
  MixedMembers result;
  for (const int member : members)
    if (columns.discrete[member])
      result.discrete.push_back(member);
    else if (!columns.constant(member))
      result.continuous.push_back(member);
  return result;
}

std::vector<CellMoments> cell_moments(const MixedColumns& columns, const MixedMembers& members,
                                      std::span<const char> skip) {
  const Strata strata = strata_of(columns.codes, members.discrete, columns.rows);
  const std::size_t count = members.continuous.size();
  std::vector<CellMoments> cells(strata.count, empty_cell({}, count));
  std::vector<double> line(count);
  for (std::size_t r = 0; r < columns.rows; ++r) {
    if (strata.of_row[r] == strata.count || (!skip.empty() && skip[r])) continue;
    bool whole = true;
    for (std::size_t k = 0; k < count; ++k) {
      line[k] = columns.continuous[members.continuous[k]][r];
      whole &= !std::isnan(line[k]);
    }
    if (!whole) continue;
    CellMoments& cell = cells[strata.of_row[r]];
    if (cell.rows == 0.0)
      for (const int member : members.discrete) cell.key.push_back(columns.codes[member].codes[r]);
    cell.rows += 1.0;
    double* product = cell.products.data();
    for (std::size_t a = 0; a < count; ++a) {
      cell.sums[a] += line[a];
      for (std::size_t b = 0; b <= a; ++b) *product++ += line[a] * line[b];
    }
  }
  std::erase_if(cells, [](const CellMoments& cell) { return cell.rows == 0.0; });
  return cells;
}

std::vector<CellMoments> coarser_cells(const std::vector<CellMoments>& cells, std::span<const int> discrete,
                                       std::span<const int> continuous) {
  std::map<std::vector<std::uint16_t>, std::size_t> place;
  std::vector<CellMoments> result;
  for (const CellMoments& cell : cells) {
    std::vector<std::uint16_t> key;
    for (const int position : discrete) key.push_back(cell.key[position]);
    const auto [found, fresh] = place.emplace(key, result.size());
    if (fresh) result.push_back(empty_cell(key, continuous.size()));
    CellMoments& sum = result[found->second];
    sum.rows += cell.rows;
    for (std::size_t a = 0; a < continuous.size(); ++a) {
      sum.sums[a] += cell.sums[continuous[a]];
      for (std::size_t b = 0; b <= a; ++b)
        sum.products[triangle(a, b)] += cell.products[triangle(continuous[a], continuous[b])];
    }
  }
  return result;
}

double log_determinant(const CellMoments& cell, double floor, bool* last_determined) {
  const std::size_t count = cell.sums.size();
  std::vector<double> factor(cell.products.size());
  double result = 0.0;
  if (last_determined) *last_determined = false;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double rest = (cell.products[triangle(a, b)] - cell.sums[a] * cell.sums[b] / cell.rows) / cell.rows;
      for (std::size_t k = 0; k < b; ++k) rest -= factor[triangle(a, k)] * factor[triangle(b, k)];
      if (b < a) {
        const double pivot = factor[triangle(b, b)];
        factor[triangle(a, b)] = pivot > 0.0 ? rest / pivot : 0.0;
        continue;
      }
      const bool determined = !(rest > floor);
      factor[triangle(a, a)] = determined ? 0.0 : std::sqrt(rest);
      result += std::log(std::max(rest, floor));
      if (last_determined && a + 1 == count) *last_determined = determined;
    }
  return result;
}

}  // namespace causcale
