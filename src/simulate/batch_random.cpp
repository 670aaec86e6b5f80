#include "simulate/batch_random.h"

#include <algorithm>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "simulate/vector_clones.h"

namespace causcale {
namespace {

constexpr int kChunk = 256;

// Word p of block first + i * stride goes to planes[p][i].
using WordPlanes = std::uint32_t[4][kChunk];

void word_planes_portable(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                          WordPlanes& planes) {
  for (int i = 0; i < count; ++i) {
    const Words4 words = random_words(address, first + static_cast<std::uint32_t>(i) * stride);
    planes[0][i] = words.w0;
    planes[1][i] = words.w1;
    planes[2][i] = words.w2;
    planes[3][i] = words.w3;
  }
}

#ifdef __x86_64__
// Eight blocks at a time, even ones in one set of registers and odd ones in another. Every 64-bit lane holds
// a 32-bit word in its low half; what multiplication and exclusive-or leave in the high half is never read.
__attribute__((target("avx2"))) void word_planes_avx2(const BatchAddress& address, std::uint32_t first,
                                                      std::uint32_t stride, int count, WordPlanes& planes) {
  const __m256i multiplier0 = _mm256_set1_epi64x(0xD2511F53u), multiplier1 = _mm256_set1_epi64x(0xCD9E8D57u);
  const __m256i low_half = _mm256_set1_epi64x(0xffffffffu);
  for (int i = 0; i < count; i += 8) {
    __m256i c[2][4];
    for (int odd = 0; odd < 2; ++odd) {
      const std::uint32_t block = first + static_cast<std::uint32_t>(i + odd) * stride;
      c[odd][0] = _mm256_set_epi64x(block + 6 * stride, block + 4 * stride, block + 2 * stride, block);
      c[odd][1] = _mm256_set1_epi64x(address.item);
      c[odd][2] = _mm256_set1_epi64x(static_cast<std::uint32_t>(address.purpose));
      c[odd][3] = _mm256_set1_epi64x(address.dataset);
    }
    std::uint32_t k0 = static_cast<std::uint32_t>(address.seed);
    std::uint32_t k1 = static_cast<std::uint32_t>(address.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      for (int odd = 0; odd < 2; ++odd) {
        const __m256i p0 = _mm256_mul_epu32(c[odd][0], multiplier0);
        const __m256i p1 = _mm256_mul_epu32(c[odd][2], multiplier1);
        c[odd][0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c[odd][1]), key0);
        c[odd][2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c[odd][3]), key1);
        c[odd][1] = p1;
        c[odd][3] = p0;
      }
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    for (int p = 0; p < 4; ++p) {
      const __m256i together =
          _mm256_or_si256(_mm256_and_si256(c[0][p], low_half), _mm256_slli_epi64(c[1][p], 32));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(planes[p] + i), together);
    }
  }
}

void word_planes(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                 WordPlanes& planes) {
  static_assert(kChunk % 8 == 0, "the last eight blocks of a chunk may be written beyond count");
  if (__builtin_cpu_supports("avx2"))
    word_planes_avx2(address, first, stride, count, planes);
  else
    word_planes_portable(address, first, stride, count, planes);
}
#else
void word_planes(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                 WordPlanes& planes) {
  word_planes_portable(address, first, stride, count, planes);
}
#endif

CAUSCALE_VECTOR_CLONES
void normals_from_words(const std::uint32_t* __restrict radius, const std::uint32_t* __restrict angle,
                        int count, float* __restrict first, float* __restrict second) {
  for (int i = 0; i < count; ++i) {
    const NormalPair pair = normal_pair(radius[i], angle[i]);
    first[i] = pair.first;
    second[i] = pair.second;
  }
}

CAUSCALE_VECTOR_CLONES
void uniforms_from_words(const std::uint32_t* __restrict words, int count, float* __restrict out) {
  for (int i = 0; i < count; ++i) out[i] = unit_float(words[i]);
}

void normal_planes(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                   float* p0, float* p1, float* p2, float* p3) {
  WordPlanes words;
  for (int begin = 0; begin < count; begin += kChunk) {
    const int size = std::min(kChunk, count - begin);
    word_planes(address, first + static_cast<std::uint32_t>(begin) * stride, stride, size, words);
    normals_from_words(words[0], words[1], size, p0 + begin, p1 + begin);
    normals_from_words(words[2], words[3], size, p2 + begin, p3 + begin);
  }
}

void uniform_planes(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                    float* p0, float* p1, float* p2, float* p3) {
  WordPlanes words;
  float* planes[4] = {p0, p1, p2, p3};
  for (int begin = 0; begin < count; begin += kChunk) {
    const int size = std::min(kChunk, count - begin);
    word_planes(address, first + static_cast<std::uint32_t>(begin) * stride, stride, size, words);
    for (int p = 0; p < 4; ++p) uniforms_from_words(words[p], size, planes[p] + begin);
  }
}

// Planes through a small buffer, because the last plane of a column may be shorter than the others.
template <class Planes>
void fill_column(const BatchAddress& address, std::span<float> column, Planes planes) {
  float buffer[4][kChunk];
  const std::size_t blocks = (column.size() + 3) / 4;
  for (std::size_t begin = 0; begin < blocks; begin += kChunk) {
    const std::size_t count = std::min<std::size_t>(kChunk, blocks - begin);
    planes(address, static_cast<std::uint32_t>(begin), 1u, static_cast<int>(count), buffer[0], buffer[1],
           buffer[2], buffer[3]);
    for (std::size_t plane = 0; plane < 4; ++plane) {
      const std::size_t target = plane * blocks + begin;
      if (target >= column.size()) break;
      const std::size_t take = std::min(count, column.size() - target);
      std::memcpy(column.data() + target, buffer[plane], take * sizeof(float));
    }
  }
}

}  // namespace

void fill_normal(const BatchAddress& address, std::span<float> column) {
  fill_column(address, column, normal_planes);
}

void fill_uniform(const BatchAddress& address, std::span<float> column) {
  fill_column(address, column, uniform_planes);
}

void fill_normal_planes(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                        float* planes[4]) {
  normal_planes(address, first, stride, count, planes[0], planes[1], planes[2], planes[3]);
}

}  // namespace causcale
