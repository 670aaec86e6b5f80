// The CSV reader up to the kinds of its columns, with options taken from the first two bytes.
#include <string_view>

#include "causcale/error.h"
#include "data/csv.h"
#include "data/settle_columns.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  causcale::ReadOptions options;
  options.header = !(data[0] & 1);
  options.transpose = data[0] & 2;
  options.comment = data[0] & 4 ? '#' : '\0';
  if (data[0] & 8) options.label_column = "0";
  if (data[0] & 16) options.row_names = causcale::RowNames::kYes;
  options.threads = data[0] & 32 ? 2 : 1;
  if (data[0] & 64) options.delimiter = ' ';
  const bool collect = data[0] & 128;
  options.dates_as_numbers = data[1] & 1;
  if (data[1] & 2) options.missing_markers = {"x", "-999"};
  if (data[1] & 4) options.types = {{"1", static_cast<causcale::ColumnKind>(data[1] >> 4 & 7), {}}};
  if (data[1] & 8) options.groups = {{"g", {"0", "1"}}};
  try {
    causcale::RawTable raw =
        causcale::parse_csv({reinterpret_cast<const char*>(data) + 2, size - 2}, "fuzz.csv", options,
                            collect ? causcale::TextCells::kCollect : causcale::TextCells::kThrow);
    if (collect) causcale::settle_columns(raw, options, "fuzz.csv", data[1] & 128);
  } catch (const causcale::Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds;
  for (const char option : {'\0', '\1', '\2', '\4', '\x8', '\x10', '\x40', '\x80', '\xA4'})
    for (const char second : {'\0', '\x81', '\x4E'})
      for (const char* text : {"a,b,c\n1,2.5,-3\n4e2,.5,6\n7,8,9\n", "\"x,1\";\"y\"\r\n\"1\";2\r\n3;NA\r\n",
                               "# note\n1\t2\t3\n4\t5\t6\n",
                               ",a,b\nr1,1.2345678901234567,0.00001\nr2,-12345678901234567890,1e-300\n",
                               "a b c\n 1  2 3 \n 4 5 6\n",
                               "d;e;f\n2024-01-31;1.234,5;25%\n31 Jan 2024 14:05;(7) ;-\nx;$4;12 kg\n",
                               "k,l\nyes,Z\xFCrich\nno,\"a \"\"b\"\"\"\nYES,?\n"})
        seeds.push_back(std::string{option, second} + text + std::string(100, '\n'));
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {",",
          ";",
          "\t",
          "\n",
          "\r\n",
          "\"",
          "\"\"",
          "nan",
          "inf",
          "NA",
          "1e999",
          "-",
          ".",
          "e",
          "#",
          "\xEF\xBB\xBF",
          "00000000000000000000",
          "99999999999999999999",
          "0.",
          "1,5",
          "1.234.567,8",
          "$",
          "%",
          "\xE2\x82\xAC",
          "\xC2\xA0",
          "2024-01-31",
          "T14:05:00+01:00",
          "Jan",
          "yes",
          "no"};
}
