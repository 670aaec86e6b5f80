#include "graph/knowledge_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "base/file.h"
#include "base/text_encoding.h"
#include "causcale/error.h"

namespace causcale {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The cells of a line between separators outside quotes.
std::vector<std::string> split_at(std::string_view line, char separator) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      if (quoted && at + 1 < line.size() && line[at + 1] == '"')
        cell += line[++at];
      else
        quoted = !quoted;
    } else if (line[at] == separator && !quoted) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[at];
    }
  }
  cells.emplace_back(trimmed(cell));
  return cells;
}

// At commas; where there is none, at the semicolons or tabs that some spreadsheets write.
std::vector<std::string> split(std::string_view line) {
  for (const char separator : {',', ';', '\t'}) {
    std::vector<std::string> cells = split_at(line, separator);
    if (cells.size() > 1) return cells;
  }
  return split_at(line, ',');
}

std::vector<std::string> split_at_blanks(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at < line.size();) {
    const auto begin = line.find_first_not_of(" \t", at);
    if (begin == line.npos) break;
    const auto end = std::min(line.find_first_of(" \t", begin), line.size());
    cells.emplace_back(line.substr(begin, end - begin));
    at = end;
  }
  return cells;
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Walks the non-empty lines of a file, with names resolved and errors located.
class LineReader {
 public:
  LineReader(const std::filesystem::path& path, const std::vector<std::string>& names)
      : path_(path), file_(path) {
    for (std::size_t i = 0; i < names.size(); ++i) index_.emplace(names[i], static_cast<int>(i));
    rest_ = as_utf8(file_.text(), converted_);
  }

  bool next() {
    while (!rest_.empty()) {
      const auto end = rest_.find('\n');
      line_ = trimmed(rest_.substr(0, end));
      rest_ = end == rest_.npos ? std::string_view{} : rest_.substr(end + 1);
      ++number_;
      if (!line_.empty() && !is_comment()) return true;
    }
    return false;
  }
  std::string_view line() const { return line_; }
  int number() const { return number_; }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", path_.string(), number_, what));
  }
  bool known(const std::string& name) const { return index_.contains(name); }
  int variable(const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) fail(fmt::format("'{}' is not a variable of the table", name));
    return found->second;
  }
  Edge edge(const std::vector<std::string>& cells) const {
    if (cells.size() != 2) fail(fmt::format("expected two names (from, to), found {}", cells.size()));
    const Edge result{variable(cells[0]), variable(cells[1])};
    if (result.source == result.target) fail(fmt::format("'{}' cannot cause itself", cells[0]));
    return result;
  }

 private:
  // Unless a variable's name begins like one.
  bool is_comment() const {
    return line_.front() == '#' && !known(split(line_).front()) && !known(split_at_blanks(line_).front());
  }

  std::filesystem::path path_;
  MappedFile file_;
  std::string converted_;  // the text, where the file is not UTF-8
  std::string_view rest_, line_;
  int number_ = 0;
  std::unordered_map<std::string, int> index_;
};

bool is_header(const std::vector<std::string>& cells, const LineReader& lines) {
  static const char* const words[] = {"from",   "to",       "source", "target", "cause",
                                      "effect", "variable", "name",   "tier"};
  return std::ranges::all_of(cells, [&](std::string cell) {
    if (lines.known(cell)) return false;
    std::ranges::transform(cell, cell.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::find(words, cell) != std::end(words);
  });
}

}  // namespace

std::vector<Edge> read_edge_constraints(const std::filesystem::path& path,
                                        const std::vector<std::string>& names) {
  LineReader lines(path, names);
  std::vector<Edge> edges;
  bool first = true;
  while (lines.next()) {
    const auto cells = split(lines.line());
    if (!(first && is_header(cells, lines))) edges.push_back(lines.edge(cells));
    first = false;
  }
  return edges;
}

void read_tiers(const std::filesystem::path& path, const std::vector<std::string>& names,
                Knowledge& knowledge) {
  LineReader lines(path, names);
  if (knowledge.tier_of.empty()) knowledge.tier_of.assign(names.size(), -1);
  bool first = true;
  while (lines.next()) {
    const auto cells = split(lines.line());
    if (first && is_header(cells, lines)) {
      first = false;
      continue;
    }
    first = false;
    if (cells.size() != 2)
      lines.fail(fmt::format("expected a variable and its tier, found {} cells", cells.size()));
    const auto tier = whole_number(cells[1]);
    if (!tier || *tier < 0) lines.fail(fmt::format("the tier '{}' is not a whole number", cells[1]));
    int& place = knowledge.tier_of[lines.variable(cells[0])];
    if (place >= 0 && place != *tier)
      lines.fail(fmt::format("'{}' is put in tier {} and {}", cells[0], place, *tier));
    place = *tier;
  }
}

void read_tetrad_knowledge(const std::filesystem::path& path, const std::vector<std::string>& names,
                           Knowledge& knowledge) {
  enum class Section { kNone, kTemporal, kForbidden, kRequired } section = Section::kNone;
  LineReader lines(path, names);
  if (!lines.next() || lines.line() != "/knowledge")
    throw InputError(
        fmt::format("{}: a Tetrad knowledge file starts with the line /knowledge", path.string()));
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line == "addtemporal") {
      section = Section::kTemporal;
      if (knowledge.tier_of.empty()) knowledge.tier_of.assign(names.size(), -1);
    } else if (line == "forbiddirect") {
      section = Section::kForbidden;
    } else if (line == "requiredirect") {
      section = Section::kRequired;
    } else if (section == Section::kTemporal) {
      auto cells = split_at_blanks(line);
      const bool closed = cells[0].ends_with('*');
      if (closed) cells[0].pop_back();
      const auto tier = whole_number(cells[0]);
      if (!tier) lines.fail(fmt::format("expected a tier number, found '{}'", cells[0]));
      if (closed) knowledge.closed_tiers.push_back(*tier);
      for (std::size_t k = 1; k < cells.size(); ++k) knowledge.tier_of[lines.variable(cells[k])] = *tier;
    } else if (section == Section::kForbidden) {
      knowledge.forbidden.push_back(lines.edge(split_at_blanks(line)));
    } else if (section == Section::kRequired) {
      knowledge.required.push_back(lines.edge(split_at_blanks(line)));
    } else {
      lines.fail(fmt::format("'{}' stands before any of addtemporal, forbiddirect, requiredirect", line));
    }
  }
}

}  // namespace causcale
