#include "data/csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/random.h"
#include "data/reader.h"
#include "data/settle_columns.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;
using test::TempFolder;
using Names = std::vector<std::string>;

RawTable parse(std::string_view text, const ReadOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

std::string parse_error(std::string_view text, const ReadOptions& options = {}) {
  return error_of([&] { parse(text, options); });
}

const Matrix<double> kTwoByThree(2, 3, {1, 2.5, -3, 4e2, 0.5, 6});

TEST(Csv, PlainTable) {
  const RawTable raw = parse("a,b,c\n1,2.5,-3\n4e2,.5,6\n");
  EXPECT_EQ(raw.variables, (Names{"a", "b", "c"}));
  EXPECT_EQ(raw.values, kTwoByThree);
  EXPECT_EQ(raw.line_of_row, (std::vector<std::size_t>{2, 3}));
}

TEST(Csv, EveryWayOfWritingTheSameTable) {
  const std::string padding(200, '\n');  // so that the fast path is taken, too
  for (const char* text : {
           "a,b,c\n1,2.5,-3\n4e2,0.5,6",
           "a,b,c\r\n1,2.5,-3\r\n4e2,0.5,6\r\n",
           "\xEF\xBB\xBF"
           "a,b,c\n1,2.5,-3\n4e2,0.5,6\n",
           "a;b;c\n1;2.5;-3\n4e2;0.5;6\n",
           "a\tb\tc\n1\t2.5\t-3\n4e2\t0.5\t6\n",
           "a|b|c\n1|2.5|-3\n4e2|0.5|6\n",
           "a b c\n1 2.5 -3\n4e2 0.5 6\n",
           "  a   b c\n 1   2.5\t-3 \n  4e2 0.5 6  \n",
           "a, b, c\n1, 2.5, -3\n4e2, 0.5 , 6\n",
           "\"a\",\"b\",\"c\"\n\"1\",2.5,\"-3\"\n4e2,\"0.5\",6\n",
           "a,b,c\n\n1,2.5,-3\n\n\n4e2,0.5,6\n",
           "a,b,c,\n1,2.5,-3,\n4e2,0.5,6,\n",
           "\"\",\"a\",\"b\",\"c\"\n\"r1\",1,2.5,-3\n\"r2\",4e2,0.5,6\n",
           "a,b,c\nr1,1,2.5,-3\nr2,4e2,0.5,6\n",
           "a,b,c\n+1,2.5,-3\n+4e2,+0.5,6\n",
       })
    for (const std::string& tail : {std::string(), padding}) {
      const RawTable raw = parse(text + tail);
      Names kept;
      for (const std::size_t v : raw.kept) kept.push_back(raw.variables[v]);
      EXPECT_EQ(kept, (Names{"a", "b", "c"})) << text;
      EXPECT_EQ(raw.values, kTwoByThree) << text;
    }
}

TEST(Csv, HeaderCommentsDelimiter) {
  ReadOptions options;
  options.header = false;
  options.comment = '#';
  options.delimiter = ':';
  const RawTable raw = parse("# by hand\n1:2.5:-3\n# more\n4e2:0.5:6\n#end", options);
  EXPECT_EQ(raw.variables, (Names{"X0", "X1", "X2"}));
  EXPECT_EQ(raw.values, kTwoByThree);
  EXPECT_EQ(raw.line_of_row, (std::vector<std::size_t>{2, 4}));
}

// Two targets in every label split the rows, but not the header: no name is missing there.
TEST(Csv, LabelsWithSemicolonsAreNoDelimiters) {
  ReadOptions label;
  label.label_column = "target";
  for (const char* text : {"a,b,target\n1,2,A;B\n3,4,A;B\n", "a,b,target\n1,2,\"A;B\"\n3,4,\"A;B\"\n",
                           "a b target\n1 2 A;B\n3 4 A;B\n"}) {
    const RawTable raw = parse(text, label);
    EXPECT_EQ(raw.variables, (Names{"a", "b"})) << text;
    EXPECT_EQ(raw.values, Matrix<double>(2, 2, {1, 2, 3, 4})) << text;
    EXPECT_EQ(*raw.labels, (Names{"A;B", "A;B"})) << text;
  }
  // A header that is one name short is known by the surer delimiter all the same.
  for (const char* text : {"a;b\nr1;1;2\nr2;3;4\n", "my a\tb\nr1\t1\t2\nr2\t3\t4\n"})
    EXPECT_EQ(parse(text).values, Matrix<double>(2, 2, {1, 2, 3, 4})) << text;
}

TEST(Csv, QuotesMayHoldDelimitersAndLineBreaks) {
  const RawTable raw = parse("\"a,1\",\"b\n2\",\"c \"\"x\"\"\"\n\"1\",2,3\n4,5,\"6\"\n");
  EXPECT_EQ(raw.variables, (Names{"a,1", "b\n2", "c \"x\""}));
  EXPECT_EQ(raw.values, Matrix<double>(2, 3, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(raw.line_of_row, (std::vector<std::size_t>{3, 4}));
  ReadOptions label;
  label.label_column = "who";
  const RawTable labelled = parse("x,who\n1,\"one\ntwo\"\n2,three\n", label);
  EXPECT_EQ(*labelled.labels, (Names{"one\ntwo", "three"}));
  EXPECT_EQ(labelled.line_of_row, (std::vector<std::size_t>{2, 4}));
  EXPECT_TRUE(contains(parse_error("a,b\n1,\"2\n3,4\n"), "t.csv:2: a quote is opened in column \"b\""));
}

TEST(Csv, MissingCells) {
  ReadOptions options;
  options.missing_markers = {"-", "*"};
  const RawTable raw = parse("a,b,c\nNA,,nan\n-,*,N/A\nNULL,None,1\n", options);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_TRUE(std::isnan(raw.values.values()[k])) << k;
  EXPECT_EQ(raw.values(2, 2), 1.0);
  EXPECT_EQ(parse(",b\n1,2\n").variables, (Names{"b"}));  // the first column holds row names
}

TEST(Csv, RaggedRowsNameLineAndCounts) {
  EXPECT_TRUE(contains(parse_error("a,b\n1,2\n3\n"), "t.csv:3: expected 2 cells, found 1"));
  EXPECT_TRUE(contains(parse_error("a,b\n1,2\n3,4,5\n"), "t.csv:3: expected 2 cells, found 3"));
  EXPECT_TRUE(contains(parse_error("a,b\n1,2,3\n4,5,6\n"), "--row-names yes"));
  const std::string tail = "\n" + std::string(100, '7') + ",1";
  EXPECT_TRUE(contains(parse_error("a,b\n1,2\n3" + tail), "t.csv:3: expected 2 cells, found 1"));
  EXPECT_TRUE(contains(parse_error("a,b\n1,2\n3,4,5" + tail), "t.csv:3: expected 2 cells, found 3"));
}

TEST(Csv, TextCellsAndDecimalCommas) {
  const std::string text = parse_error("a,b\n1,2\n3,foo\n");
  EXPECT_TRUE(contains(text, "t.csv:3: column \"b\": \"foo\" is not a number"));
  const std::string comma = parse_error("a;b\n1,5;2,5\n3,5;4,25\n");
  EXPECT_TRUE(contains(comma, "t.csv:2: column \"a\": \"1,5\""));
  EXPECT_TRUE(contains(comma, "decimal commas"));
  const RawTable noted = parse_csv("a,b\n1,foo\n3,bar\nx,4\n", "t.csv", {}, TextCells::kNote);
  ASSERT_EQ(noted.text_cells.size(), 2u);
  EXPECT_EQ(noted.text_cells[0].column, "b");
  EXPECT_EQ(noted.text_cells[0].line, 2u);
  EXPECT_EQ(noted.text_cells[0].count, 2u);
  EXPECT_EQ(noted.text_cells[1].line, 4u);
}

TEST(Csv, SelectedColumnsMaySitBesideText) {
  ReadOptions options;
  options.exclude = {"name", "3"};
  const RawTable raw = parse("a,name,b,c\n1,x,2,3\n4,y,5,6\n", options);
  EXPECT_EQ(raw.values, Matrix<double>(2, 2, {1, 2, 4, 5}));
  options.exclude.clear();
  options.select = {"c", "0"};
  EXPECT_EQ(parse("a,name,b,c\n1,x,2,3\n4,y,5,6\n", options).values, Matrix<double>(2, 2, {1, 3, 4, 6}));
  options.select = {"d"};
  EXPECT_TRUE(contains(parse_error("a,name,b,c\n1,x,2,3\n", options), "there is no column \"d\""));
}

TEST(Csv, Transposed) {
  ReadOptions options;
  options.transpose = true;
  const RawTable raw = parse("gene,cell1,cell2\nA,1,2\nB,3,4\nC,5,6\n", [&] {
    ReadOptions named = options;
    named.row_names = RowNames::kYes;
    return named;
  }());
  EXPECT_EQ(raw.variables, (Names{"A", "B", "C"}));
  EXPECT_EQ(raw.values, Matrix<double>(2, 3, {1, 3, 5, 2, 4, 6}));
  options.header = false;
  EXPECT_EQ(parse("A,1,2\nB,3,4\nC,5,6\n", options).variables, (Names{"A", "B", "C"}));
  EXPECT_EQ(parse("1,2\n3,4\n5,6\n", options).values, Matrix<double>(2, 3, {1, 3, 5, 2, 4, 6}));
}

TEST(Csv, HopelessFilesGiveClearErrors) {
  EXPECT_TRUE(contains(parse_error(""), "empty"));
  EXPECT_TRUE(contains(parse_error("\n\n \n"), "empty"));
  EXPECT_TRUE(contains(parse_error("a,b\n"), "a header of 2 columns and no data"));
  EXPECT_TRUE(contains(parse_error(std::string("a\0b\n1,2", 7)), "not a text table"));
  EXPECT_TRUE(contains(parse_error("a,b\r1,2\r3,4\r"), "carriage return"));
  // Rows are counted by line feeds: a lone carriage return must not make more of them.
  std::string returns = "A B\n";
  for (int row = 0; row < 3000; ++row) returns += "1.5 2.5 \r";
  ReadOptions blanks;
  blanks.delimiter = ' ';
  EXPECT_TRUE(contains(parse_error(returns + "3 4\n", blanks), "t.csv:2: "));
  EXPECT_TRUE(contains(parse_error("\xFF\xFE"
                                   "a"),
                       "UTF-16"));
  EXPECT_FALSE(parse_error("\x89PNG\x0D\x0A\x1A\x0A\x01\x02\x03").empty());
  RandomStream random(1, 0, 0);
  std::string junk(5000, '\0');
  for (char& c : junk) c = static_cast<char>(1 + random.below(255));
  EXPECT_FALSE(parse_error(junk).empty());
}

TEST(Csv, OneColumnAndOneRow) {
  EXPECT_EQ(parse("a\n1\n2\n").values, Matrix<double>(2, 1, {1, 2}));
  EXPECT_EQ(parse("a,b\n1,2\n").values, Matrix<double>(1, 2, {1, 2}));
}

TEST(Csv, AMillionColumnsInALine) {
  std::string header, row;
  for (int c = 0; c < 1000000; ++c) {
    header += fmt::format("{}v{}", c ? "," : "", c);
    row += c ? ",1" : "1";
  }
  const RawTable raw = parse(header + "\n" + row + "\n" + row + "\n");
  EXPECT_EQ(raw.values.cols(), 1000000u);
  EXPECT_EQ(raw.values.rows(), 2u);
  EXPECT_EQ(raw.variables.back(), "v999999");
  EXPECT_TRUE(contains(parse_error(header + "\n" + row + ",2\n"), "found 1000001"));
  // Empty lines behind a wide header must not be taken for rows when memory is allocated.
  EXPECT_EQ(parse(header + "\n" + row + "\n" + std::string(100000, '\n')).values.rows(), 1u);
}

TEST(Csv, ManyColumnsOfText) {
  std::string header, words;
  for (int c = 0; c < 100000; ++c) {
    header += fmt::format("{}v{}", c ? "," : "", c);
    words += c ? ",w" : "w";
  }
  const std::string text = header + "\n" + words + "\n" + words + "\n";
  EXPECT_EQ(parse_csv(text, "t.csv", {}, TextCells::kNote).text_cells.size(), 100000u);
}

TEST(Csv, ThreadsAndChunksDoNotMatter) {
  RandomStream random(7, 0, 0);
  std::string text = "a,b,c\n";
  std::vector<double> expected;
  for (int r = 0; r < 150000; ++r) {
    if (r % 1000 == 17) text += "\n";
    if (r % 1000 == 18) text += "#note\n";
    for (int c = 0; c < 3; ++c) {
      const double value = random.normal();
      expected.push_back(value);
      text += fmt::format("{:.17g}{}", value, c < 2 ? "," : "\n");
    }
  }
  ASSERT_GT(text.size(), std::size_t{4} << 20);  // several chunks
  ReadOptions options;
  options.comment = '#';
  const RawTable alone = parse(text, options);
  EXPECT_EQ(alone.values.values(), expected);
  options.threads = 3;
  const RawTable together = parse(text, options);
  EXPECT_EQ(together.values, alone.values);
  EXPECT_EQ(together.line_of_row, alone.line_of_row);
  // The first fault in the file is the one reported.
  text.replace(text.size() - 3, 1, "x");
  text.replace(text.size() / 2, 1, "y");
  const std::string message = parse_error(text, options);
  options.threads = 1;
  EXPECT_EQ(parse_error(text, options), message);
  EXPECT_FALSE(message.empty());
}

// Work that grows with the square of the text would never end here.
TEST(Csv, HostileTextsTakeTheirTimeOnce) {
  const auto repeated = [](const std::string& piece) {
    std::string text;
    while (text.size() < 300000) text += piece;
    return text;
  };
  for (const char* head : {"a,b\n", "a b\n", "a;b\n", ""})
    for (const char* piece :
         {"\"", "\"\n", "\"\n\",", "\r",  "1 2 \r",     "\r\r\n", ",",  ";",    " ",     "\t",  "1",
          "1 ", "x",    "\n",      "#\n", "\"x\"x;1\n", "1e",     "1,", "x,\n", "2024-", "- ,", "\xFF,\n"})
      for (const bool blanks : {false, true}) {
        ReadOptions options;
        options.comment = '#';
        options.delimiter = blanks ? ' ' : '\0';
        const std::string text = head + repeated(piece) + "\n1,2\n";
        error_of([&] {
          RawTable raw = parse_csv(text, "t.csv", options, TextCells::kCollect);
          settle_columns(raw, options, "t.csv", true);
        });
      }
}

TEST(Csv, ReadsFromDisk) {
  const TempFolder folder;
  const RawTable raw = read_csv(folder.write("t.csv", "a,b,c\n1,2.5,-3\n4e2,.5,6\n"), {});
  EXPECT_EQ(raw.values, kTwoByThree);
  EXPECT_TRUE(contains(error_of([&] { read_csv(folder / "none.csv", {}); }), "none.csv: cannot open"));
  EXPECT_TRUE(contains(error_of([&] { read_csv(folder.write("e.csv", ""), {}); }), "empty"));
}

}  // namespace
}  // namespace causcale
