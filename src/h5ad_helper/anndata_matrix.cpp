// The matrices of an AnnData file, sent block by block.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>

#include "base/excerpt.h"
#include "h5ad_helper/anndata_file.h"
#include "h5ad_helper/slices.h"
#include "h5ad_helper/talk.h"

namespace causcale::h5ad_helper {
namespace {

constexpr std::size_t kBlockValues = std::size_t{1} << 21;  // numbers read at a time

[[noreturn]] void fail(const std::string& what) {
  throw InputError(what);
}

std::size_t rows_of_block(std::size_t columns) {
  return std::max<std::size_t>(1, kBlockValues / std::max<std::size_t>(1, columns));
}

}  // namespace

void AnnDataFile::send_dense(const std::string& path) const {
  const Handle dataset = objects_.open_dataset(path);
  require_numbers(dataset, path);
  const std::vector<hsize_t> shape = extents(dataset, path);
  if (shape.size() != 2 || shape[1] != position_.size())
    fail(fmt::format("{} should have {} columns, as var has entries", path, position_.size()));
  check_claim(dataset, shape, path);
  send_rows(shape[0]);
  const std::size_t columns = shape[1], block_rows = rows_of_block(columns);
  std::vector<double> block, chosen;
  const Handle space(H5Dget_space(dataset));
  for (hsize_t row = 0; row < shape[0]; row += block_rows) {
    const hsize_t begin[] = {row, 0}, count[] = {std::min<hsize_t>(block_rows, shape[0] - row), columns};
    block.resize(count[0] * columns);
    chosen.resize(count[0] * kept_);
    const Handle memory(H5Screate_simple(2, count, nullptr));
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block.data()) < 0)
      fail(fmt::format("{} cannot be read (damaged or cut off)", path));
    for (std::size_t r = 0; r < count[0]; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        if (position_[c] >= 0)
          chosen[r * kept_ + static_cast<std::size_t>(position_[c])] = block[r * columns + c];
    send_values(chosen);
    send(H5adMessage::kAlive);
  }
}

// Compressed rows or columns. The outer axis is the one that indptr runs over. By row, a window of rows is
// filled and sent after the other; by column the window is the whole table.
void AnnDataFile::send_sparse(const std::string& path) const {
  std::string format = text_attribute(path, "encoding-type");
  if (format.empty()) format = text_attribute(path, "h5sparse_format");
  const bool by_row = format.starts_with("csr");
  if (!by_row && !format.starts_with("csc"))
    fail(fmt::format("{} has the encoding {} (known: a dense array, csr_matrix, csc_matrix)", path,
                     quoted_excerpt(format)));
  const std::vector<std::int64_t> starts = read_integers(path + "/indptr");
  const Handle data = objects_.open_dataset(path + "/data"),
               indices = objects_.open_dataset(path + "/indices");
  require_numbers(data, path + "/data");
  require_numbers(indices, path + "/indices");
  const std::vector<hsize_t> data_shape = extents(data, path + "/data"),
                             index_shape = extents(indices, path + "/indices");
  const std::int64_t entries = starts.empty() ? -1 : starts.back();
  if (entries < 0 || starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
      data_shape.size() != 1 || index_shape != data_shape || static_cast<hsize_t>(entries) > data_shape[0])
    fail(fmt::format("{}: indptr, indices and data do not fit together", path));
  check_claim(data, data_shape, path + "/data");
  check_claim(indices, index_shape, path + "/indices");
  const std::size_t outer = starts.size() - 1, variables = position_.size();
  if (!by_row && outer != variables)
    fail(fmt::format("{} has {} columns, var has {} entries", path, outer, variables));
  const std::size_t rows = by_row ? outer : observations();
  send_rows(rows);

  const std::size_t window_rows = by_row ? std::min(rows, rows_of_block(kept_)) : rows;
  std::size_t window_size = 0;
  if (__builtin_mul_overflow(window_rows, kept_, &window_size)) throw std::bad_alloc();
  std::vector<double> window(window_size), block;
  std::vector<std::int64_t> inner;
  std::size_t first = 0;  // row of the window
  const auto send_window = [&] {
    send_values(std::span(window).first(std::min(window_rows, rows - first) * kept_));
    std::fill(window.begin(), window.end(), 0.0);
    first += window_rows;
  };
  std::size_t line = 0;  // the row (or column) that the entry belongs to
  for (std::int64_t at = 0; at < entries; at += static_cast<std::int64_t>(block.size())) {
    const auto count = std::min<std::size_t>(kBlockValues, static_cast<std::size_t>(entries - at));
    block.resize(count);
    inner.resize(count);
    read_slice(data, H5T_NATIVE_DOUBLE, static_cast<hsize_t>(at), block, path + "/data");
    read_slice(indices, H5T_NATIVE_INT64, static_cast<hsize_t>(at), inner, path + "/indices");
    send(H5adMessage::kAlive);
    for (std::size_t k = 0; k < count; ++k) {
      while (starts[line + 1] <= at + static_cast<std::int64_t>(k)) ++line;
      const auto other = static_cast<std::size_t>(inner[k]);  // negative ones become huge
      const std::size_t row = by_row ? line : other, column = by_row ? other : line;
      if (row >= rows || column >= variables) fail(fmt::format("{}: an index is outside the table", path));
      if (position_[column] < 0) continue;
      while (row >= first + window_rows) send_window();
      window[(row - first) * kept_ + static_cast<std::size_t>(position_[column])] += block[k];
    }
  }
  while (first < rows) send_window();
}

}  // namespace causcale::h5ad_helper
