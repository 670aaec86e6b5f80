// The parts that an audit consists of; each adds its findings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/audit.h"

namespace causcale {

// "A", "B" and 7 more
std::string name_list(const std::vector<std::string>& names);

class FindingList {
 public:
  explicit FindingList(std::vector<Finding>& findings) : findings_(findings) {}
  void add(Severity severity, std::string code, std::vector<std::string> columns, std::string message,
           std::string hint, std::size_t line = 0) {
    findings_.push_back(
        {severity, std::move(code), std::move(columns), line, std::move(message), std::move(hint)});
  }

 private:
  std::vector<Finding>& findings_;
};

// What was understood of the columns: those set aside, categories, ways of writing, mostly missing ones.
void audit_kinds(const std::vector<ColumnNote>& columns, std::size_t rows, FindingList& findings);

// Constants, copies, sums, one-hot groups and other linear dependences. `kinds` has one entry per column.
void audit_structure(const Table& table, const std::vector<ColumnKind>& kinds, FindingList& findings);

// Whether a column's missing cells go with the values of another.
void audit_missingness(const Table& table, const std::vector<ColumnKind>& kinds, FindingList& findings);

// Columns that count the rows, sorted ones, and rows that resemble the ones before.
void audit_row_order(const Dataset& dataset, const std::vector<ColumnKind>& kinds, FindingList& findings);

}  // namespace causcale
