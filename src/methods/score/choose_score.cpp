#include "methods/score/choose_score.h"

#include <fmt/format.h>

#include <cmath>

#include "causcale/error.h"
#include "methods/column_codes.h"
#include "methods/score/discrete_score.h"
#include "methods/score/gaussian_score.h"
#include "methods/score/mixed_scores.h"

namespace causcale {
namespace {

const std::vector<std::string>& score_names() {
  static const std::vector<std::string> names{
      "auto", "gaussian-bic", "bdeu", "discrete-bic", "conditional-gaussian-bic", "degenerate-gaussian-bic"};
  return names;
}

std::string name_for(TableKind kind, bool missing) {
  switch (kind) {
    case TableKind::kDiscrete:
      return missing ? "discrete-bic" : "bdeu";
    case TableKind::kMixed:
      return "conditional-gaussian-bic";
    default:
      return "gaussian-bic";
  }
}

// Correlations over the rows that each pair has, as if the mean number of such rows had given all of them.
std::unique_ptr<LocalScore> pairwise_gaussian(const Table& table, double penalty) {
  const std::vector<char> none(table.cols(), 0);
  const WidenedColumns columns = widened_columns(table, none);
  const Matrix<double> narrow = widened_correlations(columns);
  Matrix<double> covariance(table.cols(), table.cols());
  for (std::size_t a = 0; a < table.cols(); ++a)
    for (std::size_t b = 0; b < table.cols(); ++b)
      if (columns.blocks[a].width > 0 && columns.blocks[b].width > 0)
        covariance(a, b) = narrow(columns.blocks[a].begin, columns.blocks[b].begin);
  double present = 0.0, pairs = 0.0;
  for (std::size_t a = 0; a < table.cols(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t r = 0; r < table.rows(); ++r)
        present += !std::isnan(table.values(r, a)) && !std::isnan(table.values(r, b));
      pairs += 1.0;
    }
  return std::make_unique<GaussianScore>(covariance, std::max(3.0, present / pairs), penalty);
}

double penalty_setting(const MethodOptions& options, double fallback) {
  const auto found = options.settings.find("penalty");
  if (found != options.settings.end() && found->second == "auto") return fallback;
  return number_setting(options, "penalty", fallback, 1e-3, 1e3);
}

}  // namespace

std::vector<MethodSetting> score_settings() {
  return {
      {"score", "auto",
       "auto: by the kinds of the columns; gaussian-bic (linear, Gaussian); bdeu, discrete-bic (discrete); "
       "conditional-gaussian-bic, degenerate-gaussian-bic (mixed)"},
      {"penalty", "auto",
       "factor of the BIC's log(m) / 2 per parameter, 1 being the plain BIC; auto: 1 for discrete-bic, else "
       "2"},
      {"sample-size", "1", "equivalent sample size of bdeu's prior"},
      {"expected-parents", "1",
       "of a node, in bdeu's prior of the graph; 0: all graphs are equally probable"}};
}

ChosenScore choose_score(const Table& table, const Interventions& interventions,
                         const MethodOptions& options) {
  std::string name = text_setting(options, "score", "auto", score_names());
  const double sample_size = number_setting(options, "sample-size", 1.0, 1e-3, 1e6);
  const std::size_t missing = missing_cells(table);
  ChosenScore result;
  if (name == "auto") {
    const TableKind kind = table_kind(table);
    name = name_for(kind, missing > 0);
    if (kind != TableKind::kContinuous)
      result.log.push_back(fmt::format(
          "score {}: {} (setting score)", name,
          kind == TableKind::kDiscrete ? "all columns are discrete" : "some columns are discrete, some not"));
  } else {
    result.log.push_back("score " + name);
  }
  const double penalty = penalty_setting(options, name == "discrete-bic" ? 1.0 : 2.0);
  if (missing > 0)
    result.log.push_back(fmt::format(
        "{} missing cells: {}", missing,
        name.starts_with("gaussian") || name.starts_with("degenerate")
            ? "covariances are over the rows that a pair of columns has (pairwise)"
            : "a node's term is the mean over the rows that have it and its parents, times the rows"));

  if (name == "gaussian-bic") {
    if (missing > 0 && !interventions.observational())
      throw NeedsCompleteCells(
          "score gaussian-bic cannot use missing values and interventions together; "
          "conditional-gaussian-bic can");
    if (missing > 0)
      result.score = pairwise_gaussian(table, penalty);
    else
      result.score = std::make_unique<GaussianScore>(table, interventions, penalty);
  } else if (name == "bdeu" || name == "discrete-bic") {
    std::vector<CodedColumn> columns;
    for (std::size_t c = 0; c < table.cols(); ++c) columns.push_back(coded_column(table, c, "score=" + name));
    const DiscreteScoreKind kind = name == "bdeu" ? DiscreteScoreKind::kBdeu : DiscreteScoreKind::kBic;
    result.score = std::make_unique<DiscreteScore>(
        std::move(columns), interventions, kind, kind == DiscreteScoreKind::kBdeu ? sample_size : penalty,
        number_setting(options, "expected-parents", 1.0, 0.0, 1e6));
  } else if (name == "conditional-gaussian-bic") {
    result.score = std::make_unique<ConditionalGaussianScore>(mixed_columns(table, discrete_columns(table)),
                                                              interventions, penalty);
  } else {
    result.score = std::make_unique<DegenerateGaussianScore>(widened_columns(table, discrete_columns(table)),
                                                             interventions, penalty);
  }
  return result;
}

}  // namespace causcale
