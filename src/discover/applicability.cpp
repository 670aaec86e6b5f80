#include "discover/applicability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/standardize.h"

namespace causcale {
namespace {

// More rows and columns than these do not make the gauge surer; evenly spaced ones are looked at.
constexpr std::size_t kRowsLookedAt = 1000, kColumnsLookedAt = 200;
constexpr double kRelated = 0.1;  // columns of which one explains this share of the other's variance
constexpr std::size_t kFewValues = 20;

struct Column {
  std::vector<double> line, square, cube;  // orthonormal: z, z^2 and z^3 less what the earlier ones explain
};

void remove_mean(std::vector<double>& x) {
  double sum = 0;
  for (double value : x) sum += value;
  for (double& value : x) value -= sum / static_cast<double>(x.size());
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

void remove_part(std::vector<double>& x, const std::vector<double>& along) {
  const double share = dot(x, along);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] -= share * along[k];
}

// Unit length, or zero where nothing but rounding is left.
void normalise(std::vector<double>& x, double size_before) {
  const double size = std::sqrt(dot(x, x));
  const double factor = size > 1e-6 * size_before ? 1.0 / size : 0.0;
  for (double& value : x) value *= factor;
}

Column powers(std::vector<double> z) {
  Column column;
  const double root = std::sqrt(static_cast<double>(z.size()));
  remove_mean(z);
  normalise(z, root * 1e-300);
  column.line = z;
  for (double& value : z) value *= root;
  for (auto [power, exponent] : {std::pair(&column.square, 2), std::pair(&column.cube, 3)}) {
    for (double value : z) power->push_back(exponent == 2 ? value * value : value * value * value);
    remove_mean(*power);
    const double size = std::sqrt(dot(*power, *power));
    remove_part(*power, column.line);
    if (exponent == 3) remove_part(*power, column.square);
    normalise(*power, size);
  }
  return column;
}

std::vector<std::size_t> spaced(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(count, most));
  for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = k * count / chosen.size();
  return chosen;
}

// The cubic regression of a column on one other, for all pairs that are related at all.
double non_linearity(const Matrix<double>& values) {
  const auto rows = spaced(values.rows(), kRowsLookedAt), cols = spaced(values.cols(), kColumnsLookedAt);
  std::vector<Column> columns;
  for (const std::size_t c : cols) {
    std::vector<double> x;
    for (const std::size_t r : rows) x.push_back(values(r, c));
    columns.push_back(powers(std::move(x)));
  }
  // Three coefficients explain about 3 / m of pure noise.
  const double chance = 1.0 / static_cast<double>(rows.size());
  double explained = 0, beyond_line = 0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (i == j) continue;
      const double line = std::pow(dot(columns[i].line, columns[j].line), 2);
      const double curve = std::pow(dot(columns[i].square, columns[j].line), 2) +
                           std::pow(dot(columns[i].cube, columns[j].line), 2) - 2 * chance;
      if (line + curve - chance < kRelated + 3 * chance) continue;
      explained += line + std::max(0.0, curve);
      beyond_line += std::max(0.0, curve);
    }
  return explained > 0 ? beyond_line / explained : 0.0;
}

double upper_kurtosis(const Matrix<double>& values) {
  const ColumnMoments moments = column_moments(values);
  std::vector<double> kurtosis(values.cols(), 0.0);
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < values.cols(); ++c) {
      const double z = (values(r, c) - moments.mean[c]) / moments.deviation[c];
      kurtosis[c] += z * z * z * z;
    }
  std::ranges::sort(kurtosis);
  return kurtosis[(kurtosis.size() - 1) * 9 / 10] / static_cast<double>(values.rows()) - 3.0;
}

struct Contents {
  double integer_columns = 0, discrete_columns = 0, zeros = 0;
};

Contents contents(const Matrix<double>& values) {
  Contents result;
  for (std::size_t c = 0; c < values.cols(); ++c) {
    bool whole = true;
    std::set<double> different;
    for (std::size_t r = 0; r < values.rows(); ++r) {
      const double value = values(r, c);
      whole = whole && value == std::floor(value);
      if (different.size() <= kFewValues) different.insert(value);
      result.zeros += value == 0;
    }
    if (different.size() < 2) continue;  // a constant column says nothing; the audit reports it
    result.integer_columns += whole;
    result.discrete_columns += different.size() <= kFewValues;
  }
  const auto count = static_cast<double>(values.cols());
  result.integer_columns /= count;
  result.discrete_columns /= count;
  result.zeros /= static_cast<double>(values.size());
  return result;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

Traits table_traits(const Dataset& dataset) {
  const Matrix<double>& values = dataset.table.values;
  const Interventions& interventions = dataset.interventions;
  std::set<int> touched;
  std::size_t targets = 0;
  for (const int regime : interventions.regime_of_row) {
    const auto& list = interventions.regimes[regime];
    touched.insert(list.begin(), list.end());
    targets = std::max(targets, list.size());
  }
  const Contents found = contents(values);
  return {{"columns", static_cast<double>(values.cols())},
          {"rows", static_cast<double>(values.rows())},
          {"non_linearity", non_linearity(values)},
          {"tails", upper_kurtosis(values)},
          {"integer_columns", found.integer_columns},
          {"discrete_columns", found.discrete_columns},
          {"zeros", found.zeros},
          {"interventions", touched.empty() ? 0.0 : 1.0},
          {"partial_coverage", !touched.empty() && 10 * touched.size() < 9 * values.cols() ? 1.0 : 0.0},
          {"targets", static_cast<double>(targets)}};
}

std::vector<Remark> compare_traits(const Traits& traits, const TrainingRanges& ranges) {
  std::map<std::string, double> value(traits.begin(), traits.end());
  std::vector<Remark> remarks;
  const auto add = [&](const char* code, std::string message, const char* hint) {
    remarks.push_back({code, std::move(message), hint});
  };
  const auto seen = [&](const char* trait) { return ranges.at(trait); };
  if (value["columns"] > 1.5 * seen("columns").high)
    add("columns_beyond_training",
        fmt::format("the table has {:.0f} variables; the model was trained on {:.0f} to {:.0f}",
                    value["columns"], seen("columns").low, seen("columns").high),
        "expect weaker results; select fewer variables, or use a model trained on larger tables");
  if (2 * value["columns"] < seen("columns").low)
    add("columns_below_training",
        fmt::format("the table has {:.0f} variables; the model was trained on {:.0f} to {:.0f}",
                    value["columns"], seen("columns").low, seen("columns").high),
        "");
  if (2 * value["rows"] < seen("rows").low)
    add("rows_below_training",
        fmt::format("the table has {:.0f} rows; the model was trained on {:.0f} to {:.0f}", value["rows"],
                    seen("rows").low, seen("rows").high),
        "probabilities are likely to be too sure; --bootstrap shows how much they vary");
  if (value["non_linearity"] > seen("non_linearity").high + 0.1)
    add("more_curved_than_training",
        fmt::format("straight lines miss {} of what related variables tell about each other; in training it "
                    "was at most {}",
                    percent(value["non_linearity"]), percent(seen("non_linearity").high)),
        "the relations are of a kind the model has not seen; treat directions with care");
  if (value["tails"] > 1.5 * std::max(0.0, seen("tails").high) + 2)
    add("heavier_tails_than_training",
        fmt::format(
            "one column in ten has an excess kurtosis above {:.1f}; in training it was at most {:.1f}",
            value["tails"], seen("tails").high),
        "look for outliers; a transformation such as log(1 + x) may help");
  if (value["integer_columns"] > seen("integer_columns").high + 0.1)
    add("counts_not_in_training",
        fmt::format("{} of the columns hold whole numbers only; in training it was at most {}",
                    percent(value["integer_columns"]), percent(seen("integer_columns").high)),
        "for counts, log(1 + x) of normalised counts is closer to what the model knows");
  if (value["discrete_columns"] > seen("discrete_columns").high + 0.1)
    add("discrete_not_in_training",
        fmt::format("{} of the columns have at most {} different values; in training it was at most {}",
                    percent(value["discrete_columns"]), kFewValues, percent(seen("discrete_columns").high)),
        "categories and steps are unlike the continuous variables the model knows");
  if (value["zeros"] > seen("zeros").high + 0.1)
    add("zeros_not_in_training",
        fmt::format("{} of the cells are zero; in training it was at most {}", percent(value["zeros"]),
                    percent(seen("zeros").high)),
        "drop-outs look like values to the model; keep variables with fewer zeros");
  if (value["interventions"] > seen("interventions").high)
    add("interventions_not_in_training", "the model was trained on observational data only",
        "the intervention flags may mislead it");
  if (value["interventions"] < seen("interventions").low)
    add("observational_not_in_training", "the model was trained on data with interventions; here are none",
        "directions are unsure without them");
  if (value["partial_coverage"] > seen("partial_coverage").high)
    add("partial_coverage_not_in_training",
        "only some of the variables are intervened on; the model was trained with all or none",
        "directions between variables that are never intervened on are less sure");
  if (value["targets"] > seen("targets").high && seen("targets").high > 0)
    add("several_targets_not_in_training",
        fmt::format("up to {:.0f} variables are intervened on at once; in training it was at most {:.0f}",
                    value["targets"], seen("targets").high),
        "");
  return remarks;
}

void judge_applicability(const Dataset& dataset, const TrainingRanges& ranges, DiscoverResult& result) {
  result.traits = table_traits(dataset);
  result.applicability = compare_traits(result.traits, ranges);
}

}  // namespace causcale
