#include "graph/sparse_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/byte_size.h"
#include "base/decimal.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/npz_archive.h"
#include "base/zip.h"
#include "causcale/error.h"

namespace causcale {
namespace {

constexpr std::int64_t kMostVariables = 10'000'000;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// A square matrix whose entries are collected one by one, wherever they come from.
class SparseReader {
 public:
  explicit SparseReader(std::string path) { file_.path = std::move(path); }

  void start(std::int64_t rows, std::int64_t columns, std::vector<std::string> names, std::uint64_t entries,
             std::size_t max_bytes) {
    if (rows != columns)
      throw InputError(fmt::format("{}: {} x {}, a graph is a square matrix", file_.path, rows, columns));
    if (rows > kMostVariables)
      throw InputError(fmt::format("{}: {} variables, which is absurd", file_.path, rows));
    const auto n = static_cast<std::size_t>(rows);
    if (!names.empty() && names.size() != n)
      throw InputError(fmt::format("{}: {} names for {} variables", file_.path, names.size(), n));
    require_memory(file_.path, n * sizeof(std::string) + entries * sizeof(StoredEdge),
                   reading_limit(max_bytes));
    file_.is_sparse = file_.has_scores = true;
    if (!names.empty()) require_distinct_names(names, file_.path);
    file_.names = names.empty() ? numbers_as_names(n) : std::move(names);
    file_.named = has_names(false, file_.names);
    file_.edges.reserve(entries);
  }

  // `where` is asked for where something is wrong only.
  template <class Where>
  void add(std::int64_t row, std::int64_t column, double value, const Where& where) {
    const auto n = static_cast<std::int64_t>(file_.names.size());
    if (row < 0 || column < 0 || row >= n || column >= n)
      throw InputError(
          fmt::format("{}: row {}, column {} of a matrix of {} variables", where(), row + 1, column + 1, n));
    if (!std::isfinite(value)) throw InputError(fmt::format("{}: {} is not a finite number", where(), value));
    file_.edges.push_back({static_cast<int>(row), static_cast<int>(column), value});
  }

  GraphFile finish() {
    const auto place = [](const StoredEdge& edge) { return std::pair(edge.source, edge.target); };
    std::ranges::sort(file_.edges, {}, place);
    const auto same_place = [&](const StoredEdge& a, const StoredEdge& b) { return place(a) == place(b); };
    const auto twice = std::adjacent_find(file_.edges.begin(), file_.edges.end(), same_place);
    if (twice != file_.edges.end())
      throw InputError(fmt::format("{}: the entry of row {}, column {} is given twice", file_.path,
                                   twice->source + 1, twice->target + 1));
    return std::move(file_);
  }

 private:
  GraphFile file_;
};

// Lines one after another, with blank ones and comments passed over.
class Lines {
 public:
  Lines(std::string_view text, std::string path) : text_(text), path_(std::move(path)) {}

  std::optional<std::string_view> next_raw() {
    if (text_.empty()) return std::nullopt;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  std::optional<std::string_view> next() {
    while (const auto line = next_raw())
      if (line->find_first_not_of(" \t") != line->npos && !line->starts_with('%')) return line;
    return std::nullopt;
  }
  std::string where() const { return fmt::format("{}, line {}", path_, number_); }
  std::size_t bytes_left() const { return text_.size(); }

 private:
  std::string_view text_;
  std::string path_;
  std::size_t number_ = 0;
};

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

template <class Number>
std::optional<Number> parse(std::string_view word) {
  if constexpr (std::is_same_v<Number, double>) {
    return parse_decimal(word);
  } else {
    if (word.starts_with('+')) word.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
  }
}

template <class Number>
Number number_in(std::string_view& line, const Lines& lines) {
  const std::string_view word = next_word(line);
  const std::optional<Number> value = parse<Number>(word);
  if (!value)
    throw InputError(fmt::format("{}: {} where a number is expected", lines.where(), quoted_excerpt(word)));
  return *value;
}

void require_end(std::string_view line, const Lines& lines) {
  if (const std::string_view more = next_word(line); !more.empty())
    throw InputError(fmt::format("{}: {} follows the numbers", lines.where(), quoted_excerpt(more)));
}

std::vector<std::string> names_beside(const std::filesystem::path& matrix_file) {
  const std::filesystem::path path = names_file(matrix_file);
  if (!std::filesystem::exists(path)) return {};
  const MappedFile file(path);
  std::vector<std::string> names;
  Lines lines(without_byte_order_mark(file.text()), path.string());
  while (const auto line = lines.next_raw()) {
    if (line->empty()) throw InputError(fmt::format("{}: the name is empty", lines.where()));
    names.emplace_back(*line);
  }
  require_distinct_names(names, path.string());
  return names;
}

std::vector<std::int64_t> whole_numbers(NpzArchive& archive, const std::string& path,
                                        const std::string& key) {
  std::vector<std::int64_t> result;
  for (const double value : archive.numbers(key).values) {
    if (!(std::abs(value) <= 0x1p53) || value != std::floor(value))
      throw InputError(fmt::format("{}:{}: {} where a whole number is expected", path, key, value));
    result.push_back(static_cast<std::int64_t>(value));
  }
  return result;
}

}  // namespace

bool is_sparse_name(const std::filesystem::path& path) {
  return path.extension() == ".mtx" || path.extension() == ".npz";
}

std::filesystem::path names_file(const std::filesystem::path& matrix_file) {
  std::filesystem::path path = matrix_file;
  return path.replace_extension(".names.txt");
}

std::string format_matrix_market(const SparseScores& scores) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "%%MatrixMarket matrix coordinate real general\n"
                 "% row -> column; names beside this file, one a line\n{} {} {}\n",
                 scores.nodes, scores.nodes, scores.entries.size());
  for (const auto& [edge, score] : scores.entries)
    fmt::format_to(out, "{} {} {:.9g}\n", edge.source + 1, edge.target + 1, score);
  return fmt::to_string(text);
}

std::string format_sparse_npz(const SparseScores& scores, const std::vector<std::string>& names) {
  const auto n = static_cast<std::size_t>(scores.nodes);
  std::vector<double> data;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> begins(n + 1, 0);
  data.reserve(scores.entries.size());
  indices.reserve(scores.entries.size());
  for (const auto& [edge, score] : scores.entries) {
    data.push_back(score);
    indices.push_back(edge.target);
    ++begins[static_cast<std::size_t>(edge.source) + 1];
  }
  for (std::size_t i = 0; i < n; ++i) begins[i + 1] += begins[i];
  // SciPy wants both lists of one type.
  const bool narrow = begins.back() <= std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t> narrow_begins(begins.begin(), narrow ? begins.end() : begins.begin());
  const std::vector<std::int64_t> wide_indices(indices.begin(), narrow ? indices.begin() : indices.end());
  const std::array<std::int64_t, 2> shape = {scores.nodes, scores.nodes};
  const std::string parts[] = {narrow ? format_npy_list(std::span<const std::int32_t>(indices))
                                      : format_npy_list(std::span<const std::int64_t>(wide_indices)),
                               narrow ? format_npy_list(std::span<const std::int32_t>(narrow_begins))
                                      : format_npy_list(std::span<const std::int64_t>(begins)),
                               format_npy_word("csr"),
                               format_npy_list(std::span<const std::int64_t>(shape)),
                               format_npy_list(std::span<const double>(data)),
                               format_npy_text(names)};
  const std::pair<std::string, std::string_view> members[] = {
      {"indices.npy", parts[0]}, {"indptr.npy", parts[1]}, {"format.npy", parts[2]},
      {"shape.npy", parts[3]},   {"data.npy", parts[4]},   {"names.npy", parts[5]}};
  return format_zip(members, ZipMethod::kDeflated);
}

void write_sparse(const std::filesystem::path& path, const SparseScores& scores,
                  const std::vector<std::string>& names) {
  if (path.extension() == ".npz") return write_file_atomically(path, format_sparse_npz(scores, names));
  std::string list;
  for (const std::string& name : names) {
    if (name.find_first_of("\r\n") != name.npos)
      throw InputError(fmt::format("{}: the name {} has a line break, which a list of names cannot hold",
                                   names_file(path).string(), quoted_excerpt(name)));
    list += name + '\n';
  }
  write_file_atomically(names_file(path), list);
  write_file_atomically(path, format_matrix_market(scores));
}

GraphFile parse_matrix_market(std::string_view text, const std::string& path,
                              std::vector<std::string> names) {
  Lines lines(without_byte_order_mark(text), path);
  std::string_view banner = lines.next_raw().value_or("");
  std::vector<std::string> words;
  while (words.size() < 6) words.push_back(lower(next_word(banner)));
  if (words[0] != "%%matrixmarket" || words[1] != "matrix")
    throw InputError(
        fmt::format("{}: no Matrix Market file: it does not begin with %%MatrixMarket matrix", path));
  const bool pattern = words[3] == "pattern", symmetric = words[4] == "symmetric";
  if (words[2] != "coordinate" || (!pattern && words[3] != "real" && words[3] != "integer") ||
      (!symmetric && words[4] != "general"))
    throw InputError(
        fmt::format("{}: {} {} {}: read are coordinate; real, integer or pattern; general or symmetric", path,
                    words[2], words[3], words[4]));
  auto line = lines.next();
  if (!line) throw InputError(fmt::format("{}: the line with the size of the matrix is missing", path));
  const auto rows = number_in<std::int64_t>(*line, lines), columns = number_in<std::int64_t>(*line, lines),
             stored = number_in<std::int64_t>(*line, lines);
  require_end(*line, lines);
  // "1 1" and a line break are the shortest entry; the last may lack the latter.
  if (rows < 0 || columns < 0 || stored < 0 ||
      static_cast<std::uint64_t>(stored) > (lines.bytes_left() + 1) / 4)
    throw InputError(fmt::format("{}: {} x {} with {} entries, which the file does not hold", lines.where(),
                                 rows, columns, stored));
  SparseReader reader(path);
  reader.start(rows, columns, std::move(names), (symmetric ? 2 : 1) * static_cast<std::uint64_t>(stored), 0);
  const auto where = [&] { return lines.where(); };
  for (std::int64_t k = 0; k < stored; ++k) {
    line = lines.next();
    if (!line) throw InputError(fmt::format("{}: {} of {} entries; the file is cut off", path, k, stored));
    const auto row = number_in<std::int64_t>(*line, lines), column = number_in<std::int64_t>(*line, lines);
    const double value = pattern ? 1.0 : number_in<double>(*line, lines);
    require_end(*line, lines);
    if (row < 1 || column < 1)
      throw InputError(fmt::format("{}: row {}, column {}; they count from 1", lines.where(), row, column));
    reader.add(row - 1, column - 1, value, where);
    if (symmetric && row != column) reader.add(column - 1, row - 1, value, where);
  }
  if (lines.next()) throw InputError(fmt::format("{}: more than {} entries", lines.where(), stored));
  return reader.finish();
}

GraphFile parse_sparse_npz(std::span<const std::byte> bytes, const std::string& path, std::size_t max_bytes) {
  NpzArchive archive(bytes, path, max_bytes);
  if (!archive.contains("format") || !archive.contains("shape") || !archive.contains("data"))
    throw InputError(fmt::format(
        "{}: no sparse matrix as scipy.sparse.save_npz writes it: it holds {}; a graph that is a plain array "
        "is read from .npy",
        path, archive.key_list()));
  const std::vector<std::string> format_words =
      archive.holds_text("format") ? archive.texts("format") : std::vector<std::string>{};
  const std::string format = format_words.size() == 1 ? format_words.front() : "";
  const std::vector<std::int64_t> shape = whole_numbers(archive, path, "shape");
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0)
    throw InputError(fmt::format("{}:shape: two sizes are expected", path));
  if (format != "csr" && format != "csc" && format != "coo")
    throw InputError(fmt::format("{}: a sparse matrix in format {}; csr, csc and coo are read", path,
                                 quoted_excerpt(format)));
  const std::vector<double> data = archive.numbers("data").values;
  std::vector<std::string> names;
  for (const char* key : {"names", "var_names"})
    if (names.empty() && archive.contains(key)) names = archive.texts(key);

  SparseReader reader(path);
  reader.start(shape[0], shape[1], std::move(names), data.size(), max_bytes);
  const auto expect = [&](const char* key, std::size_t found, std::size_t expected) {
    if (found != expected)
      throw InputError(fmt::format("{}:{}: {} numbers where {} are expected", path, key, found, expected));
  };
  if (format == "coo") {
    const auto rows = whole_numbers(archive, path, "row"), columns = whole_numbers(archive, path, "col");
    expect("row", rows.size(), data.size());
    expect("col", columns.size(), data.size());
    for (std::size_t k = 0; k < data.size(); ++k)
      reader.add(rows[k], columns[k], data[k], [&] { return fmt::format("{}, entry {}", path, k); });
    return reader.finish();
  }
  const auto begins = whole_numbers(archive, path, "indptr"),
             others = whole_numbers(archive, path, "indices");
  expect("indices", others.size(), data.size());
  expect("indptr", begins.size(), static_cast<std::size_t>(shape[0]) + 1);
  if (begins.front() != 0 || begins.back() != static_cast<std::int64_t>(data.size()) ||
      !std::is_sorted(begins.begin(), begins.end()))
    throw InputError(fmt::format("{}:indptr: it does not lead from 0 to {} upwards", path, data.size()));
  for (std::int64_t line = 0; line < shape[0]; ++line)
    for (std::int64_t k = begins[line]; k < begins[line + 1]; ++k) {
      const bool by_row = format == "csr";
      reader.add(by_row ? line : others[k], by_row ? others[k] : line, data[k],
                 [&] { return fmt::format("{}, entry {}", path, k); });
    }
  return reader.finish();
}

GraphFile read_sparse(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (path.extension() == ".npz") return parse_sparse_npz(file.bytes(), path.string());
  return parse_matrix_market(file.text(), path.string(), names_beside(path));
}

}  // namespace causcale
