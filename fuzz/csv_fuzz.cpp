// The CSV reader, with options taken from the first byte.
#include <string_view>

#include "causcale/error.h"
#include "data/csv.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  causcale::ReadOptions options;
  options.header = !(data[0] & 1);
  options.transpose = data[0] & 2;
  options.comment = data[0] & 4 ? '#' : '\0';
  if (data[0] & 8) options.label_column = "0";
  if (data[0] & 16) options.row_names = causcale::RowNames::kYes;
  options.threads = data[0] & 32 ? 2 : 1;
  if (data[0] & 64) options.delimiter = ' ';
  try {
    causcale::parse_csv({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz.csv", options,
                        data[0] & 128 ? causcale::TextCells::kCollect : causcale::TextCells::kThrow);
  } catch (const causcale::Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds;
  for (const char option : {'\0', '\1', '\2', '\4', '\x8', '\x10', '\x40', '\x80', '\xA4'})
    for (const char* text : {"a,b,c\n1,2.5,-3\n4e2,.5,6\n7,8,9\n", "\"x,1\";\"y\"\r\n\"1\";2\r\n3;NA\r\n",
                             "# note\n1\t2\t3\n4\t5\t6\n",
                             ",a,b\nr1,1.2345678901234567,0.00001\nr2,-12345678901234567890,1e-300\n",
                             "a b c\n 1  2 3 \n 4 5 6\n"})
      seeds.push_back(std::string(1, option) + text + std::string(100, '\n'));
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
          "1,5"};
}
