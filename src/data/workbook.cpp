#include "data/workbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/byte_size.h"
#include "base/csv_cell.h"
#include "base/zip.h"
#include "causcale/error.h"
#include "data/parse_number.h"
#include "data/xml_scanner.h"

namespace causcale {
namespace {

constexpr std::size_t kMostRows = 1'048'576, kMostColumns = 16'384;  // of any sheet

enum class Shown { kNumber, kDate, kTime };

// Dates and times are numbers that a format shows as such: "d" or "y" in it, or "h" and "s" alone.
Shown shown_by(std::string_view format) {
  bool day = false, hour = false, quoted = false;
  for (std::size_t k = 0; k < format.size(); ++k) {
    const char c = format[k];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\\' || c == '_' || c == '*') {
      ++k;  // the next character stands for itself
    } else if (c == '[') {
      const std::size_t end = format.find(']', k);
      if (end == format.npos) break;
      const char unit = format[k + 1];  // [h]: hours beyond a day; [Red], [$-407]: no unit
      hour |= end == k + 2 && (unit == 'h' || unit == 'H' || unit == 'm' || unit == 's');
      k = end;
    } else {
      day |= c == 'd' || c == 'D' || c == 'y' || c == 'Y';
      hour |= c == 'h' || c == 'H' || c == 's' || c == 'S';
    }
  }
  return day ? Shown::kDate : hour ? Shown::kTime : Shown::kNumber;
}

Shown shown_by_number(int format) {
  if ((format >= 14 && format <= 17) || format == 22) return Shown::kDate;
  if ((format >= 18 && format <= 21) || (format >= 45 && format <= 47)) return Shown::kTime;
  return Shown::kNumber;
}

int whole(const std::optional<std::string>& text, int fallback) {
  int value = fallback;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

// Days since 1970-01-01 as a date of the Gregorian calendar.
std::string iso_date(std::int64_t days) {
  const std::int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;  // from March on
  const std::int64_t day = day_of_year - (153 * month + 2) / 5 + 1;
  return fmt::format("{:04}-{:02}-{:02}", year_of_era + era * 400 + (month >= 10),
                     month < 10 ? month + 3 : month - 9, day);
}

// "B12" -> column 1, row 12; false where it is no such thing.
bool parse_place(std::string_view text, std::size_t& column, std::size_t& row) {
  std::size_t letters = 0, number = 0;
  for (; letters < text.size() && text[letters] >= 'A' && text[letters] <= 'Z' && number <= kMostColumns;
       ++letters)
    number = number * 26 + static_cast<std::size_t>(text[letters] - 'A' + 1);
  const auto [end, error] = std::from_chars(text.data() + letters, text.data() + text.size(), row);
  if (letters == 0 || error != std::errc() || end != text.data() + text.size()) return false;
  column = number - 1;
  return number <= kMostColumns && row >= 1 && row <= kMostRows;
}

class Workbook {
 public:
  Workbook(std::span<const std::byte> bytes, const std::string& source, std::size_t most_bytes)
      : bytes_(bytes), source_(source), left_(most_bytes) {
    for (ZipMember& member : read_zip_directory(bytes, source)) {
      std::string name = member.name;
      members_.emplace(std::move(name), std::move(member));
    }
  }

  std::string text() {
    read_styles();
    read_words();
    return sheet_text(member(first_sheet()));
  }

 private:
  std::string member(const std::string& name) {
    const auto found = members_.find(name);
    if (found == members_.end())
      throw InputError(fmt::format("{}: the workbook lacks its part {}", source_, name));
    const ZipMember& zipped = found->second;
    const std::string place = fmt::format("{}: {}", source_, name);
    // Deflate cannot shrink by more than about 1030: a larger claim is a damaged file.
    if (zipped.compressed < zipped.size / 1100 && zipped.size > 4096)
      throw InputError(fmt::format("{}: {} are claimed to come out of {}, which is impossible", place,
                                   format_byte_size(zipped.size), format_byte_size(zipped.compressed)));
    require_memory(place, zipped.size, left_);
    left_ -= zipped.size;
    std::string content(zipped.size, '\0');
    ZipStream(bytes_, zipped, place).read(reinterpret_cast<std::byte*>(content.data()), content.size());
    return content;
  }

  std::string first_sheet() {
    std::string id;
    const std::string workbook = member("xl/workbook.xml");
    for (XmlScanner scan(workbook); scan.next();) {
      if (scan.opens("workbookPr")) {
        const std::string first_day = scan.attribute("date1904").value_or("0");
        since_1904_ = first_day == "1" || first_day == "true";
      }
      if (scan.opens("sheet") && id.empty()) id = scan.attribute("id").value_or("");
    }
    if (members_.contains("xl/_rels/workbook.xml.rels")) {
      const std::string relations = member("xl/_rels/workbook.xml.rels");
      for (XmlScanner scan(relations); scan.next();)
        if (scan.opens("Relationship") && scan.attribute("Id") == id) {
          const std::string target = scan.attribute("Target").value_or("");
          return target.starts_with('/') ? target.substr(1) : "xl/" + target;
        }
    }
    return "xl/worksheets/sheet1.xml";
  }

  void read_styles() {
    if (!members_.contains("xl/styles.xml")) return;
    const std::string styles = member("xl/styles.xml");
    std::map<int, Shown> own;
    bool cells = false;  // other lists of formats are for named styles
    for (XmlScanner scan(styles); scan.next();) {
      if (scan.opens("numFmt"))
        own[whole(scan.attribute("numFmtId"), -1)] = shown_by(scan.attribute("formatCode").value_or(""));
      if (scan.name() == "cellXfs") cells = !scan.closing();
      if (!cells || !scan.opens("xf")) continue;
      const int format = whole(scan.attribute("numFmtId"), 0);
      const auto found = own.find(format);
      style_.push_back(found == own.end() ? shown_by_number(format) : found->second);
    }
  }

  void read_words() {
    if (!members_.contains("xl/sharedStrings.xml")) return;
    const std::string shared = member("xl/sharedStrings.xml");
    bool phonetic = false;  // how a word is read aloud, which is no part of it
    std::size_t bytes = 0;
    for (XmlScanner scan(shared); scan.next();) {
      if (scan.opens("si")) {
        words_.emplace_back();
        require_memory(source_, bytes += sizeof(std::string), left_);
      }
      if (scan.name() == "rPh") phonetic = !scan.closing() && !scan.empty();
      if (scan.opens("t") && !scan.empty() && !phonetic && !words_.empty()) words_.back() += scan.text();
    }
  }

  std::string date_text(double serial, Shown shown) const {
    double day = std::floor(serial);
    auto seconds = static_cast<std::int64_t>(std::llround((serial - day) * 86400.0));
    if (seconds == 86400) {
      seconds = 0;
      ++day;
    }
    const std::string time =
        fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (shown == Shown::kTime && day == 0) return time;
    // In the first two months of 1900 serial numbers are one less: 1900 counts as a leap year there.
    const std::int64_t first = since_1904_ ? -24107 : day < 60 ? -25568 : -25569;
    const std::string date = iso_date(static_cast<std::int64_t>(day) + first);
    return seconds == 0 ? date : date + ' ' + time;
  }

  std::string cell_text(const std::string& type, int style, const std::string& value,
                        const std::string& place) const {
    if (type == "b") return value == "1" ? "TRUE" : value == "0" ? "FALSE" : value;
    if (type == "s") {
      const int number = whole(value, -1);
      if (number < 0 || static_cast<std::size_t>(number) >= words_.size())
        throw InputError(fmt::format("{}: cell {}: there is no shared text {}", source_, place, value));
      return words_[static_cast<std::size_t>(number)];
    }
    if (!type.empty() && type != "n") return value;
    const Shown shown = style >= 0 && static_cast<std::size_t>(style) < style_.size()
                            ? style_[static_cast<std::size_t>(style)]
                            : Shown::kNumber;
    double serial = 0.0;
    constexpr double kLastDay = 2'958'466;  // the end of the year 9999
    if (shown == Shown::kNumber || !parse_number(value, serial) || !(serial >= 0 && serial < kLastDay))
      return value;
    return date_text(serial, shown);
  }

  std::string sheet_text(const std::string& sheet) {
    std::vector<std::vector<std::string>> rows;
    std::size_t row = 0, column = 0, width = 0, bytes = 0;
    std::string place, type, value;
    int style = -1;
    bool in_cell = false;
    for (XmlScanner scan(sheet); scan.next();) {
      if (scan.opens("row")) {
        const int given = whole(scan.attribute("r"), 0);
        row = given > 0 ? static_cast<std::size_t>(given) : row + 1;
        column = 0;
      } else if (scan.opens("c")) {
        place = scan.attribute("r").value_or("");
        std::size_t its_row = row;
        if (!place.empty() && !parse_place(place, column, its_row))
          throw InputError(fmt::format("{}: the sheet has no cell {}", source_, place));
        row = its_row;
        type = scan.attribute("t").value_or("");
        style = whole(scan.attribute("s"), -1);
        value.clear();
        in_cell = true;
      } else if (in_cell && !scan.empty() && (scan.opens("v") || (scan.opens("t") && type == "inlineStr"))) {
        value += scan.text();
      }
      if (!scan.closes("c")) continue;
      in_cell = false;
      if (row == 0 || row > kMostRows || column >= kMostColumns)
        throw InputError(fmt::format("{}: the sheet has no row {}, column {}", source_, row, column + 1));
      if (!value.empty()) {
        std::string text = cell_text(type, style, value, place);
        std::ranges::replace_if(
            text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
        // A cell takes the memory of all before it in its row, a row that of all before it.
        const std::size_t before = row <= rows.size() ? rows[row - 1].size() : 0;
        bytes += text.size() + (row - std::min(row, rows.size())) * sizeof(rows[0]) +
                 (column + 1 - std::min(column + 1, before)) * sizeof(std::string);
        require_memory(source_, bytes, left_);
        if (rows.size() < row) rows.resize(row);
        if (rows[row - 1].size() <= column) rows[row - 1].resize(column + 1);
        rows[row - 1][column] = std::move(text);
        width = std::max(width, column + 1);
      }
      ++column;
    }
    return joined(rows, width);
  }

  std::string joined(const std::vector<std::vector<std::string>>& rows, std::size_t width) const {
    std::size_t used = 0;
    for (const auto& cells : rows) used += !cells.empty();
    if (used == 0) throw InputError(fmt::format("{}: the first sheet of the workbook is empty", source_));
    require_memory(source_, used * width, left_);
    std::string out;
    for (const auto& cells : rows) {
      for (std::size_t c = 0; c < width && !cells.empty(); ++c) {
        if (c > 0) out += ',';
        if (c < cells.size()) out += csv_cell(cells[c]);
      }
      out += '\n';
    }
    return out;
  }

  std::span<const std::byte> bytes_;
  const std::string& source_;
  std::size_t left_;  // bytes that may be taken
  std::map<std::string, ZipMember> members_;
  std::vector<Shown> style_;        // by the number that cells give
  std::vector<std::string> words_;  // shared by cells
  bool since_1904_ = false;
};

}  // namespace

bool is_workbook(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("PK\x03\x04")) return false;
  try {
    return std::ranges::any_of(read_zip_directory(bytes, ""),
                               [](const ZipMember& member) { return member.name == "xl/workbook.xml"; });
  } catch (const InputError&) {
    return false;
  }
}

std::string workbook_text(std::span<const std::byte> bytes, const std::string& source,
                          std::size_t most_bytes) {
  return Workbook(bytes, source, most_bytes).text();
}

}  // namespace causcale
