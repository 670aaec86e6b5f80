#include "data/target_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "causcale/error.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// The end of the first target of a list; within quotes a separator is part of the name.
std::size_t target_end(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (!quoted && (text[at] == ',' || text[at] == ';' || text[at] == '+')) return at;
  }
  return quoted ? std::min(text.find_first_of(",;+"), text.size()) : text.size();
}

std::vector<std::string_view> split_targets(std::string_view text) {
  std::vector<std::string_view> tokens;
  while (!text.empty()) {
    const std::size_t stop = target_end(text);
    if (const std::string_view token = trimmed(text.substr(0, stop)); !token.empty()) tokens.push_back(token);
    text.remove_prefix(std::min(stop + 1, text.size()));
  }
  return tokens;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  if (text.size() < 2 || text.front() != text.back() || (text.front() != '"' && text.front() != '\''))
    return text;
  const std::string_view inside = text.substr(1, text.size() - 2);
  return inside.find(text.front()) == inside.npos ? inside : text;  // "B","C" is a list, not one name
}

TargetResolver::TargetResolver(const TargetNames& names, const InterventionOptions& options,
                               std::string source)
    : names_(names),
      options_(options),
      source_(std::move(source)),
      excluded_seen_(names.variables.size(), 0) {
  for (std::size_t v = 0; v < names.variables.size(); ++v)
    by_name_.emplace(names.variables[v], static_cast<int>(v));
  for (const std::string& label : options.control_labels) controls_.push_back(lower_case(label));
}

int TargetResolver::variable(std::string_view token) const {
  if (const auto found = by_name_.find(token); found != by_name_.end()) return found->second;
  long long index = 0;
  const auto [stop, failure] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (failure != std::errc() || stop != token.data() + token.size()) return -1;
  if (index < options_.index_base || index - options_.index_base >= std::ssize(names_.variables)) return -1;
  return static_cast<int>(index - options_.index_base);
}

bool TargetResolver::knows(std::string_view text) const {
  if (variable(text) >= 0) return true;
  const auto tokens = split_targets(text);
  return std::all_of(tokens.begin(), tokens.end(),
                     [&](std::string_view token) { return variable(token) >= 0; });
}

bool TargetResolver::is_control(std::string_view label) const {
  return std::find(controls_.begin(), controls_.end(), lower_case(label)) != controls_.end();
}

void TargetResolver::take(int variable, std::vector<int>& targets) {
  const auto v = static_cast<std::size_t>(variable);
  if (names_.column[v] >= 0) {
    targets.push_back(names_.column[v]);
  } else if (!excluded_seen_[v]) {
    excluded_seen_[v] = 1;
    parsed_.excluded_targets.push_back(names_.variables[v]);
  }
}

void TargetResolver::unknown(std::string_view token, const std::string& place, bool& drop) {
  if (options_.unknown == UnknownTargets::kError)
    throw InputError(
        fmt::format("{}: {}: unknown target {}: neither a variable of the table nor an index from {} to {} "
                    "(choose what to do "
                    "with such rows by --unknown-targets ignore or drop; name control labels with --control)",
                    source_, place, quoted_excerpt(token), options_.index_base,
                    std::ssize(names_.variables) - 1 + options_.index_base));
  drop = drop || options_.unknown == UnknownTargets::kDrop;
  auto& known = parsed_.unknown_targets;
  if (std::find(known.begin(), known.end(), token) == known.end()) known.emplace_back(token);
}

std::vector<int> TargetResolver::resolve(std::string_view text, const std::string& place, bool& drop) {
  std::vector<int> targets;
  text = trimmed(text);
  if (const int whole = text.empty() ? -1 : variable(text); whole >= 0) {  // a name may contain a comma
    take(whole, targets);
    return targets;
  }
  for (const std::string_view token : split_targets(text)) {
    const int found = variable(token);
    if (found >= 0)
      take(found, targets);
    else if (!is_control(token))
      unknown(token, place, drop);
  }
  return targets;
}

std::vector<int> TargetResolver::resolve_index(long long index, const std::string& place, bool& drop) {
  std::vector<int> targets;
  if (index >= options_.index_base && index - options_.index_base < std::ssize(names_.variables))
    take(static_cast<int>(index - options_.index_base), targets);
  else
    unknown(fmt::to_string(index), place, drop);
  return targets;
}

ParsedInterventions TargetResolver::finish(std::vector<std::vector<int>> targets_of_row,
                                           std::vector<std::size_t> dropped_rows) {
  parsed_.interventions = canonical_interventions(std::move(targets_of_row));
  parsed_.dropped_rows = std::move(dropped_rows);
  return std::move(parsed_);
}

}  // namespace causcale
