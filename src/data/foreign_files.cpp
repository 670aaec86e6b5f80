#include "data/foreign_files.h"

#include <fmt/format.h>

#ifdef CAUSCALE_ZLIB
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#endif

#include "causcale/error.h"

namespace causcale {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view start;
  std::string_view message;
};

constexpr Signature kSignatures[] = {
    {"PK\x03\x04"sv,
     "this is a packed file that holds no Excel (.xlsx) sheet: save an OpenDocument table as CSV or .xlsx; "
     "a .zip must be unpacked first"sv},
    {"\xD0\xCF\x11\xE0"sv,
     "this is an old Excel workbook (.xls) or one with a password: save the sheet as .xlsx without one, or "
     "as CSV (in Python, pandas.read_excel(...).to_csv(...))"sv},
    {"PAR1"sv,
     "this is a Parquet file: convert it to CSV, in Python with pandas.read_parquet(...).to_csv(..., "
     "index=False)"sv},
    {"ARROW1"sv,
     "this is an Arrow or Feather file: convert it to CSV, in Python with "
     "pandas.read_feather(...).to_csv(..., "
     "index=False)"sv},
    {"BZh"sv, "this file is packed by bzip2: unpack it first with bunzip2"sv},
    {"\xFD\x37\x7A\x58\x5A"sv, "this file is packed by xz: unpack it first with unxz"sv},
    {"\x28\xB5\x2F\xFD"sv, "this file is packed by zstd: unpack it first with unzstd"sv},
    {"7z\xBC\xAF"sv, "this is a 7z archive: unpack it first"sv},
    {"$FL2"sv, "this is an SPSS file: convert it to CSV, in Python with pandas.read_spss(...).to_csv(...)"sv},
    {"<stata_dta>"sv,
     "this is a Stata file: convert it to CSV, in Python with pandas.read_stata(...).to_csv(...)"sv},
    {"RDX"sv, "this is an R file: write the table with write.csv in R"sv},
    {"\x93NUMPY"sv, "this is a NumPy array: give the file the extension .npy"sv},
    {"\x89HDF"sv, "this is an HDF5 file: give it the extension .h5ad if it is an AnnData table"sv},
    {"%PDF"sv, "this is a PDF document, not a table"sv},
    {"SQLite format 3"sv, "this is an SQLite database: write the table as CSV with sqlite3 -header -csv"sv},
};

}  // namespace

void reject_foreign_file(std::string_view bytes, const std::string& source) {
  for (const Signature& signature : kSignatures)
    if (bytes.starts_with(signature.start))
      throw InputError(fmt::format("{}: {}", source, signature.message));
}

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1F\x8B"sv);
}

#ifdef CAUSCALE_ZLIB

std::string inflate_gzip(std::string_view bytes, const std::string& source, std::size_t most_bytes) {
  z_stream stream{};
  constexpr int kGzipHeader = 16;
  if (inflateInit2(&stream, kGzipHeader + MAX_WBITS) != Z_OK)
    throw InputError(fmt::format("{}: unpacking failed: no memory", source));
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, &inflateEnd);

  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string text;
  for (;;) {
    if (stream.avail_in == 0) {
      const std::size_t given = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(given);
      bytes.remove_prefix(given);
    }
    const std::size_t before = text.size();
    text.resize(std::min(before + kPiece, most_bytes + 1));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(text.size() - before);
    const int outcome = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
    if (text.size() > most_bytes)
      throw InputError(fmt::format("{}: it unpacks to more than {} MiB: unpack it first with gunzip", source,
                                   most_bytes >> 20));
    const bool end = outcome == Z_STREAM_END;
    // Files may be strung together; anything else behind the end is padding.
    if (end && !is_gzip({reinterpret_cast<const char*>(stream.next_in), stream.avail_in})) return text;
    if ((outcome != Z_OK && !end) || (end && inflateReset(&stream) != Z_OK))  // no progress is a failure, too
      throw InputError(fmt::format(
          "{}: the gzip file is damaged or cut off: make it anew, or unpack it yourself", source));
  }
}

#else

std::string inflate_gzip(std::string_view, const std::string& source, std::size_t) {
  throw InputError(
      fmt::format("{}: this program was built without zlib: unpack the file first with gunzip", source));
}

#endif

}  // namespace causcale
