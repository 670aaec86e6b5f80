#include "effects/variables.h"

#include <algorithm>
#include <cmath>

#include "data/columns.h"

namespace causcale {

EffectTable::EffectTable(const Dataset& dataset)
    : dataset_(dataset), kinds_(dataset.table.kinds), experimental_(!dataset.interventions.observational()) {
  if (kinds_.size() == dataset.table.cols()) return;
  kinds_.clear();
  for (const KindFound& found : infer_kinds(dataset.table.values)) kinds_.push_back(found.kind);
}

Variable EffectTable::variable(int column, std::span<const std::size_t> rows) const {
  const auto c = static_cast<std::size_t>(column);
  Column values(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) values[k] = dataset_.table.values(rows[k], c);
  Variable result;
  if (values.empty()) return result;
  const double least = std::ranges::min(values), most = std::ranges::max(values);
  if (least == most) return result;
  const bool two =
      std::ranges::all_of(values, [least = least, most = most](double v) { return v == least || v == most; });
  if (two && kinds_[c] != ColumnKind::kContinuous) {
    for (double& value : values) value = value == most ? 1.0 : 0.0;
    result.form = VariableForm::kTwoValues;
  } else if (kinds_[c] == ColumnKind::kUnordered) {
    std::vector<double> levels = values;
    std::ranges::sort(levels);
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    for (std::size_t level = 1; level < levels.size(); ++level) {
      Column indicator(values.size());
      for (std::size_t k = 0; k < values.size(); ++k) indicator[k] = values[k] == levels[level] ? 1.0 : 0.0;
      result.columns.push_back(std::move(indicator));
    }
    result.form = VariableForm::kCategories;
    return result;
  } else {
    result.form = VariableForm::kNumber;
  }
  result.columns.push_back(std::move(values));
  return result;
}

bool EffectTable::complete(std::size_t row, std::span<const int> columns) const {
  return std::ranges::all_of(columns, [&](int column) {
    return std::isfinite(dataset_.table.values(row, static_cast<std::size_t>(column)));
  });
}

bool EffectTable::intervened(std::size_t row, int variable) const {
  return std::ranges::binary_search(targets(row), variable);
}

std::span<const int> EffectTable::targets(std::size_t row) const {
  const Interventions& interventions = dataset_.interventions;
  if (interventions.regime_of_row.empty()) return {};
  return interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[row])];
}

std::vector<std::size_t> spaced_rows(std::vector<std::size_t> rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<std::size_t> chosen(most);
  for (std::size_t k = 0; k < most; ++k) chosen[k] = rows[k * rows.size() / most];
  return chosen;
}

}  // namespace causcale
