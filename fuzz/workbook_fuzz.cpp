// Excel workbooks. An input that begins with "PK" is the archive itself; any other is its parts, one after
// the other with lines "==" between them, so that changes reach the XML behind the archive's checksums.
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/zip.h"
#include "causcale/error.h"
#include "data/csv.h"
#include "data/settle_columns.h"
#include "data/workbook.h"
#include "target.h"

namespace {

using namespace causcale;

constexpr std::size_t kMost = std::size_t{1} << 22;
constexpr std::string_view kBetween = "\n==\n";

std::string archive_of(std::string_view parts) {
  static const char* const kNames[] = {"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml",
                                       "xl/workbook.xml", "xl/_rels/workbook.xml.rels"};
  std::vector<std::pair<std::string, std::string_view>> members;
  for (const char* name : kNames) {
    const std::size_t end = parts.find(kBetween);
    members.emplace_back(name, parts.substr(0, end));
    if (end == parts.npos) break;
    parts.remove_prefix(end + kBetween.size());
  }
  return format_zip(members, ZipMethod::kStored);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string archive(reinterpret_cast<const char*>(data), size);
  try {
    if (!archive.starts_with("PK")) archive = archive_of(archive);
    const auto bytes = std::as_bytes(std::span(archive));
    if (!is_workbook(bytes)) return 0;
    const std::string text = workbook_text(bytes, "fuzz.xlsx", kMost);
    if (text.size() > kMost) std::abort();
    ReadOptions options;
    RawTable raw = parse_csv(text, "fuzz.xlsx", options, TextCells::kCollect);
    settle_columns(raw, options, "fuzz.xlsx", true);
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  const std::string between(kBetween);
  const std::string sheet =
      "<worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" "
      "t=\"inlineStr\"><is><t>x</t></is></c>"
      "</row><row r=\"2\"><c r=\"A2\" s=\"1\"><v>45322</v></c><c r=\"B2\"><v>0.1</v></c></row>"
      "<row r=\"4\"><c r=\"A4\" s=\"2\"><v>45322.75</v></c><c r=\"B4\" "
      "t=\"b\"><v>1</v></c></row></sheetData></worksheet>";
  const std::string words = "<sst><si><t>a &amp; b</t></si><si><r><t>Li</t></r><r><t>ma</t></r></si></sst>";
  const std::string styles =
      "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\"/></numFmts><cellXfs><xf "
      "numFmtId=\"0\"/>"
      "<xf numFmtId=\"164\"/><xf numFmtId=\"22\"/></cellXfs></styleSheet>";
  const std::string book =
      "<workbook><workbookPr date1904=\"1\"/><sheets><sheet name=\"Data\" sheetId=\"1\" "
      "r:id=\"rId7\"/></sheets></workbook>";
  const std::string relations =
      "<Relationships><Relationship Id=\"rId7\" Target=\"worksheets/sheet1.xml\"/></Relationships>";
  return {sheet, sheet + between + words, sheet + between + words + between + styles,
          sheet + between + words + between + styles + between + book + between + relations,
          archive_of(sheet + between + words + between + styles)};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {
      "<row r=\"",      "<c r=\"", "<v>",         "</v>",  "t=\"s\"",   "t=\"inlineStr\"", "t=\"e\"",
      "s=\"1\"",        "<si>",    "<t>",         "&amp;", "&#955;",    "&#x10FFFF;",      "XFD1048576",
      "1e999",          "-1",      "<!--",        "-->",   "<![CDATA[", "\n==\n",          "numFmtId=\"14\"",
      "date1904=\"1\"", "r:id=\"", "Target=\"../"};
}
