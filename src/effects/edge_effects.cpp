#include <algorithm>
#include <cmath>
#include <map>

#include "base/distributions.h"
#include "base/parallel.h"
#include "causcale/effects.h"
#include "data/value_range.h"
#include "effects/variables.h"

namespace causcale {
namespace {

constexpr double kFarthest = 3.0;  // deviations: beyond, the test of a straight line looks no further
constexpr std::size_t kFewestRows = 4;
// A variable with more parents is no finding but a threshold of zero; a regression on all of them would take
// hours in a table of a thousand variables.
constexpr std::size_t kMostParents = 200;

// The change of the estimate's error when the deviation of a column, by which it is divided or multiplied, is
// itself estimated.
void add_scale_error(std::span<const double> column, double mean, double deviation, double factor,
                     Column& influence) {
  for (std::size_t r = 0; r < influence.size(); ++r) {
    const double z = (column[r] - mean) / deviation;
    influence[r] += factor * 0.5 * (z * z - 1.0);
  }
}

// Does the square or the cube of the cause explain what the straight lines leave? A score test that needs no
// equal variances.
double nonlinearity(const LeastSquares& fit, const Column& cause, const Column& residuals) {
  const double mean = mean_of(cause), deviation = deviation_of(cause);
  std::vector<Column> terms;
  for (const int power : {2, 3}) {
    Column term(cause.size());
    for (std::size_t r = 0; r < cause.size(); ++r)
      term[r] = std::pow(std::clamp((cause[r] - mean) / deviation, -kFarthest, kFarthest), power);
    const double before = deviation_of(term);
    term = fit.residuals(term);
    if (!terms.empty()) {  // what the square has said already
      double product = 0.0, squares = 0.0;
      for (std::size_t r = 0; r < term.size(); ++r) {
        product += term[r] * terms[0][r];
        squares += terms[0][r] * terms[0][r];
      }
      for (std::size_t r = 0; r < term.size(); ++r) term[r] -= product / squares * terms[0][r];
    }
    if (deviation_of(term) > 1e-4 * before) terms.push_back(std::move(term));
  }
  if (terms.empty()) return kNoNumber;
  double score[2] = {}, spread[2][2] = {};
  for (std::size_t r = 0; r < residuals.size(); ++r)
    for (std::size_t a = 0; a < terms.size(); ++a) {
      const double part = residuals[r] * terms[a][r];
      score[a] += part;
      for (std::size_t b = 0; b < terms.size(); ++b) spread[a][b] += part * residuals[r] * terms[b][r];
    }
  if (terms.size() == 1) return spread[0][0] > 0 ? chi_square_tail(score[0] * score[0] / spread[0][0], 1) : 1;
  const double determinant = spread[0][0] * spread[1][1] - spread[0][1] * spread[1][0];
  if (!(determinant > 1e-12 * spread[0][0] * spread[1][1])) return kNoNumber;
  const double statistic = (score[0] * score[0] * spread[1][1] - 2 * score[0] * score[1] * spread[0][1] +
                            score[1] * score[1] * spread[0][0]) /
                           determinant;
  return chi_square_tail(std::max(0.0, statistic), 2);
}

double squares_left(const LeastSquares& fit, const std::vector<Column>& targets) {
  double sum = 0.0;
  for (const Column& target : targets)
    for (const double left : fit.residuals(target)) sum += left * left;
  return sum;
}

class EdgeEffectSearch {
 public:
  explicit EdgeEffectSearch(const Dataset& dataset) : table_(dataset) {}

  // Edges that share their target: all that lead there.
  void look(int target, std::span<EdgeEffect* const> edges) const {
    if (edges.size() > kMostParents) return;
    std::vector<int> involved{target};
    for (const EdgeEffect* edge : edges) involved.push_back(edge->edge.source);
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (!table_.intervened(r, target) && table_.complete(r, involved)) rows.push_back(r);
    rows = spaced_rows(std::move(rows));
    const Variable effect = table_.variable(target, rows);
    std::vector<Variable> causes;
    std::vector<Column> design;
    std::vector<std::size_t> first;  // column of each cause
    for (const EdgeEffect* edge : edges) {
      causes.push_back(table_.variable(edge->edge.source, rows));
      first.push_back(design.size());
      design.insert(design.end(), causes.back().columns.begin(), causes.back().columns.end());
    }
    for (std::size_t k = 0; k < edges.size(); ++k) {
      edges[k]->rows = rows.size();
      edges[k]->kind = kind_of(causes[k].form, effect.form);
      if (table_.experimental()) measure_shift(*edges[k]);
    }
    if (rows.size() < kFewestRows || effect.form == VariableForm::kConstant || design.empty()) return;

    const LeastSquares fit(design, rows.size());
    if (!(fit.degrees() > 0)) return;
    const Column& values = effect.columns.front();
    const bool ordered = effect.form != VariableForm::kCategories;
    const Column residuals = ordered ? fit.residuals(values) : Column();
    const std::vector<double> slopes = ordered ? fit.coefficients(values) : Column();
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (edges[k]->kind == EffectKind::kCorrelationRatio)
        correlation_ratio(fit, design, first[k], causes[k], effect, *edges[k]);
      else if (causes[k].form != VariableForm::kConstant && fit.estimable(first[k]))
        coefficient(fit, first[k], causes[k], effect, slopes[first[k]], residuals, *edges[k]);
    }
  }

 private:
  static EffectKind kind_of(VariableForm cause, VariableForm effect) {
    if (cause == VariableForm::kCategories || effect == VariableForm::kCategories)
      return EffectKind::kCorrelationRatio;
    return effect == VariableForm::kTwoValues ? EffectKind::kRiskDifference
                                              : EffectKind::kStandardizedCoefficient;
  }

  static void coefficient(const LeastSquares& fit, std::size_t column, const Variable& cause,
                          const Variable& effect, double slope, const Column& residuals, EdgeEffect& out) {
    const Column &x = cause.columns.front(), &y = effect.columns.front();
    const bool relative = out.kind == EffectKind::kStandardizedCoefficient;
    const bool per_deviation = relative || cause.form == VariableForm::kNumber;
    const double x_unit = per_deviation ? deviation_of(x) : 1.0, y_unit = relative ? deviation_of(y) : 1.0;
    out.size = slope * x_unit / y_unit;
    Column influence = fit.influence(column, residuals);
    for (double& value : influence) value *= x_unit / y_unit;
    if (per_deviation) add_scale_error(x, mean_of(x), x_unit, out.size, influence);
    if (relative) add_scale_error(y, mean_of(y), y_unit, -out.size, influence);
    const Interval interval = interval_of(out.size, influence, fit.degrees());
    out.low = interval.low;
    out.high = interval.high;
    if (cause.form == VariableForm::kNumber) out.nonlinear_p = nonlinearity(fit, x, residuals);
  }

  static void correlation_ratio(const LeastSquares& fit, const std::vector<Column>& design, std::size_t first,
                                const Variable& cause, const Variable& effect, EdgeEffect& out) {
    if (cause.form == VariableForm::kConstant) return;
    std::vector<Column> others;
    for (std::size_t j = 0; j < design.size(); ++j)
      if (j < first || j >= first + cause.columns.size()) others.push_back(design[j]);
    const LeastSquares without(others, fit.rows());
    if (!(without.degrees() > fit.degrees())) return;  // a combination of the other parents
    // Both are unbiased for the variance that is left, so that many categories do not look like an effect.
    const double full = squares_left(fit, effect.columns) / fit.degrees();
    const double reduced = squares_left(without, effect.columns) / without.degrees();
    if (reduced > 0) out.size = std::sqrt(std::max(0.0, 1.0 - full / reduced));
  }

  void measure_shift(EdgeEffect& out) const {
    const auto [source, target] = out.edge;
    std::vector<std::size_t> alone, together, plain, other;
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const auto touched = table_.targets(r);
      if (std::ranges::binary_search(touched, target) || !table_.complete(r, std::span(&target, 1))) continue;
      if (std::ranges::binary_search(touched, source))
        (touched.size() == 1 ? alone : together).push_back(r);
      else
        (touched.empty() ? plain : other).push_back(r);
    }
    std::vector<std::size_t> there = spaced_rows(std::move(alone.empty() ? together : alone));
    const std::vector<std::size_t> here = spaced_rows(std::move(plain.empty() ? other : plain));
    if (there.size() < 2 || here.size() < 2) return;
    const std::size_t moved = there.size();
    there.insert(there.end(), here.begin(), here.end());
    const Variable both = table_.variable(target, there);
    if (both.form != VariableForm::kNumber && both.form != VariableForm::kTwoValues) return;
    const std::span all(both.columns.front());
    const auto y1 = all.first(moved), y0 = all.subspan(moved);
    const double unit = both.form == VariableForm::kNumber ? deviation_of(y0) : 1.0;
    if (!(unit > 0)) return;
    const double mean1 = mean_of(y1), mean0 = mean_of(y0);
    out.shift = (mean1 - mean0) / unit;
    const auto m1 = static_cast<double>(y1.size()), m0 = static_cast<double>(y0.size());
    const double part1 = std::pow(deviation_of(y1) / unit, 2) / (m1 - 1);
    double part0 = 0.0;
    for (const double y : y0) {
      const double z = (y - mean0) / unit;
      const double error = both.form == VariableForm::kNumber ? z + 0.5 * out.shift * (z * z - 1.0) : z;
      part0 += error * error / (m0 * (m0 - 1));
    }
    const double variance = part0 + part1;
    const double degrees = variance * variance / (part1 * part1 / (m1 - 1) + part0 * part0 / (m0 - 1));
    const double reach = critical_value(degrees) * std::sqrt(variance);
    out.shift_low = out.shift - reach;
    out.shift_high = out.shift + reach;
  }

  EffectTable table_;
};

}  // namespace

std::vector<EdgeEffect> edge_effects(const Dataset& dataset, const Digraph& graph, int threads) {
  std::vector<EdgeEffect> found(graph.edge_count());
  std::map<int, std::vector<EdgeEffect*>> of_target;
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].edge = graph.edges()[k];
    of_target[found[k].edge.target].push_back(&found[k]);
  }
  if (found.empty()) return found;
  require_value_range(dataset.table);
  const std::vector<std::pair<int, std::vector<EdgeEffect*>>> work(of_target.begin(), of_target.end());
  const EdgeEffectSearch search(dataset);
  parallel_for(work.size(), threads, [&](std::size_t k) { search.look(work[k].first, work[k].second); });
  return found;
}

}  // namespace causcale
