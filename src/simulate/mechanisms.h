// Every mechanism once: the value of a node from its parents and its noise, for a tile of rows.
//
// The same functions serve the host (tiles of many rows, which become vector code) and a CUDA kernel (tiles
// of one row, a thread each). Parameters are plain floats in one flat array; a NodeMechanism says where its
// own begin. P is the number of parents, U the number of units, features or anchors.
//
//   parameter block, in this order        present when
//   spread[P], spread_offset              coupling is heteroscedastic
//   centre[P], inverse_scale[P]           standardizes_inputs(kind)
//   kind's own block:
//     linear, post-nonlinear              weight[P]
//     neural                              U x (weight[P], noise_weight, bias, out_weight), out_bias
//     neural additive                     U x (weight[P], bias, out_weight), out_bias
//     sigmoid additive                    a, b, c
//     polynomial                          P x (c0, c1, c2)
//     Fourier                             U x (frequency[P], phase, amplitude)     in turns
//     Fourier additive                    P x U x (frequency, phase, amplitude)
//     Gaussian process                    sharpness, U x (anchor[P], weight)
//     Gaussian process additive           P x (sharpness, U x (anchor, weight))
#pragma once

#include <cstdint>

#include "simulate/fast_math.h"
#include "simulate/noise.h"

namespace causcale {

enum class Mechanism {
  kLinear,
  kNeural,
  kNeuralAdditive,
  kSigmoidAdditive,
  kPolynomial,
  kFourier,
  kFourierAdditive,
  kGaussianProcess,
  kGaussianProcessAdditive,
  kPostNonlinear,
};

// Strictly increasing, so that a post-nonlinear mechanism stays invertible.
enum class Link { kTanh, kCubic, kSoftplus, kSignedRoot };

struct NodeMechanism {
  Mechanism kind;
  NoiseCoupling coupling;
  Link link;  // post-nonlinear only
  int parents;
  int units;
  std::uint32_t parameters;  // where the block begins
};

// Mechanisms with a length scale need inputs of known size; the paper's families take raw values.
CAUSCALE_HD_INLINE bool standardizes_inputs(Mechanism kind) {
  return kind >= Mechanism::kFourier;
}

// Where the scales of a mechanism's inputs begin: centres, then inverse scales.
CAUSCALE_HD_INLINE float* input_scales(const NodeMechanism& mechanism, float* parameters) {
  float* block = parameters + mechanism.parameters;
  return mechanism.coupling == NoiseCoupling::kHeteroscedastic ? block + mechanism.parents + 1 : block;
}

CAUSCALE_HD_INLINE float prelu(float x) {
  return x >= 0.0f ? x : 0.25f * x;
}

CAUSCALE_HD_INLINE float saturation(float x) {
  return x / (1.0f + fast_abs(x));
}

CAUSCALE_HD_INLINE float apply_link(Link link, float x) {
  switch (link) {
    case Link::kTanh:
      return fast_tanh(x);
    case Link::kCubic:
      return x * (0.5f + x * x * 0.25f);
    case Link::kSoftplus:
      return fast_max(x, 0.0f) + fast_log(1.0f + fast_exp(-fast_abs(x)));
    case Link::kSignedRoot:
      return x / sqrtf(0.1f + fast_abs(x));
  }
  return x;
}

// A tile of kTile rows: parents[p][first_row + r] for r in [0, kTile). Loops of constant length need no care
// for left-over rows: the host pads its columns to whole tiles. Parents is anything that gives a column of
// floats by a parent's number.
template <int kTile, class Parents = const float* const*>
struct MechanismTile {
  Parents parents;
  int first_row;

  CAUSCALE_HD_INLINE const float* parent(int p) const { return parents[p] + first_row; }

  CAUSCALE_HD_INLINE void set(float (&sum)[kTile], float value) const {
    for (int r = 0; r < kTile; ++r) sum[r] = value;
  }
  // sum += weight . parents
  CAUSCALE_HD_INLINE void add_weighted(float (&sum)[kTile], const float* weight, int count) const {
    for (int p = 0; p < count; ++p) {
      const float* x = parent(p);
      const float w = weight[p];
      for (int r = 0; r < kTile; ++r) sum[r] += w * x[r];
    }
  }
  // sum += weight . standardized parents
  CAUSCALE_HD_INLINE void add_weighted(float (&sum)[kTile], const float* weight, const float* centre,
                                       const float* inverse_scale, int count) const {
    for (int p = 0; p < count; ++p) {
      const float* x = parent(p);
      const float w = weight[p] * inverse_scale[p], c = centre[p];
      for (int r = 0; r < kTile; ++r) sum[r] += w * (x[r] - c);
    }
  }

  // sum = the function's value, without noise except where noise is an input of it.
  CAUSCALE_HD_INLINE void evaluate(const NodeMechanism& node, const float* own, const float* centre,
                                   const float* inverse_scale, const float (&noise)[kTile],
                                   float (&sum)[kTile]) const {
    const int P = node.parents, U = node.units;
    float unit[kTile];
    set(sum, 0.0f);
    switch (node.kind) {
      case Mechanism::kLinear:
        add_weighted(sum, own, P);
        break;
      case Mechanism::kNeural:
        for (int u = 0; u < U; ++u, own += P + 3) {
          const float noise_weight = own[P], bias = own[P + 1], out_weight = own[P + 2];
          for (int r = 0; r < kTile; ++r) unit[r] = bias + noise_weight * noise[r];
          add_weighted(unit, own, P);
          for (int r = 0; r < kTile; ++r) sum[r] += out_weight * fast_tanh(unit[r]);
        }
        for (int r = 0; r < kTile; ++r) sum[r] += own[0];
        break;
      case Mechanism::kNeuralAdditive:
        for (int u = 0; u < U; ++u, own += P + 2) {
          const float out_weight = own[P + 1];
          set(unit, own[P]);
          add_weighted(unit, own, P);
          for (int r = 0; r < kTile; ++r) sum[r] += out_weight * prelu(unit[r]);
        }
        for (int r = 0; r < kTile; ++r) sum[r] += own[0];
        break;
      case Mechanism::kSigmoidAdditive:
        for (int p = 0; p < P; ++p) {
          const float* x = parent(p);
          const float a = own[0], b = own[1], c = own[2];
          for (int r = 0; r < kTile; ++r) sum[r] += a * saturation(b * (x[r] + c));
        }
        break;
      case Mechanism::kPolynomial:
        for (int p = 0; p < P; ++p, own += 3) {
          const float* x = parent(p);
          const float c0 = own[0], c1 = own[1], c2 = own[2];
          for (int r = 0; r < kTile; ++r) sum[r] += fast_clip(c0 + x[r] * (c1 + x[r] * c2), -1.0f, 1.0f);
        }
        break;
      case Mechanism::kFourier:
        for (int u = 0; u < U; ++u, own += P + 2) {
          const float amplitude = own[P + 1];
          set(unit, own[P]);
          add_weighted(unit, own, centre, inverse_scale, P);
          for (int r = 0; r < kTile; ++r) sum[r] += amplitude * fast_sincos_turns(unit[r]).cosine;
        }
        break;
      case Mechanism::kFourierAdditive:
        for (int p = 0; p < P; ++p) {
          const float* x = parent(p);
          const float c = centre[p], s = inverse_scale[p];
          for (int u = 0; u < U; ++u, own += 3) {
            const float frequency = own[0] * s, phase = own[1], amplitude = own[2];
            for (int r = 0; r < kTile; ++r)
              sum[r] += amplitude * fast_sincos_turns(frequency * (x[r] - c) + phase).cosine;
          }
        }
        break;
      case Mechanism::kGaussianProcess: {
        const float sharpness = *own++;
        for (int u = 0; u < U; ++u, own += P + 1) {
          const float weight = own[P];
          set(unit, 0.0f);
          for (int p = 0; p < P; ++p) {
            const float* x = parent(p);
            const float c = centre[p], s = inverse_scale[p], anchor = own[p];
            for (int r = 0; r < kTile; ++r) {
              const float distance = (x[r] - c) * s - anchor;
              unit[r] += distance * distance;
            }
          }
          for (int r = 0; r < kTile; ++r) sum[r] += weight * fast_exp(-sharpness * unit[r]);
        }
        break;
      }
      case Mechanism::kGaussianProcessAdditive:
        for (int p = 0; p < P; ++p) {
          const float* x = parent(p);
          const float c = centre[p], s = inverse_scale[p], sharpness = *own++;
          for (int u = 0; u < U; ++u, own += 2) {
            const float anchor = own[0], weight = own[1];
            for (int r = 0; r < kTile; ++r) {
              const float distance = (x[r] - c) * s - anchor;
              sum[r] += weight * fast_exp(-sharpness * distance * distance);
            }
          }
        }
        break;
      case Mechanism::kPostNonlinear:
        add_weighted(sum, own, centre, inverse_scale, P);
        break;
    }
  }

  // sum[r] = mechanism(parents, noise_in[r])
  CAUSCALE_HD_INLINE void apply(const NodeMechanism& node, const float* parameters, const float* noise_in,
                                float (&sum)[kTile]) const {
    const int P = node.parents;
    const float* own = parameters + node.parameters;
    float noise[kTile];
    for (int r = 0; r < kTile; ++r) noise[r] = noise_in[r];
    if (node.coupling == NoiseCoupling::kHeteroscedastic) {
      set(sum, own[P]);
      add_weighted(sum, own, P);
      for (int r = 0; r < kTile; ++r) noise[r] *= fast_exp(fast_tanh(sum[r]));
      own += P + 1;
    }
    const float *centre = own, *inverse_scale = own + P;
    if (standardizes_inputs(node.kind)) own += 2 * P;

    const bool multiplies = node.coupling == NoiseCoupling::kMultiplicative;
    float inner[kTile];
    for (int r = 0; r < kTile; ++r) inner[r] = multiplies ? 0.0f : noise[r];
    evaluate(node, own, centre, inverse_scale, inner, sum);
    if (multiplies) {
      for (int r = 0; r < kTile; ++r) sum[r] *= 1.0f + noise[r];
    } else if (node.kind != Mechanism::kNeural) {
      for (int r = 0; r < kTile; ++r) sum[r] += noise[r];
    }
    if (node.kind == Mechanism::kPostNonlinear)
      for (int r = 0; r < kTile; ++r) sum[r] = apply_link(node.link, sum[r]);
  }
};

}  // namespace causcale
