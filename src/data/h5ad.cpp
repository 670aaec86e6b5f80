#include "data/h5ad.h"

#include <fmt/format.h>

#include "causcale/error.h"

#ifdef CAUSCALE_HDF5
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/byte_size.h"
#include "base/file.h"
#include "base/helper_process.h"
#include "data/h5ad_messages.h"
#endif

namespace causcale {

#ifdef CAUSCALE_HDF5
namespace {

constexpr const char* kHelper = "causcale-read-h5ad";

// The reader's end of the talk with the helper.
class H5adTalk {
 public:
  H5adTalk(const std::filesystem::path& path, const ReadOptions& options, const H5adLimits& limits)
      : source_(path.string()),
        limit_(reading_limit(options.max_bytes)),
        left_(limit_),
        silent_seconds_(limits.silent_seconds),
        helper_(kHelper, {source_, options.h5ad_layer, options.label_column, std::to_string(limit_)}) {}

  std::vector<std::string> texts() {
    std::vector<std::string> list;
    for (;;) {
      const std::vector<std::byte> packed = receive(H5adMessage::kTexts);
      if (packed.empty()) return list;
      for (std::size_t at = 0; at < packed.size();) {
        std::uint32_t length = 0;
        if (packed.size() - at < sizeof length) misbehaved();
        std::memcpy(&length, packed.data() + at, sizeof length);
        at += sizeof length;
        if (packed.size() - at < length) misbehaved();
        take_memory(sizeof(std::string) + length);
        list.emplace_back(reinterpret_cast<const char*>(packed.data() + at), length);
        at += length;
      }
    }
  }

  void choose(const std::vector<std::size_t>& kept) {
    if (kept.size() > std::numeric_limits<std::uint32_t>::max() / sizeof(std::uint64_t))
      throw InputError(fmt::format("{}: {} columns are too many", source_, kept.size()));
    const std::vector<std::uint64_t> positions(kept.begin(), kept.end());
    const H5adMessageHead head{H5adMessage::kKept,
                               static_cast<std::uint32_t>(positions.size() * sizeof(std::uint64_t))};
    if (!helper_.send(std::as_bytes(std::span(&head, 1))) ||
        !helper_.send(std::as_bytes(std::span(positions))))
      died();
  }

  Matrix<double> values(std::size_t columns) {
    std::uint64_t rows = 0;
    const std::vector<std::byte> count = receive(H5adMessage::kRows);
    if (count.size() != sizeof rows) misbehaved();
    std::memcpy(&rows, count.data(), sizeof rows);
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(rows, columns * sizeof(double), &bytes)) bytes = limit_ + std::uint64_t{1};
    require_memory(fmt::format("{}: a table of {} rows and {} columns", source_, rows, columns), bytes,
                   left_);
    left_ -= bytes;
    Matrix<double> table(rows, columns);
    auto* to = reinterpret_cast<std::byte*>(table.data());
    for (std::size_t have = 0; have < bytes;) {
      const std::size_t size = receive_head(H5adMessage::kValues);
      if (size == 0 || size > bytes - have) misbehaved();
      receive_bytes({to + have, size});
      have += size;
    }
    return table;
  }

  void finish() {
    if (receive_head(H5adMessage::kDone) != 0) misbehaved();
  }

 private:
  std::size_t receive_head(H5adMessage expected) {
    for (;;) {
      H5adMessageHead head;
      receive_bytes(std::as_writable_bytes(std::span(&head, 1)));
      if (head.size > kLargestH5adMessage) misbehaved();
      if (head.kind == H5adMessage::kAlive && head.size == 0) continue;
      if (head.kind == H5adMessage::kError) {
        std::string text(head.size, '\0');
        receive_bytes(std::as_writable_bytes(std::span(text)));
        throw InputError(fmt::format("{}: {}", source_, text));
      }
      if (head.kind != expected) misbehaved();
      return head.size;
    }
  }

  std::vector<std::byte> receive(H5adMessage expected) {
    std::vector<std::byte> bytes(receive_head(expected));
    receive_bytes(bytes);
    return bytes;
  }

  void receive_bytes(std::span<std::byte> bytes) {
    switch (helper_.receive(bytes, silent_seconds_)) {
      case HelperProcess::Received::kAll:
        return;
      case HelperProcess::Received::kTimeOut:
        throw InputError(
            fmt::format("{}: given up: HDF5 made no progress within {} s; the file is damaged or made to "
                        "keep its readers busy",
                        source_, silent_seconds_));
      case HelperProcess::Received::kEnd:
        died();
    }
  }

  [[noreturn]] void died() {
    throw InputError(
        fmt::format("{}: HDF5 could not read the file: its helper process {}; the file is damaged", source_,
                    helper_.end_in_words()));
  }

  [[noreturn]] void misbehaved() const {
    throw InputError(
        fmt::format("{}: HDF5's helper process sent what it should not; the file is damaged", source_));
  }

  void take_memory(std::uint64_t bytes) {
    require_memory(source_, limit_ - left_ + bytes, limit_);
    left_ -= bytes;
  }

  std::string source_;
  std::size_t limit_, left_;
  int silent_seconds_;
  HelperProcess helper_;
};

}  // namespace

RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options, const H5adLimits& limits) {
  if (options.transpose) throw UsageError("--transpose does not apply to .h5ad files: rows are cells there");
  { const MappedFile readable(path); }  // so that a missing file is called missing
  H5adTalk talk(path, options, limits);
  RawTable raw;
  raw.variables = talk.texts();
  raw.kept = choose_columns(raw.variables, options, path.string());
  talk.choose(raw.kept);
  raw.values = talk.values(raw.kept.size());
  if (!options.label_column.empty()) {
    raw.labels = talk.texts();
    if (raw.labels->size() != raw.values.rows())
      throw InputError(fmt::format("{}: obs/{} has {} entries for {} rows", path.string(),
                                   options.label_column, raw.labels->size(), raw.values.rows()));
  }
  talk.finish();
  return raw;
}
#else
RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions&, const H5adLimits&) {
  throw InputError(fmt::format(
      "{}: this program was built without HDF5 and cannot read .h5ad; save as .csv or .npz", path.string()));
}
#endif

}  // namespace causcale
