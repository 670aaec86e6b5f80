// The single-threaded kernels of the forward pass, one table per instruction set and kind of number, chosen
// by what the processor can do. T is what matrix products multiply: float, or Bf16 with sums in float.
//
// Packed matrices. The right-hand side b [depth, cols] of a product lies in panels of `panel` columns; within
// a panel `group` neighbouring depths of one column stand together: [depth / group][panel][group]. The last
// panel is whole, its columns beyond the last may hold anything; depth is rounded up to a multiple of `group`
// with zeros. The left-hand side a [rows, depth] lies in plain rows, whose length is rounded up likewise.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/bfloat16.h"

namespace causcale::core {

// Tokens that go through a layer together.
inline constexpr std::int64_t kTile = 128;

// Where the queries, keys and values of a tile of tokens go. The tile has `places` x `tied` tokens, token
// (l, t) in row t * places + l; each row holds `heads` runs of `e` channels.
template <class T>
struct HeadPlanes {
  std::int64_t heads, e;
  std::int64_t first_place, places;  // on the mixed axis: a whole panel, or the last ones of that axis
  std::int64_t first_tied, tied;     // on the tied axis
  std::int64_t tied_length;          // all of it
  bool large;                        // too large for a cache: written past it where a kernel can
  T* plane;                          // of the first head
  std::int64_t plane_stride;         // from head to head
  std::int64_t row_stride;           // queries: from place to place; values: from panel to panel
};

// A reference to what takes a product panel by panel: the columns [first, first + cols) of all rows, which
// stand a panel apart. Files for one instruction set call it without a function that they could share.
struct PanelFunction {
  template <class F>
  explicit PanelFunction(const F& work)
      : object(&work), call([](const void* object, std::int64_t first, std::int64_t cols, const float* sums) {
          (*static_cast<const F*>(object))(first, cols, sums);
        }) {}
  const void* object;
  void (*call)(const void* object, std::int64_t first, std::int64_t cols, const float* sums);
};

template <class T>
struct Kernels {
  const char* name;    // of the instruction set, as CAUSCALE_ISA spells it
  std::int64_t panel;  // columns
  std::int64_t group;  // depths

  // c [rows, cols] = a b, or += where `accumulate`. Strides in elements; panels follow each other at
  // `panel_stride`.
  void (*multiply)(std::int64_t rows, std::int64_t cols, std::int64_t depth, const T* a,
                   std::int64_t a_stride, const T* panels, std::int64_t panel_stride, float* c,
                   std::int64_t c_stride, bool accumulate);
  // The same of at most kTile rows, one panel of columns after the other: `finish`, which must not multiply
  // itself, finds a panel in the innermost cache, which the whole product would leave. `sums` has room for
  // rows * panel values.
  void (*multiply_panels)(std::int64_t rows, std::int64_t cols, std::int64_t depth, const T* a,
                          std::int64_t a_stride, const T* panels, std::int64_t panel_stride, float* sums,
                          const PanelFunction& finish);
  // out = LayerNorm(x) of one row of d values, epsilon 1e-5.
  void (*layer_norm)(const float* x, T* out, std::int64_t d, const float* weight, const float* bias);
  // out = GELU(h + bias) of `rows` rows of `width` values; exact (erf), to float rounding, or where T is Bf16
  // to 1.6e-5 |h + bias| and its rounding.
  void (*bias_gelu)(const float* h, std::int64_t h_stride, std::int64_t rows, std::int64_t width,
                    const float* bias, T* out, std::int64_t out_stride);
  // One row of scores to e^(score - largest), rounded up to `group` values by zeros; returns 1 / their sum.
  // `out` may be the row itself.
  float (*exponentials)(const float* row, std::int64_t length, T* out);
  // out = x + branch + bias of `rows` rows of `width` values; row r of x and out begins at starts[r]; out may
  // be x.
  void (*residual)(std::int64_t rows, std::int64_t width, const std::int64_t* starts, const float* x,
                   const float* branch, std::int64_t branch_stride, const float* bias, float* out);
  // to = from, or += where `accumulate`, of `rows` rows of `width` values.
  void (*copy)(std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride, float* to,
               std::int64_t to_stride, bool accumulate);
  // out = x * factor, one row of `width` values.
  void (*scale)(const float* x, float factor, T* out, std::int64_t width);
  // (rows [places * tied, row_length] + bias) * factor to its places: queries in rows [L, T e], keys in
  // panels of places (depth T e), values in panels of T e (depth: places).
  void (*store_queries)(const float* rows, std::int64_t row_length, const float* bias, float factor,
                        const HeadPlanes<T>& to);
  void (*store_keys)(const float* rows, std::int64_t row_length, const float* bias, const HeadPlanes<T>& to);
  void (*store_values)(const float* rows, std::int64_t row_length, const float* bias,
                       const HeadPlanes<T>& to);

  std::int64_t rounded_depth(std::int64_t depth) const { return (depth + group - 1) / group * group; }
  std::int64_t panels(std::int64_t cols) const { return (cols + panel - 1) / panel; }
  std::int64_t packed_size(std::int64_t depth, std::int64_t cols) const {
    return panels(cols) * rounded_depth(depth) * panel;
  }
};

// Instruction sets in the order in which they are preferred. One that names no table for T stands for the one
// below it: amx multiplies bfloat16 only.
enum class Isa { kBase, kAvx2, kAvx512, kAvx512Bf16, kAmx, kNeon };

// What this processor can run, ascending; the first is plain C++ and runs anywhere.
std::vector<Isa> available_isas();
const char* isa_name(Isa isa);  // "base", "avx2", "avx512", "avx512bf16", "amx", "neon"

// The best that is available and not above `CAUSCALE_ISA`, where that environment variable is set. Throws
// UsageError, listing what there is, when it names something that this processor or build lacks.
Isa chosen_isa();

template <class T>
const Kernels<T>& kernels_for(Isa isa);
template <>
const Kernels<float>& kernels_for<float>(Isa isa);
template <>
const Kernels<Bf16>& kernels_for<Bf16>(Isa isa);

// Whether products of bfloat16 are instructions of that set; elsewhere they are computed in floats.
bool multiplies_bf16(Isa isa);

}  // namespace causcale::core
