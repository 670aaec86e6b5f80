#include "discover/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "causcale/error.h"
#include "core/input.h"

namespace causcale {
namespace {

// Logarithms of normalised counts hardly reach 15 (natural) or 20 (base 2); counts, normalised or not, do.
constexpr double kLargestLogarithm = 30.0;
// With fewer different values, whole numbers are rather steps or categories.
constexpr std::size_t kFewCounts = 20;

bool is_count(const Table& table, std::size_t column) {
  std::set<double> values;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double value = table.values(r, column);
    if (value < 0 || value != std::floor(value)) return false;
    if (values.size() <= kFewCounts) values.insert(value);
  }
  return values.size() > kFewCounts;
}

// Half of the columns are counts, which this model was given as they are.
std::optional<Remark> remark_on_counts(const Table& table) {
  std::size_t counts = 0;
  for (std::size_t c = 0; c < table.cols(); ++c) counts += is_count(table, c);
  if (counts == 0 || 2 * counts < table.cols()) return {};
  return Remark{
      "counts_as_they_are",
      fmt::format("{} of {} columns are counts, which the network sees as they are", counts, table.cols()),
      "where counts differ by factors, as in sequencing, --transform log1p is usually better"};
}

}  // namespace

TransformChoice choose_transform(ValueTransform asked, ValueTransform of_model, const Table& table) {
  if (asked != ValueTransform::kAuto) return {asked == ValueTransform::kLog1p, {}};
  if (of_model != ValueTransform::kLog1p) return {false, remark_on_counts(table)};
  const std::vector<double>& values = table.values.values();
  const auto as_they_are = [](std::string what) {
    return TransformChoice{
        false, Remark{"not_counts", "the model takes logarithms of counts, but " + std::move(what),
                      "values were used as they are; --transform log1p takes their logarithms all the same"}};
  };
  if (std::ranges::any_of(values, [](double value) { return value < 0; }))
    return as_they_are("some values are negative");
  const bool whole = std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
  if (!whole && std::ranges::max(values) < kLargestLogarithm)
    return as_they_are(fmt::format("values with fractions, none above {:.0f}, look like logarithms already",
                                   kLargestLogarithm));
  return {true, {}};
}

TransformChoice transform_values(ValueTransform asked, ValueTransform of_model, Table& table) {
  TransformChoice choice = choose_transform(asked, of_model, table);
  if (choice.logarithm) take_logarithms(table);
  return choice;
}

void take_logarithms(Table& table, const std::string& where, const std::string& advice) {
  require_logarithms(table, where, advice);
  take_logarithms(table.values);
}

void take_logarithms_as_stored(Table& table, const std::string& where) {
  take_logarithms(table, where,
                  "the result was made of logarithms: for this table make one without (--transform none)");
}

void require_logarithms(const Table& table, const std::string& where, const std::string& advice) {
  const Matrix<double>& values = table.values;
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < values.cols(); ++c)
      if (values(r, c) <= -1)  // what is missing stays so
        throw InputError(fmt::format("{}row {}, column '{}': {} has no log(1 + x); {}", where, r + 1,
                                     table.names[c], values(r, c), advice));
}

}  // namespace causcale
