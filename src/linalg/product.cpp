#include "linalg/product.h"

#include <algorithm>
#include <memory>

#include "base/parallel.h"
#include "base/thread_pool.h"

namespace causcale::linalg {

namespace {

constexpr std::int64_t kWorthThreads = 1 << 20;  // multiplications: some 50 microseconds of one core

// `lines` lines of `depth` values, `width` lines side by side, filled up with zeros.
void pack(const double* from, std::int64_t line_step, std::int64_t depth_step, std::int64_t lines,
          std::int64_t depth, std::int64_t width, double* to) {
  for (std::int64_t first = 0; first < lines; first += width, to += width * depth) {
    const std::int64_t used = std::min(width, lines - first);
    const double* start = from + first * line_step;
    if (used < width) std::fill_n(to, width * depth, 0.0);
    if (line_step == 1) {
      for (std::int64_t k = 0; k < depth; ++k) std::copy_n(start + k * depth_step, used, to + k * width);
    } else {
      for (std::int64_t i = 0; i < used; ++i)
        for (std::int64_t k = 0; k < depth; ++k) to[k * width + i] = start[i * line_step + k * depth_step];
    }
  }
}

std::int64_t blocks(std::int64_t size, std::int64_t block) {
  return (size + block - 1) / block;
}

}  // namespace

void multiply(const Context& context, std::int64_t m, std::int64_t n, std::int64_t depth, double alpha,
              View a, View b, double* c, std::int64_t c_stride, bool accumulate, Part part) {
  if (m == 0 || n == 0) return;
  const Kernels& kernels = context.kernels;
  const int threads = m * n * depth < kWorthThreads ? 1 : resolve_threads(context.threads);
  const std::int64_t tile_rows = kernels.rows, tile_cols = kernels.cols;
  const std::int64_t deepest = std::min(depth, kDepthBlock);
  const std::int64_t row_block = std::min(blocks(m, tile_rows) * tile_rows, kRowBlock);
  const std::int64_t row_blocks = blocks(m, kRowBlock), column_blocks = blocks(n, kColumnBlock);
  const std::unique_ptr<double[]> b_packed(new double[blocks(n, tile_cols) * tile_cols * deepest]);
  const std::unique_ptr<double[]> a_packed(new double[threads * row_block * deepest]);

  std::int64_t start = 0;
  do {  // once even for depth 0, which leaves C or clears it
    const std::int64_t here = std::min(depth - start, kDepthBlock);
    const bool add = accumulate || start > 0;
    for_each_item(column_blocks, threads, [&](std::int64_t block, int) {
      const std::int64_t first = block * kColumnBlock;
      pack(b.data + first * b.col_step + start * b.row_step, b.col_step, b.row_step,
           std::min(kColumnBlock, n - first), here, tile_cols, b_packed.get() + first * here);
    });
    for_each_item(row_blocks * column_blocks, threads, [&](std::int64_t block, int slot) {
      const std::int64_t top = block / column_blocks * kRowBlock, left = block % column_blocks * kColumnBlock;
      const std::int64_t bottom = std::min(top + kRowBlock, m), right = std::min(left + kColumnBlock, n);
      if (part == Part::kUpper && right <= top) return;
      double* a_block = a_packed.get() + slot * row_block * deepest;
      pack(a.data + top * a.row_step + start * a.col_step, a.row_step, a.col_step, bottom - top, here,
           tile_rows, a_block);
      for (std::int64_t j = left; j < right; j += tile_cols)
        for (std::int64_t i = top; i < bottom; i += tile_rows) {
          if (part == Part::kUpper && j + tile_cols <= i) break;
          kernels.tile(here, a_block + (i - top) * here, b_packed.get() + j * here, c + i * c_stride + j,
                       c_stride, std::min(tile_rows, bottom - i), std::min(tile_cols, right - j), alpha, add);
        }
    });
    start += kDepthBlock;
  } while (start < depth);
}

}  // namespace causcale::linalg
