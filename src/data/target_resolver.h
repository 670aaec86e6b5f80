// From what a target is called to its column, with the policy for names nobody knows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/interventions.h"

namespace causcale {

class TargetResolver {
 public:
  TargetResolver(const TargetNames& names, const InterventionOptions& options, std::string source);

  // A variable's name or number, or one of those separated by commas, semicolons or plus signs.
  bool knows(std::string_view text) const;
  bool is_control(std::string_view label) const;

  // The columns that `text` names, unsorted. `place` ("line 7") goes into error messages. Sets `drop` where
  // the policy is to drop rows of unknown targets and there is one.
  std::vector<int> resolve(std::string_view text, const std::string& place, bool& drop);
  // A variable by its number, which counts from options.index_base.
  std::vector<int> resolve_index(long long index, const std::string& place, bool& drop);

  // Hands over the noted names, and the interventions of rows that have been resolved one by one.
  ParsedInterventions finish(std::vector<std::vector<int>> targets_of_row,
                             std::vector<std::size_t> dropped_rows);

 private:
  int variable(std::string_view token) const;  // -1: unknown
  void take(int variable, std::vector<int>& targets);
  void unknown(std::string_view token, const std::string& place, bool& drop);

  const TargetNames& names_;
  const InterventionOptions& options_;
  std::string source_;
  std::unordered_map<std::string_view, int> by_name_;
  std::vector<std::string> controls_;  // lower case
  std::vector<char> excluded_seen_;
  ParsedInterventions parsed_;
};

std::string_view trimmed(std::string_view text);  // blanks and one pair of quotes taken off

}  // namespace causcale
