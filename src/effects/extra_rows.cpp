#include "effects/extra_rows.h"

#include <algorithm>
#include <cmath>

#include "causcale/effects.h"
#include "effects/regression.h"

namespace causcale {
namespace {

constexpr double kSignificant = 1.959964;  // normal quantiles of 0.975
constexpr double kPower = 1.281552;        // and of 0.9
constexpr std::size_t kMostGiven = 50;

}  // namespace

RowsNeeded rows_needed(const EffectTable& table, const Digraph& graph, int a, int b) {
  RowsNeeded found{.a = a, .b = b, .given = {}, .rows = 0, .correlation = kNoNumber, .needed = kNoNumber};
  for (const int node : {a, b})
    for (const int parent : graph.parents(node))
      if (parent != a && parent != b) found.given.push_back(parent);
  std::ranges::sort(found.given);
  found.given.erase(std::unique(found.given.begin(), found.given.end()), found.given.end());
  if (found.given.size() > kMostGiven) found.given.resize(kMostGiven);
  std::vector<int> involved = found.given;
  involved.insert(involved.end(), {a, b});
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!table.intervened(r, a) && !table.intervened(r, b) && table.complete(r, involved)) rows.push_back(r);
  found.rows = rows.size();
  rows = spaced_rows(std::move(rows));
  const Variable first = table.variable(a, rows), second = table.variable(b, rows);
  for (const Variable* variable : {&first, &second})
    if (variable->form != VariableForm::kNumber && variable->form != VariableForm::kTwoValues) return found;
  std::vector<Column> design;
  for (const int parent : found.given)
    for (Column& column : table.variable(parent, rows).columns) design.push_back(std::move(column));
  if (rows.size() < design.size() + 4) return found;
  const LeastSquares fit(design, rows.size());
  const Column x = fit.residuals(first.columns.front()), y = fit.residuals(second.columns.front());
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t r = 0; r < x.size(); ++r) {
    xx += x[r] * x[r];
    yy += y[r] * y[r];
    xy += x[r] * y[r];
  }
  if (!(xx > 0.0) || !(yy > 0.0)) return found;
  found.correlation = std::clamp(xy / std::sqrt(xx * yy), -0.999999, 0.999999);
  const double distance = (kSignificant + kPower) / std::atanh(std::abs(found.correlation));
  found.needed = distance * distance + 3.0 + static_cast<double>(design.size());
  return found;
}

}  // namespace causcale
