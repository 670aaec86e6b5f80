// Counter-based random numbers many at a time: the same generator and addresses as RandomStream
// (base/random.h), laid out so that four planes of a batch are filled by vector code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.h"
#include "simulate/fast_math.h"

namespace causcale {

struct BatchAddress {
  std::uint64_t seed;
  std::uint32_t dataset;
  Purpose purpose;
  std::uint32_t item;
};

struct Words4 {
  std::uint32_t w0, w1, w2, w3;
};

// Philox 4x32 with 10 rounds; equal to the numbers 4 * block .. 4 * block + 3 of the RandomStream at
// `address`.
CAUSCALE_HD_INLINE Words4 random_words(const BatchAddress& address, std::uint32_t block) {
  std::uint32_t c0 = block, c1 = address.item, c2 = static_cast<std::uint32_t>(address.purpose);
  std::uint32_t c3 = address.dataset;
  std::uint32_t k0 = static_cast<std::uint32_t>(address.seed);
  std::uint32_t k1 = static_cast<std::uint32_t>(address.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = static_cast<std::uint64_t>(0xD2511F53u) * c0;
    const std::uint64_t p1 = static_cast<std::uint64_t>(0xCD9E8D57u) * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

// In (0, 1]; 31 bits, so that the logarithm reaches far into the tail (|normal| up to 6.6).
CAUSCALE_HD_INLINE float unit_float(std::uint32_t word) {
  return (static_cast<float>(static_cast<std::int32_t>(word >> 1)) + 0.5f) * 0x1.0p-31f;
}

struct NormalPair {
  float first;
  float second;
};

// Box-Muller.
CAUSCALE_HD_INLINE NormalPair normal_pair(std::uint32_t radius_word, std::uint32_t angle_word) {
  const float radius = sqrtf(-2.0f * fast_log(unit_float(radius_word)));
  const SineCosine direction =
      fast_sincos_turns(static_cast<float>(static_cast<std::int32_t>(angle_word)) * 0x1.0p-32f);
  return {radius * direction.cosine, radius * direction.sine};
}

// Fills a column: with B = ceil(size / 4) blocks, entry r comes from word r / B of block r mod B.
void fill_normal(const BatchAddress& address, std::span<float> column);
void fill_uniform(const BatchAddress& address, std::span<float> column);  // in (0, 1]

// Four planes of `count` standard normals each; entry i of plane p comes from word p of block first + i *
// stride.
void fill_normal_planes(const BatchAddress& address, std::uint32_t first, std::uint32_t stride, int count,
                        float* planes[4]);

}  // namespace causcale
