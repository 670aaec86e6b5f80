// Kinds of columns, as options and as files, and groups of columns. The first byte chooses.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "causcale/error.h"
#include "data/columns.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto check = [](const std::vector<ColumnType>& types) {
    for (const ColumnType& type : types)
      if (!type.order.empty() && type.kind != ColumnKind::kOrdered && type.kind != ColumnKind::kBinary)
        std::abort();
  };
  try {
    if (data[0] % 3 == 0) {
      check(parse_column_types(text));
    } else if (data[0] % 3 == 1) {
      if (parse_column_group(text).members.size() < 2) std::abort();
    } else {
      const auto path = std::filesystem::temp_directory_path() / ("types_fuzz_" + std::to_string(getpid()));
      std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
      check(read_column_types(path));
    }
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  using namespace std::string_literals;
  return {"\0age=count,size=ordered:low<middle<high,x=date"s, "\1g=a,b,c"s,
          "\2name,kind,order\nage,count\nsize,ordered,low<middle<high\n"s,
          "\2\"a,b\";binary;no<yes\nc;identifier;\n"s};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"=",          "ordered:", "binary",   "continuous",  "count", "unordered",
          "identifier", "date",     "constant", ",kind,order", "<",     ":",
          "\"",         "\n",       "\r\n",     ";",           "\t"};
}
