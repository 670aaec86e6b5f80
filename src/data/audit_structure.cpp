#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "data/audit_parts.h"
#include "data/collinearity.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

constexpr std::size_t kMostColumnsForCollinearity = 3000;
constexpr double kCollinear = 1e-8;  // variance left unexplained
constexpr double kNearlyCollinear = 1e-4;
constexpr double kSumTolerance = 1e-9;  // of the largest value, in every row

class StructureAudit {
 public:
  StructureAudit(const Table& table, const std::vector<ColumnKind>& kinds, FindingList& findings)
      : table_(table), kinds_(kinds), findings_(findings) {}

  void run() {
    if (table_.rows() < 2) return;
    std::vector<char> finite(table_.cols(), 1);
    for (std::size_t r = 0; r < table_.rows(); ++r)
      for (std::size_t c = 0; c < table_.cols(); ++c)
        if (!std::isfinite(table_.values(r, c))) finite[c] = 0;
    const std::vector<std::uint64_t> hashes = column_hashes();
    std::unordered_map<std::uint64_t, std::size_t> first_with;
    std::vector<std::size_t> sound;  // neither constant, nor a copy, nor with gaps
    for (std::size_t c = 0; c < table_.cols(); ++c) {
      if (kinds_[c] == ColumnKind::kConstant) {
        add_constant(c);
        continue;
      }
      const auto [known, added] = first_with.emplace(hashes[c], c);
      if (!added && identical(known->second, c)) {
        const std::string& other = table_.names[known->second];
        findings_.add(Severity::kWarning, "duplicate_column", {other, table_.names[c]},
                      fmt::format("columns {} and {} are identical", quoted_excerpt(other),
                                  quoted_excerpt(table_.names[c])),
                      "no method can tell them apart; leave one out with --exclude");
        continue;
      }
      const bool numbers = kinds_[c] != ColumnKind::kUnordered;
      if (finite[c] && numbers) sound.push_back(c);
    }
    check_categories();
    check_collinearity(sound);
  }

 private:
  const std::string& name(std::size_t c) const { return table_.names[c]; }

  bool has_words(std::size_t c) const { return c < table_.levels.size() && !table_.levels[c].empty(); }

  void add_constant(std::size_t c) {
    std::string value = "without any value";
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const double cell = table_.values(r, c);
      if (std::isnan(cell)) continue;
      value = has_words(c)
                  ? fmt::format("({})", quoted_excerpt(table_.levels[c][static_cast<std::size_t>(cell)]))
                  : fmt::format("({})", cell);
      break;
    }
    findings_.add(Severity::kWarning, "constant_column", {name(c)},
                  fmt::format("column {} is constant {}", quoted_excerpt(name(c)), value),
                  "it says nothing about causes; leave it out with --exclude");
  }

  static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

  bool identical(std::size_t a, std::size_t b) const {
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (!same(table_.values(r, a), table_.values(r, b))) return false;
    const bool words = has_words(a) || has_words(b);
    return !words || (has_words(a) && has_words(b) && table_.levels[a] == table_.levels[b]);
  }

  // Content hashes of all columns, row by row so that memory is read in order.
  std::vector<std::uint64_t> column_hashes() const {
    std::vector<std::uint64_t> hash(table_.cols(), 0);
    for (std::size_t r = 0; r < table_.rows(); ++r)
      for (std::size_t c = 0; c < table_.cols(); ++c) {
        const double cell = table_.values(r, c);
        const double value = std::isnan(cell) ? 0.5 : cell + 0.0;  // -0 and 0 are equal
        hash[c] = (std::rotl(hash[c], 5) ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;
      }
    return hash;
  }

  // Codes by first appearance: columns that divide the rows alike have the same.
  std::vector<int> partition(std::size_t c) const {
    std::vector<int> number(table_.levels[c].size(), -1), result;
    int next = 0;
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const double cell = table_.values(r, c);
      if (std::isnan(cell)) {
        result.push_back(-1);
        continue;
      }
      int& code = number[static_cast<std::size_t>(cell)];
      if (code < 0) code = next++;
      result.push_back(code);
    }
    return result;
  }

  // Two columns of words of which each word of one stands for one of the other: a code and its name.
  void check_categories() {
    std::vector<std::pair<std::size_t, std::vector<int>>> seen;
    constexpr std::size_t kMostCompared = 200;
    for (std::size_t c = 0; c < table_.cols() && seen.size() < kMostCompared; ++c) {
      if (!has_words(c) || kinds_[c] == ColumnKind::kConstant) continue;
      std::vector<int> mine = partition(c);
      for (const auto& [other, its] : seen) {
        if (its != mine || identical(other, c)) continue;
        findings_.add(Severity::kWarning, "same_categories", {name(other), name(c)},
                      fmt::format("columns {} and {} say the same in other words",
                                  quoted_excerpt(name(other)), quoted_excerpt(name(c))),
                      "no method can tell them apart; leave one out with --exclude");
        break;
      }
      seen.emplace_back(c, std::move(mine));
    }
  }

  void check_collinearity(const std::vector<std::size_t>& columns) {
    if (columns.size() < 2 || columns.size() >= table_.rows()) return;
    if (columns.size() > kMostColumnsForCollinearity) {
      findings_.add(Severity::kNote, "collinearity_not_checked", {},
                    fmt::format("collinearity is not checked beyond {} columns", kMostColumnsForCollinearity),
                    "");
      return;
    }
    for (const LinearDependence& dependence : linear_dependences(table_.values, columns, kNearlyCollinear)) {
      if (add_sum(dependence)) continue;
      std::vector<std::string> names{name(dependence.column)}, others;
      for (const std::size_t c : dependence.explained_by) others.push_back(name(c));
      names.insert(names.end(), others.begin(), others.end());
      const bool exact = dependence.unexplained < kCollinear;
      findings_.add(exact ? Severity::kWarning : Severity::kNote,
                    exact ? "collinear_columns" : "nearly_collinear_columns", names,
                    fmt::format("column {} is {}a linear combination of {}: the covariance is {}singular",
                                quoted_excerpt(names.front()), exact ? "" : "nearly ", name_list(others),
                                exact ? "" : "nearly "),
                    "leave one of them out with --exclude, unless it is meant to be so");
    }
  }

  // A column that is the sum of others, or that adds up with them to the same in every row.
  bool add_sum(const LinearDependence& dependence) {
    if (dependence.unexplained >= kCollinear || dependence.explained_by.size() < 2) return false;
    const double sign = dependence.coefficients.front() > 0.0 ? 1.0 : -1.0;
    for (const double coefficient : dependence.coefficients)
      if (std::abs(coefficient - sign) > 1e-5) return false;
    double offset = 0.0, largest = 0.0, worst = 0.0;
    bool indicators = true;
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      double left = table_.values(r, dependence.column);
      largest = std::max(largest, std::abs(left));
      indicators = indicators && (left == 0.0 || left == 1.0);
      for (const std::size_t c : dependence.explained_by) {
        const double value = table_.values(r, c);
        left -= sign * value;
        largest = std::max(largest, std::abs(value));
        indicators = indicators && (value == 0.0 || value == 1.0);
      }
      if (r == 0) offset = left;
      worst = std::max(worst, std::abs(left - offset));
    }
    if (worst > kSumTolerance * largest) return false;
    std::vector<std::size_t> members = dependence.explained_by;
    if (sign < 0.0) members.push_back(dependence.column);
    std::sort(members.begin(), members.end());
    std::vector<std::string> names;
    for (const std::size_t c : members) names.push_back(name(c));
    if (sign > 0.0) {
      const std::string rest =
          std::abs(offset) <= kSumTolerance * largest ? "" : fmt::format(" and {:g}", offset);
      names.insert(names.begin(), name(dependence.column));
      const std::vector<std::string> parts(names.begin() + 1, names.end());
      findings_.add(
          Severity::kWarning, "sum_of_columns", names,
          fmt::format("column {} is the sum of {}{} in every row", quoted_excerpt(names.front()),
                      name_list(parts), rest),
          "if it is so by definition, leave it out with --exclude: no method can tell a sum from its parts");
    } else if (indicators && offset == 1.0) {
      findings_.add(
          Severity::kWarning, "one_hot_group", names,
          fmt::format("columns {} are one variable: exactly one of them is 1 in every row", name_list(names)),
          "--group NAME=COLUMN,COLUMN,... makes one variable of them");
    } else {
      findings_.add(Severity::kWarning, "constant_sum", names,
                    fmt::format("columns {} add up to {:g} in every row (within 1e-9 of the largest value)",
                                name_list(names), offset),
                    "shares of a whole move together without a cause; leave one out with --exclude");
    }
    return true;
  }

  const Table& table_;
  const std::vector<ColumnKind>& kinds_;
  FindingList& findings_;
};

}  // namespace

void audit_structure(const Table& table, const std::vector<ColumnKind>& kinds, FindingList& findings) {
  StructureAudit(table, kinds, findings).run();
}

}  // namespace causcale
