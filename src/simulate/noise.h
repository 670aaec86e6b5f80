// Noise distributions, all of mean 0 and variance 1, as functions of two random words.
#pragma once

#include "simulate/batch_random.h"
#include "simulate/fast_math.h"

namespace causcale {

enum class NoiseFamily { kGaussian, kLaplace, kStudentT, kUniform, kExponential, kMixture };

// How the noise e meets the function f of the parents.
enum class NoiseCoupling {
  kAdditive,         // f + e (a neural mechanism takes e as an input instead)
  kMultiplicative,   // f * (1 + e)
  kHeteroscedastic,  // as additive, with e scaled by exp(tanh(linear in the parents))
};

inline constexpr float kStudentDegrees = 5.0f;

// The Gaussian takes the first of a Box-Muller pair; fill_normal is the quick way to many of them.
CAUSCALE_HD_INLINE float noise_value(NoiseFamily family, std::uint32_t first, std::uint32_t second) {
  switch (family) {
    case NoiseFamily::kGaussian:
      return normal_pair(first, second).first;
    case NoiseFamily::kLaplace: {
      const float magnitude = -0.70710678f * fast_log(unit_float(first));
      return (second & 1u) ? magnitude : -magnitude;
    }
    case NoiseFamily::kStudentT: {
      // Bailey's polar form: exact for any degrees of freedom.
      const float power = fast_exp(fast_log(unit_float(first)) * (-2.0f / kStudentDegrees));
      const float radius = sqrtf(fast_max(0.0f, kStudentDegrees * (power - 1.0f)));
      const float turns = static_cast<float>(static_cast<std::int32_t>(second)) * 0x1.0p-32f;
      return radius * fast_sincos_turns(turns).cosine *
             0.77459667f;  // sqrt((degrees - 2) / degrees) for unit variance
    }
    case NoiseFamily::kUniform:
      return 1.7320508f * (2.0f * unit_float(first) - 1.0f);
    case NoiseFamily::kExponential:
      return -fast_log(unit_float(first)) - 1.0f;
    case NoiseFamily::kMixture: {
      // Two equal Gaussians at +-0.9 with the deviation that makes the variance one.
      const NormalPair pair = normal_pair(first, second);
      return 0.43588990f * pair.first + (pair.second > 0.0f ? 0.9f : -0.9f);
    }
  }
  return 0.0f;
}

}  // namespace causcale
