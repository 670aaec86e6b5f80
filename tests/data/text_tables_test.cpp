// Tables as spreadsheets write them, from the file to the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/random.h"
#include "data/audit.h"
#include "data/foreign_files.h"
#include "data/reader.h"
#include "support/temp_folder.h"

#ifdef CAUSCALE_ZLIB
#include <zlib.h>
#endif

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;
using Names = std::vector<std::string>;

struct Read {
  Dataset data;
  ReadNotes notes;
  const Table& table() const { return data.table; }
  std::vector<double> column(const std::string& name) const {
    std::vector<double> cells;
    for (std::size_t c = 0; c < data.table.cols(); ++c)
      if (data.table.names[c] == name)
        for (std::size_t r = 0; r < data.table.rows(); ++r) cells.push_back(data.table.values(r, c));
    return cells;
  }
  ColumnNote note(const std::string& name) const {
    for (const ColumnNote& column : notes.columns)
      if (column.name == name) return column;
    ADD_FAILURE() << "no column " << name;
    return {};
  }
};

class TextTables : public testing::Test {
 protected:
  Read read(std::string_view text, const ReadOptions& options = {}, const std::string& file = "t.csv") const {
    Read result;
    result.data = read_dataset(folder_.write(file, text), options, &result.notes);
    return result;
  }
  std::string error(std::string_view text, const ReadOptions& options = {},
                    const std::string& file = "t.csv") const {
    return error_of([&] { read_dataset(folder_.write(file, text), options); });
  }
  // A header and rows of the given cells, with a column of numbers beside so that the table has something.
  static std::string column_of(const std::vector<std::string>& cells) {
    std::string text = "x,y\n";
    for (std::size_t r = 0; r < cells.size(); ++r)
      text += fmt::format("{},{}\n", cells[r], 0.5 + static_cast<double>(r));
    return text;
  }
  TempFolder folder_;
};

TEST_F(TextTables, WordsBecomeCodesAndKeepTheirWords) {
  const Read found = read(column_of({"C10", "C2", "C2", "C10", "C1"}));
  EXPECT_EQ(found.column("x"), (std::vector<double>{2, 1, 1, 2, 0}));
  EXPECT_EQ(found.table().levels, (std::vector<Names>{{"C1", "C2", "C10"}, {}}));
  EXPECT_EQ(found.table().kinds.front(), ColumnKind::kUnordered);
  EXPECT_EQ(read(column_of({"m", "f", "f", "m"})).table().kinds.front(), ColumnKind::kBinary);
  EXPECT_EQ(read(column_of({"m", "m", "m", "m"})).table().kinds.front(), ColumnKind::kConstant);
}

TEST_F(TextTables, YesAndNo) {
  for (const auto& [no, yes] :
       {std::pair{"no", "yes"}, {"No", "Yes"}, {"N", "Y"}, {"FALSE", "TRUE"}, {"f", "t"}, {"off", "on"}}) {
    const Read found = read(column_of({yes, no, no, yes}));
    EXPECT_EQ(found.column("x"), (std::vector<double>{1, 0, 0, 1})) << yes;
    EXPECT_EQ(found.table().levels.front(), (Names{no, yes}));
    EXPECT_EQ(found.table().kinds.front(), ColumnKind::kBinary);
  }
  EXPECT_EQ(read(column_of({"yes", "No", "no", "YES", "no"})).table().levels.front(), (Names{"no", "yes"}));
}

TEST_F(TextTables, EveryMissingMarker) {
  for (const char* marker :
       {"",     "NA",      "na",   "NaN",     "N/A",     "n/a",   "n.a.",  "null", "NULL",
        "None", "none",    "<NA>", "NaT",     "nil",     "-",     "--",    ".",    "..",
        "?",    "missing", "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "\\N"}) {
    ReadOptions options;
    options.missing = MissingPolicy::kKeep;
    const Read numbers = read(column_of({"1.5", marker, "2.5"}), options);
    EXPECT_TRUE(std::isnan(numbers.column("x")[1])) << marker;
    EXPECT_EQ(numbers.note("x").missing, 1u) << marker;
    options.missing = MissingPolicy::kDrop;
    EXPECT_EQ(read(column_of({"1.5", marker, "2.5"}), options).table().rows(), 2u) << marker;
    options.missing = MissingPolicy::kMean;
    EXPECT_EQ(read(column_of({"1.5", marker, "2.5"}), options).column("x")[1], 2.0) << marker;
    if (std::string(marker) == "none" || std::string(marker) == "None") continue;
    // Among words the most frequent one.
    EXPECT_EQ(read(column_of({"b", marker, "a", "b"}), options).column("x"),
              (std::vector<double>{1, 1, 0, 1}))
        << marker;
  }
  ReadOptions own;
  own.missing = MissingPolicy::kDrop;
  own.missing_markers = {"unknown", "-999"};
  EXPECT_EQ(read(column_of({"b", "unknown", "a", "b", "a"}), own).table().rows(), 4u);
  EXPECT_EQ(read(column_of({"$5", "$-999", "\"$1,000\""}), own).column("x"), (std::vector<double>{5, 1000}));
  EXPECT_EQ(read(column_of({"none", "mild", "mild", "none"})).table().levels.front(),
            (Names{"mild", "none"}));
}

TEST_F(TextTables, MissingCellsAreCountedRight) {
  const std::string text = "a,b,c\n1,2,3\n4,,6\n7,x,\n8,y,9\n,y,9\n5,y,1\n";
  const std::string message = error(text);
  EXPECT_TRUE(
      contains(message, "t.csv:3: column \"b\": the value is missing; 3 cells are missing in 3 columns"));
  EXPECT_TRUE(contains(message, "--missing drop leaves 3 of 6 rows"));
  EXPECT_TRUE(contains(error("a,b\n1,\n,2\n"), "--missing drop would leave no row"));
  ReadOptions drop;
  drop.missing = MissingPolicy::kDrop;
  EXPECT_TRUE(contains(error("a,b\n1,\n,2\n,3\n", drop), "column \"a\" misses most (2 cells)"));
}

TEST_F(TextTables, NumbersWrittenForPeople) {
  const Read comma = read("a;b;c\n1,5;2,25;7\n74.821,75;-3,5;8\n0,5;1e3;9\n");
  EXPECT_EQ(comma.column("a"), (std::vector<double>{1.5, 74821.75, 0.5}));
  EXPECT_EQ(comma.column("b"), (std::vector<double>{2.25, -3.5, 1000}));
  EXPECT_EQ(comma.note("a").writing, "decimal comma, thousands set apart");
  // Where a file has decimal commas, a point sets thousands apart.
  EXPECT_EQ(read("a;b\n1,5;1.234\n2,5;12.345\n").column("b"), (std::vector<double>{1234, 12345}));
  EXPECT_EQ(read("a;b\n1;1.234\n2;12.345\n").column("b"), (std::vector<double>{1.234, 12.345}));
  const Read quoted = read("a,b\n\"1,234\",5\n\"2,345,678\",6\n");
  EXPECT_EQ(quoted.column("a"), (std::vector<double>{1234, 2345678}));
  const Read money = read("a,b\n25.1%,\"$4,198.07\"\n3%,$12.00\n");
  EXPECT_EQ(money.column("a"), (std::vector<double>{0.251, 0.03}));
  EXPECT_EQ(money.column("b"), (std::vector<double>{4198.07, 12}));
  // "1,234" alone may be either; it is said what was assumed.
  const Read either = read("a,b\n\"1,234\",5\n\"2,345\",6\n");
  EXPECT_EQ(either.column("a"), (std::vector<double>{1234, 2345}));
  EXPECT_TRUE(contains(either.note("a").assumption, "\"1,234\" is read as 1234"));
  EXPECT_EQ(read("a;b\n1,234;5\n2,345;6\n").column("a"), (std::vector<double>{1.234, 2.345}));
  EXPECT_EQ(read("height [cm],w\n1,2\n3,4\n").table().names.front(), "height [cm]");
}

TEST_F(TextTables, TextAmongNumbersIsAnError) {
  std::vector<std::string> cells;
  for (int r = 0; r < 40; ++r) cells.push_back(r % 10 == 5 ? "C100000" : fmt::format("{}.5", r));
  const std::string text = column_of(cells);
  EXPECT_TRUE(
      contains(error(text), "t.csv:7: column \"x\": \"C100000\" is not a number (nor are 3 more cells"));
  const Read noted = read(text);
  ASSERT_EQ(noted.notes.text_cells.size(), 1u);
  EXPECT_EQ(noted.notes.text_cells[0].count, 4u);
  EXPECT_EQ(noted.notes.text_cells[0].line, 7u);
  EXPECT_TRUE(noted.notes.missing_cells.empty());
  ReadOptions options;
  options.missing_markers = {"C100000"};
  options.missing = MissingPolicy::kDrop;
  EXPECT_EQ(read(text, options).table().rows(), 36u);
  options = {};
  options.types = parse_column_types("x=unordered");
  EXPECT_EQ(read(text, options).table().levels.front().size(), 37u);
  // Two currencies cannot be added up.
  std::vector<std::string> money;
  for (int r = 0; r < 40; ++r) money.push_back(fmt::format("{}{}", r == 3 ? "\xC2\xA3" : "$", r));
  EXPECT_TRUE(contains(error(column_of(money)), "t.csv:5: column \"x\": "));
}

TEST_F(TextTables, ColumnsThatAreNoVariablesAreSetAside) {
  std::string text = "id,name,when,note,empty,a,b\n";
  for (int r = 0; r < 60; ++r)
    text += fmt::format("{},n{},2024-03-{:02d},\"a long remark about the {}th row\",,{},{}\n", r + 1, r,
                        1 + r % 28, 2 * r / 3, 0.1 * r, 0.5 * r * r);
  const Read found = read(text);
  EXPECT_EQ(found.table().names, (Names{"a", "b"}));
  EXPECT_EQ(found.table().cols(), found.table().values.cols());
  EXPECT_EQ(found.column("b")[2], 2.0);
  EXPECT_EQ(found.note("id").kind, ColumnKind::kIdentifier);
  EXPECT_EQ(found.note("name").kind, ColumnKind::kIdentifier);
  EXPECT_EQ(found.note("when").kind, ColumnKind::kDate);
  EXPECT_TRUE(contains(found.note("note").reason, "free text"));
  EXPECT_TRUE(contains(found.note("empty").reason, "no value"));
  ReadOptions options;
  options.dates_as_numbers = true;
  options.types = parse_column_types("id=count,name=unordered");
  const Read asked = read(text, options);
  EXPECT_EQ(asked.table().names, (Names{"id", "name", "when", "a", "b"}));
  EXPECT_EQ(asked.column("when")[1] - asked.column("when")[0], 1.0);
  EXPECT_EQ(asked.table().kinds[2], ColumnKind::kDate);
  EXPECT_EQ(asked.table().levels[1].size(), 60u);
  // A number that counts rows under another name stays.
  EXPECT_EQ(read("t,a\n1,0.5\n2,0.7\n3,0.1\n").table().names, (Names{"t", "a"}));
  EXPECT_TRUE(contains(error("a,b\nx,u\ny,v\nz,w\n"), "no column is left"));
}

TEST_F(TextTables, KindsAsTold) {
  ReadOptions options;
  options.types = parse_column_types("x=ordered:low<middle<high");
  const Read found = read(column_of({"high", "low", "middle", "low"}), options);
  EXPECT_EQ(found.column("x"), (std::vector<double>{2, 0, 1, 0}));
  EXPECT_EQ(found.table().kinds.front(), ColumnKind::kOrdered);
  EXPECT_TRUE(
      contains(error(column_of({"high", "low", "huge"}), options), "\"huge\" is not among the words"));
  options.types = parse_column_types("x=unordered");
  const Read codes = read(column_of({"01234", "00007", "01234"}), options);
  EXPECT_EQ(codes.table().levels.front(), (Names{"00007", "01234"}));
  options.types = parse_column_types("x=binary");
  EXPECT_TRUE(contains(error(column_of({"a", "b", "c"}), options),
                       "told to be binary, but it has 3 different words"));
  EXPECT_TRUE(contains(error(column_of({"1", "2", "3"}), options), "more than two values"));
  options.types = parse_column_types("x=continuous");
  EXPECT_TRUE(
      contains(error(column_of({"1", "b", "c"}), options), "t.csv:3: column \"x\": \"b\" is not a number"));
  options.types = parse_column_types("nothing=count");
  EXPECT_TRUE(contains(error(column_of({"1", "2"}), options), "there is no column \"nothing\""));
  options.types = parse_column_types("x=date");
  EXPECT_TRUE(
      contains(error(column_of({"2024-01-01", "soon", "2024-01-02"}), options), "\"soon\" is not a date"));
}

TEST_F(TextTables, Groups) {
  const std::string text = "c_red,a,c_green,c_blue\n1,0.5,0,0\n0,0.7,1,0\n0,0.9,0,0\n0,1.1,0,1\n";
  ReadOptions options;
  options.groups = {parse_column_group("colour=c_red,c_green,c_blue")};
  const Read found = read(text, options);
  EXPECT_EQ(found.table().names, (Names{"colour", "a"}));
  EXPECT_EQ(found.column("colour"), (std::vector<double>{0, 1, 3, 2}));
  EXPECT_EQ(found.table().levels.front(), (Names{"red", "green", "blue", "other"}));
  EXPECT_EQ(found.table().kinds.front(), ColumnKind::kUnordered);
  EXPECT_TRUE(contains(error("c_red,a,c_green,c_blue\n1,0.5,1,0\n", options),
                       "t.csv:2: columns \"c_red\" and \"c_green\""));
  EXPECT_TRUE(
      contains(error("c_red,a,c_green,c_blue\n2,0.5,1,0\n", options), "holds 2; 0 and 1 are accepted"));
  // Who intervenes on a member intervenes on the group.
  options.interventions.file = folder_.write("i.txt", "c_green\na\n\na,c_red\n");
  const Read targets = read(text, options);
  EXPECT_EQ(targets.data.interventions.regimes, (std::vector<std::vector<int>>{{}, {0}, {0, 1}, {1}}));
  EXPECT_EQ(targets.data.interventions.regime_of_row, (std::vector<int>{1, 3, 0, 2}));
}

TEST_F(TextTables, TargetsFollowTheirColumns) {
  ReadOptions options;
  options.interventions.file = folder_.write("m.csv", "0,0,1\n1,0,0\n0,1,0\n0,1,1\n");
  const Read found = read("name,a,b\nw,1,2\nx,3,4\ny,5,6\nz,7,8\n", options);
  EXPECT_EQ(found.data.interventions.regimes, (std::vector<std::vector<int>>{{}, {0}, {0, 1}, {1}}));
  EXPECT_EQ(found.data.interventions.regime_of_row, (std::vector<int>{3, 0, 1, 2}));
  EXPECT_EQ(found.notes.excluded_targets, (Names{"name"}));
}

TEST_F(TextTables, LatinOne) {
  const Read found = read(
      "stra\xDF"
      "e,b\nZ\xFCrich,1\nBern,2\nZ\xFCrich,3\n");
  EXPECT_EQ(found.table().names.front(), "straße");
  EXPECT_EQ(found.table().levels.front(), (Names{"Bern", "Zürich"}));
  EXPECT_TRUE(found.notes.not_utf8);
  EXPECT_FALSE(read("straße,b\nZürich,1\nBern,2\nBern,3\n").notes.not_utf8);
  const Read euro = read("a;b\n5,50 \x80;1\n1.000,25 \x80;2\n");
  EXPECT_EQ(euro.column("a"), (std::vector<double>{5.5, 1000.25}));
}

TEST_F(TextTables, ForeignFilesAreNamed) {
  EXPECT_TRUE(contains(error("PK\x03\x04rest", {}, "t.xlsx"), "holds no Excel (.xlsx) sheet"));
  EXPECT_TRUE(contains(error("\xD0\xCF\x11\xE0rest", {}, "t.xls"), "old Excel workbook"));
  EXPECT_TRUE(contains(error("PAR1rest", {}, "t.parquet"), "pandas.read_parquet"));
  EXPECT_TRUE(contains(error("BZh9", {}, "t.csv.bz2"), "bunzip2"));
}

#ifdef CAUSCALE_ZLIB
std::string packed(const std::string& text) {
  std::string out(text.size() + 200, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(TextTables, Gzip) {
  std::string text = "a,b\n";
  for (int r = 0; r < 200000; ++r) text += fmt::format("{},{}\n", r % 97, r % 89);
  const Read plain = read(text), unpacked = read(packed(text), {}, "t.csv.gz");
  EXPECT_EQ(plain.table().values, unpacked.table().values);
  EXPECT_EQ(read(packed("a,b\n1,2\n") + packed("3,4\n"), {}, "t.csv.gz").table().rows(), 2u);
  const std::string whole = packed(text);
  for (const std::size_t size : {std::size_t{2}, std::size_t{11}, whole.size() / 2, whole.size() - 1})
    EXPECT_TRUE(contains(error(whole.substr(0, size), {}, "cut.csv.gz"), "damaged or cut off")) << size;
  EXPECT_TRUE(contains(error_of([&] { inflate_gzip(whole, "big.gz", 1 << 20); }), "more than 1 MiB"));
  EXPECT_EQ(inflate_gzip(whole, "fits.gz", text.size()), text);
}
#endif

// Two columns of text, a date, an id, booleans, a percentage, money, gaps: nothing to prepare.
TEST_F(TextTables, AMessySpreadsheet) {
  RandomStream random(5, 0, 0);
  std::string text = "patient;visit;city;severity;smoker;age;height [cm];fat;income\n";
  std::size_t gaps = 0;
  const auto cell = [&](const std::string& value) {
    static constexpr const char* kMarkers[] = {"", "NA", "n/a", "-", "?"};
    if (random.uniform() >= 0.08) return value;
    ++gaps;
    return std::string(kMarkers[random.below(5)]);
  };
  for (int r = 0; r < 400; ++r) {
    const auto age = static_cast<int>(18 + random.below(60));
    text += fmt::format("P{:04d};{:02d}.03.2024;{};{};{};{};{};{};{}\n", r, 1 + r % 28,
                        cell(std::array{"Bern", "Zürich", "New York"}[random.below(3)]),
                        cell(std::array{"low", "middle", "high"}[random.below(3)]),
                        cell(random.below(2) ? "yes" : "no"), cell(std::to_string(age)),
                        cell(fmt::format("{},{}", 150 + random.below(50), random.below(10))),
                        cell(fmt::format("{},{} %", random.below(60), random.below(10))),
                        cell(fmt::format("{} €", fmt::format("{}.{:03d},{:02d}", 1 + random.below(90),
                                                             random.below(1000), random.below(100)))));
  }
  for (const MissingPolicy policy : {MissingPolicy::kKeep, MissingPolicy::kMean, MissingPolicy::kDrop}) {
    ReadOptions options;
    options.missing = policy;
    const Read found = read(text, options);
    EXPECT_EQ(found.table().names,
              (Names{"city", "severity", "smoker", "age", "height [cm]", "fat", "income"}));
    EXPECT_EQ(found.table().levels[0], (Names{"Bern", "New York", "Zürich"}));
    EXPECT_EQ(found.table().levels[2], (Names{"no", "yes"}));
    EXPECT_EQ(found.table().kinds,
              (std::vector<ColumnKind>{ColumnKind::kUnordered, ColumnKind::kUnordered, ColumnKind::kBinary,
                                       ColumnKind::kCount, ColumnKind::kContinuous, ColumnKind::kContinuous,
                                       ColumnKind::kContinuous}));
    std::size_t counted = 0, left = 0;
    for (const ColumnNote& column : found.notes.columns) counted += column.missing;
    for (const double value : found.table().values.values()) left += std::isnan(value);
    EXPECT_EQ(counted, gaps);
    EXPECT_EQ(left, policy == MissingPolicy::kKeep ? gaps : 0u);
    for (const double value : found.column("height [cm]"))
      EXPECT_TRUE(std::isnan(value) || (value >= 150 && value < 200)) << value;
    for (const double value : found.column("fat"))
      EXPECT_TRUE(std::isnan(value) || (value >= 0 && value < 0.6)) << value;
    for (const double value : found.column("income"))
      EXPECT_TRUE(std::isnan(value) || (value >= 1000 && value < 91000)) << value;
    const AuditReport report = audit(found.data, "t.csv", &found.notes);
    EXPECT_EQ(report.count(Severity::kError), 0u) << report.to_text();
    EXPECT_TRUE(contains(report.to_text(), "\"New York\""));
  }
}

}  // namespace
}  // namespace causcale
