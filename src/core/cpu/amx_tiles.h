// The processor's tile registers. Assembly instead of intrinsics: those of g++ 12 do not say that a load
// reads memory, so that the compiler may move what was to be loaded behind it.
//
// Configuring and releasing take place in every product: a thread that computes something else, or sleeps in
// the pool, has no tiles that the system would save, and no code but what finishes a panel meets a
// configuration of ours.
#pragma once

#include <immintrin.h>

#include "core/cpu/tile_products.h"

namespace causcale::core {
namespace {

class AmxTiles {
 public:
  AmxTiles() = default;
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
  ~AmxTiles() { __asm__ volatile("tilerelease" ::: "memory"); }

  void configure(const TileConfig& config) { __asm__ volatile("ldtilecfg %0" ::"m"(config)); }
  template <int kTile>
  void zero() {
    __asm__ volatile("tilezero %%tmm%c0" ::"i"(kTile));
  }
  template <int kTile>
  void load(const void* from, std::int64_t stride_bytes) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride_bytes), "i"(kTile) : "memory");
  }
  template <int kTile>
  void store(void* to, std::int64_t stride_bytes) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride_bytes), "i"(kTile) : "memory");
  }
  // sum += a b
  template <int kSum, int kA, int kB>
  void multiply() {
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
  // `count` elements will be loaded soon; they need not exist.
  void fetch(const Bf16* from, std::int64_t count) {
    for (std::int64_t k = 0; k < count; k += 32)
      _mm_prefetch(reinterpret_cast<const char*>(from + k), _MM_HINT_T0);
  }
  // `count` pairs, and zeros up to 16.
  void copy_pairs(const Bf16* from, std::int64_t count, Bf16* to) {
    const __mmask16 mask = static_cast<__mmask16>((1u << count) - 1);
    _mm512_store_si512(to, _mm512_maskz_loadu_epi32(mask, from));
  }
};

}  // namespace
}  // namespace causcale::core
