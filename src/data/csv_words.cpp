#include "data/csv_words.h"

#include <algorithm>
#include <cmath>

#include "base/text_encoding.h"
#include "data/number_format.h"

namespace causcale {
namespace {

class WordPass {
 public:
  WordPass(const std::vector<CsvChunk>& chunks, const char* readable_end, const CsvLayout& layout,
           const std::function<void(std::string_view)>& done_with, RawTable& raw)
      : chunks_(chunks), readable_end_(readable_end), layout_(layout), done_with_(done_with), raw_(raw) {}

  // `wanted` says of every column of `values` whether its words are to be collected.
  void run(const std::vector<char>& wanted) {
    CsvLayout layout = layout_;
    layout.word_column.assign(layout.roles.size(), 0);
    layout.numbers_per_row = 0;
    std::vector<std::size_t> columns;
    std::size_t column = 0;
    for (std::size_t c = 0; c < layout.roles.size(); ++c) {
      const bool number = layout_.roles[c] == CellRole::kNumber;
      layout.roles[c] = CellRole::kSkip;
      if (number && wanted[column++]) {
        layout.roles[c] = CellRole::kWord;
        layout.word_column[c] = static_cast<std::uint32_t>(columns.size());
        columns.push_back(column - 1);
      }
    }
    if (columns.empty()) return;
    std::vector<WordCollector> collectors(columns.size());
    for (const CsvChunk& chunk : chunks_) {
      parse_csv_rows(chunk.text, readable_end_, chunk.first_line, layout, nullptr, &collectors);
      if (done_with_) done_with_(chunk.text);
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      raw_.texts.push_back({columns[k], collectors[k].take()});
      for (std::string& word : raw_.texts.back().cells.words)
        if (make_utf8(word)) raw_.not_utf8 = true;
    }
  }

 private:
  const std::vector<CsvChunk>& chunks_;
  const char* readable_end_;
  const CsvLayout& layout_;
  const std::function<void(std::string_view)>& done_with_;
  RawTable& raw_;
};

bool column_has_decimal_commas(const TextColumn& text, const std::vector<std::string>& markers) {
  std::vector<std::string_view> words;
  for (const std::string& word : text.cells.words)
    if (!is_missing(word, markers)) words.push_back(word);
  return has_decimal_commas(words);
}

bool asks_for_words(const ColumnType& type) {
  return type.kind == ColumnKind::kUnordered || type.kind == ColumnKind::kDate || !type.order.empty();
}

}  // namespace

void collect_words(const std::vector<CsvChunk>& chunks, const char* readable_end, const CsvLayout& layout,
                   const ReadOptions& options, const std::function<void(std::string_view)>& done_with,
                   RawTable& raw) {
  std::vector<char> wanted(raw.values.cols(), 0);
  if (!raw.text_cells.empty()) {
    std::vector<std::size_t> value_column(layout.roles.size(), 0);
    std::size_t column = 0;
    for (std::size_t c = 0; c < layout.roles.size(); ++c)
      if (layout.roles[c] == CellRole::kNumber) value_column[c] = column++;
    for (const ReadNotes::Fault& fault : raw.text_cells) wanted[value_column[fault.file_column]] = 1;
  }
  std::vector<std::string> named;
  for (const ColumnType& type : options.types)
    if (asks_for_words(type)) named.push_back(type.column);
  for (const std::size_t variable : find_variables(raw.variables, named, layout.source)) {
    const auto place = std::lower_bound(raw.kept.begin(), raw.kept.end(), variable);
    if (place != raw.kept.end() && *place == variable)
      wanted[static_cast<std::size_t>(place - raw.kept.begin())] = 1;
  }
  WordPass pass(chunks, readable_end, layout, done_with, raw);
  pass.run(wanted);

  // Where one column has decimal commas, points in another may set thousands apart.
  const bool commas = std::any_of(raw.texts.begin(), raw.texts.end(), [&](const TextColumn& text) {
    return column_has_decimal_commas(text, options.missing_markers);
  });
  if (!commas) return;
  raw.decimal_commas_likely = true;
  std::vector<char> pointed(raw.values.cols(), 0);
  for (std::size_t r = 0; r < raw.values.rows(); ++r)
    for (std::size_t c = 0; c < raw.values.cols(); ++c)
      if (!wanted[c] && std::isfinite(raw.values(r, c)) && raw.values(r, c) != std::floor(raw.values(r, c)))
        pointed[c] = 1;
  pass.run(pointed);
}

}  // namespace causcale
