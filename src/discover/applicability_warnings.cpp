#include "discover/applicability_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "data/audit_parts.h"
#include "methods/column_codes.h"

namespace causcale {
namespace {

constexpr std::size_t kVeryFewRows = 30;
constexpr std::size_t kFewestUniform = 50;
constexpr std::size_t kMostUniform = 10000;     // values looked at
constexpr double kLargestKolmogorov = 1.63;     // its 1 % point
constexpr double kLargestKurtosisError = 0.25;  // from that of the uniform distribution, -1.2
constexpr std::array<std::string_view, 7> kFromAudit{
    "duplicate_column",  "sum_of_columns",    "constant_sum",       "one_hot_group",
    "collinear_columns", "row_number_column", "autocorrelated_rows"};

bool is_constant(const Table& table, std::size_t column) {
  for (std::size_t r = 1; r < table.rows(); ++r)
    if (table.values(r, column) != table.values(0, column)) return false;
  return true;
}

std::vector<ColumnKind> kinds_of(const Table& table, const std::vector<char>& discrete) {
  std::vector<ColumnKind> kinds = table.kinds;
  kinds.resize(table.cols(), ColumnKind::kContinuous);
  for (std::size_t c = 0; c < table.cols(); ++c) {
    if (table.kinds.empty() && discrete[c]) kinds[c] = ColumnKind::kOrdered;
    if (is_constant(table, c)) kinds[c] = ColumnKind::kConstant;
  }
  return kinds;
}

void warn_of_structure(const Dataset& dataset, const std::vector<ColumnKind>& kinds,
                       std::vector<Remark>& remarks) {
  std::vector<std::string> constants;
  for (std::size_t c = 0; c < kinds.size(); ++c)
    if (kinds[c] == ColumnKind::kConstant) constants.push_back(dataset.table.names[c]);
  if (!constants.empty())
    remarks.push_back({"constant_columns",
                       fmt::format("no edge leads to or from a constant column: {}", name_list(constants)),
                       "leave constant columns out with --exclude"});
  std::vector<Finding> found;
  FindingList findings(found);
  audit_structure(dataset.table, kinds, findings);
  audit_row_order(dataset, kinds, findings);
  for (const Finding& finding : found)
    if (std::ranges::find(kFromAudit, finding.code) != kFromAudit.end())
      remarks.push_back({finding.code, finding.message, finding.hint});
}

// Whole numbers without a gap or a repetition: the rows' numbers in another order.
bool numbers_rows(const Table& table, std::size_t column) {
  if (table.rows() < kVeryFewRows) return false;
  double low = table.values(0, column), high = low;
  std::set<double> seen;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double value = table.values(r, column);
    if (value != std::floor(value) || !seen.insert(value).second) return false;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high - low + 1.0 == static_cast<double>(table.rows());
}

void warn_of_row_numbers(const Table& table, std::vector<Remark>& remarks) {
  if (std::ranges::find(remarks, "row_number_column", &Remark::code) != remarks.end()) return;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < table.cols(); ++c)
    if (numbers_rows(table, c)) names.push_back(table.names[c]);
  if (!names.empty())
    remarks.push_back({"row_number_column",
                       fmt::format("a number of the row in any order: {}", name_list(names)),
                       "a number of the row is no variable like the others; leave it out with --exclude"});
}

void warn_of_kinds(const Table& table, const std::vector<char>& discrete,
                   const std::vector<ColumnKind>& kinds, const TrainingRanges& ranges,
                   std::vector<Remark>& remarks) {
  std::size_t some = 0, few = 0;
  bool binary = true;
  for (std::size_t c = 0; c < table.cols(); ++c) {
    if (kinds[c] == ColumnKind::kConstant) continue;
    ++some;
    few += discrete[c] != 0;
    std::set<double> values;
    for (std::size_t r = 0; r < table.rows() && values.size() < 3; ++r) values.insert(table.values(r, c));
    binary = binary && values.size() == 2;
  }
  if (few == 0) return;
  // That discrete columns occurred in training does not make a model good at them; one made for counts alone
  // is another matter.
  if (ranges.at("integer_columns").low > 0.5) return;
  if (few < some)
    remarks.push_back(
        {"mixed_table",
         fmt::format("{} of {} columns are discrete, the others continuous: on such tables the "
                     "network is often wrong with confidence",
                     few, some),
         "use --method pc, --method ges or --method boss, which choose tests and scores for mixed "
         "columns"});
  else
    remarks.push_back(
        {binary ? "binary_table" : "discrete_table",
         fmt::format("all {} columns are {}: on such tables the network is often wrong with "
                     "confidence",
                     some, binary ? "binary" : "discrete"),
         "use --method pc or --method ges, which choose tests and scores for discrete columns"});
}

}  // namespace

std::vector<Remark> table_warnings(const Dataset& dataset, const TrainingRanges& ranges, bool knows_kinds) {
  const Table& table = dataset.table;
  std::vector<Remark> remarks;
  const std::vector<char> discrete = discrete_columns(table);
  const std::vector<ColumnKind> kinds = kinds_of(table, discrete);
  warn_of_structure(dataset, kinds, remarks);
  warn_of_row_numbers(table, remarks);
  if (!knows_kinds) warn_of_kinds(table, discrete, kinds, ranges, remarks);
  if (table.rows() < kVeryFewRows)
    remarks.push_back({"very_few_rows",
                       fmt::format("the table has {} rows; fewer than {} say next to nothing about causes",
                                   table.rows(), kVeryFewRows),
                       "take the graph as a guess; --method pc shows which links such a table bears out"});
  return remarks;
}

void clear_constants(const Table& table, const Knowledge& knowledge, DiscoverResult& result) {
  std::vector<char> constant(table.cols());
  for (std::size_t c = 0; c < table.cols(); ++c) constant[c] = is_constant(table, c);
  if (std::ranges::none_of(constant, [](char is) { return is != 0; })) return;
  for (std::size_t i = 0; i < table.cols(); ++i)
    for (std::size_t j = 0; j < table.cols(); ++j) {
      if (!constant[i] && !constant[j]) continue;
      const Edge edge{static_cast<int>(i), static_cast<int>(j)};
      if (std::ranges::find(knowledge.required, edge) != knowledge.required.end()) continue;
      for (Matrix<double>* figure :
           {&result.probabilities, &result.feedback, &result.confounded, &result.bootstrap_mean,
            &result.bootstrap_deviation, &result.selection_frequency})
        if (!figure->empty()) (*figure)(i, j) = 0.0;
    }
}

bool looks_uniform(std::vector<double> values) {
  const std::size_t m = values.size();
  if (m < kFewestUniform) return false;
  std::ranges::sort(values);
  const double low = values.front(), range = values.back() - low;
  if (!(range > 0.0)) return false;
  double mean = 0.0, distance = 0.0;
  for (std::size_t k = 0; k < m; ++k) {
    values[k] = (values[k] - low) / range;
    mean += values[k] / static_cast<double>(m);
    distance = std::max({distance, std::abs(values[k] - static_cast<double>(k) / static_cast<double>(m)),
                         std::abs(values[k] - static_cast<double>(k + 1) / static_cast<double>(m))});
  }
  if (distance * std::sqrt(static_cast<double>(m)) > kLargestKolmogorov) return false;
  double second = 0.0, fourth = 0.0;
  for (const double value : values) {
    const double square = (value - mean) * (value - mean);
    second += square;
    fourth += square * square;
  }
  const double kurtosis = fourth * static_cast<double>(m) / (second * second) - 3.0;
  return std::abs(kurtosis + 1.2) < kLargestKurtosisError;
}

void warn_of_uniform_columns(const Dataset& dataset, DiscoverResult& result) {
  const Table& table = dataset.table;
  const Interventions& interventions = dataset.interventions;
  std::set<int> suspects;
  for (const ScoredEdge& struck : result.struck_edges)
    suspects.insert({struck.edge.source, struck.edge.target});
  if (suspects.empty()) return;
  const std::vector<char> discrete = discrete_columns(table);
  std::vector<std::string> names;
  for (const int c : suspects) {
    std::vector<double> values;
    const std::size_t step = 1 + table.rows() / kMostUniform;
    for (std::size_t r = 0; r < table.rows(); r += step) {
      const bool set_by_experiment =
          !interventions.regime_of_row.empty() &&
          std::ranges::binary_search(interventions.regimes[interventions.regime_of_row[r]], c);
      if (!set_by_experiment) values.push_back(table.values(r, static_cast<std::size_t>(c)));
    }
    if (!discrete[static_cast<std::size_t>(c)] && looks_uniform(std::move(values)))
      names.push_back(table.names[static_cast<std::size_t>(c)]);
  }
  if (names.empty()) return;
  result.applicability.push_back(
      {"uniform_column",
       fmt::format("evenly distributed values, which the network takes for a sign of a cause: {}",
                   name_list(names)),
       "compare with --method pc or --method direct-lingam before trusting arrows of these columns"});
}

}  // namespace causcale
