// Excel workbooks, made on the spot from their parts.
#include "data/workbook.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/zip.h"
#include "data/reader.h"
#include "data/xml_scanner.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

const std::map<std::string, std::string> kParts = {
    {"[Content_Types].xml", "<Types/>"},
    {"xl/workbook.xml",
     "<?xml version=\"1.0\"?><workbook xmlns:r=\"R\"><sheets><sheet name=\"Data\" sheetId=\"1\" "
     "r:id=\"rId7\"/>"
     "<sheet name=\"Notes\" sheetId=\"2\" r:id=\"rId2\"/></sheets></workbook>"},
    {"xl/_rels/workbook.xml.rels",
     "<Relationships><Relationship Id=\"rId2\" Target=\"worksheets/sheet2.xml\"/>"
     "<Relationship Id=\"rId7\" Target=\"worksheets/data.xml\"/></Relationships>"},
    {"xl/styles.xml",
     "<styleSheet><numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>"
     "<cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>"
     "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"22\"/><xf numFmtId=\"20\"/></cellXfs>"
     "</styleSheet>"},
    {"xl/sharedStrings.xml",
     "<sst><si><t>city</t></si><si><t>a &amp; b</t></si><si><r><t>Li</t></r><r><t xml:space=\"preserve\">ma "
     "</t></r><rPh><t>spoken</t></rPh></si><si><t>two\nlines</t></si></sst>"},
    {"xl/worksheets/data.xml",
     "<worksheet><sheetData>"
     "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>x</t></is></c>"
     "<c r=\"C1\" t=\"str\"><v>when</v></c><c r=\"D1\" t=\"inlineStr\"><is><t>ok</t></is></c></row>"
     "<row r=\"2\"><c r=\"A2\" t=\"s\"><v>2</v></c><c r=\"B2\"><v>0.1</v></c><c r=\"C2\" "
     "s=\"1\"><v>45322</v></c>"
     "<c r=\"D2\" t=\"b\"><v>1</v></c></row>"
     "<row r=\"4\"><c r=\"A4\" t=\"s\"><v>1</v></c><c r=\"C4\" s=\"2\"><v>45322.75</v></c>"
     "<c r=\"D4\" t=\"b\"><v>0</v></c></row>"
     "<row r=\"5\"><c r=\"A5\" t=\"s\"><v>3</v></c><c r=\"B5\" t=\"e\"><v>#N/A</v></c>"
     "<c r=\"C5\" s=\"3\"><v>0.5</v></c></row>"
     "</sheetData></worksheet>"}};

std::string zipped(const std::map<std::string, std::string>& parts) {
  std::vector<std::pair<std::string, std::string_view>> members(parts.begin(), parts.end());
  return format_zip(members, ZipMethod::kStored);
}

std::string text_of(const std::map<std::string, std::string>& parts, std::size_t most = 1 << 24) {
  const std::string file = zipped(parts);
  return workbook_text(std::as_bytes(std::span(file)), "t.xlsx", most);
}

std::map<std::string, std::string> with_sheet(const std::string& cells) {
  std::map<std::string, std::string> parts = kParts;
  parts["xl/worksheets/data.xml"] = "<worksheet><sheetData>" + cells + "</sheetData></worksheet>";
  return parts;
}

TEST(Workbook, TheFirstSheetAsText) {
  EXPECT_EQ(text_of(kParts),
            "city,x,when,ok\n"
            "\"Lima \",0.1,2024-01-31,TRUE\n"
            "\n"
            "a & b,,2024-01-31 18:00:00,FALSE\n"
            "two lines,\"#N/A\",12:00:00,\n");
}

TEST(Workbook, DatesOfBothCalendars) {
  std::map<std::string, std::string> parts =
      with_sheet("<row><c s=\"1\"><v>1</v></c><c s=\"1\"><v>59</v></c><c s=\"1\"><v>61</v></c></row>");
  EXPECT_EQ(text_of(parts), "1900-01-01,1900-02-28,1900-03-01\n");
  parts["xl/workbook.xml"] = "<workbook><workbookPr date1904=\"1\"/></workbook>";
  parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/data.xml"];
  EXPECT_EQ(text_of(parts), "1904-01-02,1904-02-29,1904-03-02\n");
}

TEST(Workbook, WhatIsDamagedIsNamed) {
  EXPECT_TRUE(contains(error_of([] { text_of(with_sheet("<row><c t=\"s\"><v>9</v></c></row>")); }),
                       "no shared text 9"));
  EXPECT_TRUE(contains(error_of([] { text_of(with_sheet("<row><c r=\"ZZZZ1\"><v>9</v></c></row>")); }),
                       "no cell ZZZZ1"));
  EXPECT_TRUE(contains(error_of([] { text_of(with_sheet("<row r=\"99999999\"><c><v>9</v></c></row>")); }),
                       "no row 99999999"));
  EXPECT_TRUE(contains(error_of([] { text_of(with_sheet("")); }), "is empty"));
  EXPECT_TRUE(contains(error_of([] { text_of(with_sheet("<row><c><v>9")); }), "is empty"));
  std::map<std::string, std::string> parts = kParts;
  parts.erase("xl/worksheets/data.xml");
  EXPECT_TRUE(contains(error_of([&] { text_of(parts); }), "lacks its part xl/worksheets/data.xml"));
  EXPECT_FALSE(error_of([] { text_of(kParts, 500); }).empty());
  // A far-off cell does not take the memory of all before it.
  EXPECT_FALSE(error_of([] {
                 text_of(with_sheet("<row r=\"1\"><c r=\"XFD1\"><v>1</v></c></row>"
                                    "<row r=\"1048576\"><c r=\"A1048576\"><v>1</v></c></row>"),
                         1 << 20);
               }).empty());
  std::string far;
  for (int row = 1; row <= 60; ++row)
    far +=
        "<row r=\"" + std::to_string(row) + "\"><c r=\"XFD" + std::to_string(row) + "\"><v>1</v></c></row>";
  EXPECT_TRUE(contains(error_of([&] { text_of(with_sheet(far), 1 << 21); }), "more than the limit of"));
  std::string words = "<sst>";
  for (int k = 0; k < 5000; ++k) words += "<si/>";
  std::map<std::string, std::string> many = kParts;
  many["xl/sharedStrings.xml"] = words;
  EXPECT_TRUE(contains(error_of([&] { text_of(many, 100'000); }), "more than the limit of"));
}

TEST(Workbook, IsReadLikeAnyTable) {
  std::string rows =
      "<row><c t=\"inlineStr\"><is><t>city</t></is></c><c t=\"inlineStr\"><is><t>x</t></is></c></row>";
  for (int r = 0; r < 60; ++r)
    rows += "<row><c t=\"inlineStr\"><is><t>" + std::string(r % 3 == 0 ? "Oslo" : "Rome") + "</t></is></c>" +
            (r == 7 ? "" : "<c><v>" + std::to_string(0.37 * r) + "</v></c>") + "</row>";
  const test::TempFolder folder;
  ReadOptions options;
  options.missing = MissingPolicy::kKeep;
  const Dataset data = read_dataset(folder.write("t.xlsx", zipped(with_sheet(rows))), options);
  EXPECT_EQ(data.table.names, (std::vector<std::string>{"city", "x"}));
  EXPECT_EQ(data.table.rows(), 60u);
  EXPECT_EQ(data.table.levels[0], (std::vector<std::string>{"Oslo", "Rome"}));
  EXPECT_TRUE(std::isnan(data.table.values(7, 1)));
  EXPECT_NEAR(data.table.values(10, 1), 3.7, 1e-9);
  const std::string other = zipped({{"a.txt", "x"}});
  EXPECT_TRUE(contains(error_of([&] { read_dataset(folder.write("t.zip", other), options); }),
                       "holds no Excel (.xlsx) sheet"));
}

TEST(XmlScanner, TagsAttributesAndText) {
  XmlScanner scan("<?xml v='1'?><!-- <no> --><x:a p=\"1 > 0\" r:q='&lt;'/><b>1 &#955; &bad; &</b>");
  ASSERT_TRUE(scan.next());
  EXPECT_TRUE(scan.opens("a"));
  EXPECT_TRUE(scan.closes("a"));
  EXPECT_EQ(scan.attribute("p"), "1 > 0");
  EXPECT_EQ(scan.attribute("q"), "<");
  EXPECT_FALSE(scan.attribute("r"));
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.text(), "1 \xCE\xBB &bad; &");
  ASSERT_TRUE(scan.next());
  EXPECT_TRUE(scan.closes("b"));
  EXPECT_FALSE(scan.next());
}

}  // namespace
}  // namespace causcale
