// One node of one data set for four rows at a time, as plain functions of flat arrays: a CUDA kernel calls
// them with a thread for every four rows, the host in loops. Random numbers have the same addresses as in
// synthetic.cpp, so the same model gives the same table.
//
// With m rows there are L = ceil(m / 4) lanes. Lane q makes rows q, q + L, q + 2 L, q + 3 L, because those
// take their numbers from one block of the generator (batch_random.h), and stores them side by side: entry
// 4 q + k of a column is row q + k L. The last entries of a column may be rows that do not exist.
#pragma once

#include <cstdint>

#include "simulate/batch_random.h"
#include "simulate/causal_model.h"
#include "simulate/mechanisms.h"
#include "simulate/noise.h"

namespace causcale {

inline constexpr int kLaneRows = 4;

struct PackedChange {
  int first_row, end_row;
  ChangeKind kind;
  std::uint32_t first_value;
  float scale, shift;
  NodeMechanism mechanism;
};

struct PackedNode {
  NodeMechanism mechanism;
  RootMixture mixture;
  float size;        // factor of the noise, or of a root's values
  int node;          // number within its data set, part of the random addresses
  int column;        // of the values
  int first_parent;  // into PackedView::parents; their number is mechanism.parents, 0 for a root
  int first_change, end_change;
  int wants_moments;  // 1 when a mechanism needs to know mean and deviation of this node
};

struct PackedDataset {
  std::uint64_t seed;
  std::uint32_t index;
  int regimes;
  int first_node, end_node;  // in topological order
  int first_row;             // into PackedView::regime_of_row
  NoiseFamily noise;
  RootDistribution roots;
  float noise_scale;
};

struct ColumnScale {
  float centre, inverse_scale;
};

struct PackedView {
  const PackedDataset* datasets;
  const PackedNode* nodes;
  const PackedChange* changes;
  const int* parents;        // columns of values
  const int* regime_of_row;  // [data set][row]
  float* parameters;         // where inputs are standardised, their scales are filled in on the way
  int dataset_count, rows, columns;

  CAUSCALE_HD_INLINE int lanes() const { return (rows + kLaneRows - 1) / kLaneRows; }
};

// What sampling writes.
struct SampledColumns {
  float* values;        // [column][4 * lanes]
  std::uint8_t* flags;  // as values; 1 where the node was intervened on
  ColumnScale* scales;  // [column], of the nodes that want moments
};

struct ParentColumns {
  const float* values;
  const int* column;
  std::int64_t stride;

  CAUSCALE_HD_INLINE const float* operator[](int p) const { return values + column[p] * stride; }
};

CAUSCALE_HD_INLINE std::uint32_t word_of(const Words4& words, std::uint32_t number) {
  const std::uint32_t low = number & 1u ? words.w1 : words.w0, high = number & 1u ? words.w3 : words.w2;
  return number & 2u ? high : low;
}

// Entry `entry` of the column of `size` that fill_uniform makes.
CAUSCALE_HD_INLINE float uniform_entry(const BatchAddress& address, std::uint32_t entry, std::uint32_t size) {
  const std::uint32_t blocks = (size + 3u) / 4u;
  return unit_float(word_of(random_words(address, entry % blocks), entry / blocks));
}

// What RandomStream::uniform_float gives at its call number `call`.
CAUSCALE_HD_INLINE float stream_uniform(const BatchAddress& address, std::uint32_t call) {
  const std::uint32_t bits = word_of(random_words(address, call / 4u), call % 4u);
  return (static_cast<float>(bits >> 9) + 0.5f) * 0x1.0p-23f;
}

class LaneSampler {
 public:
  CAUSCALE_HD_INLINE LaneSampler(const PackedView& view, const PackedDataset& dataset, const PackedNode& node,
                                 int lane, const SampledColumns& out)
      : view_(view), dataset_(dataset), node_(node), lane_(lane), lanes_(view.lanes()), out_(out) {}

  CAUSCALE_HD_INLINE void sample() const {
    float noise[kLaneRows], values[kLaneRows] = {};
    if (node_.mechanism.parents == 0) {
      sample_root(values);
    } else {
      fill_noise(noise);
      apply(node_.mechanism, noise, values);
    }
    std::uint8_t flags[kLaneRows] = {};
    for (int c = node_.first_change; c < node_.end_change; ++c)
      intervene(view_.changes[c], noise, values, flags);
    const std::int64_t at = static_cast<std::int64_t>(node_.column) * kLaneRows * lanes_ + kLaneRows * lane_;
    for (int k = 0; k < kLaneRows; ++k) {
      out_.values[at + k] = values[k];
      out_.flags[at + k] = flags[k];
    }
  }

 private:
  CAUSCALE_HD_INLINE int row(int k) const { return lane_ + k * lanes_; }
  CAUSCALE_HD_INLINE BatchAddress address(Purpose purpose) const {
    return {dataset_.seed, dataset_.index, purpose, static_cast<std::uint32_t>(node_.node)};
  }

  CAUSCALE_HD_INLINE void fill_uniform_lane(Purpose purpose, float (&out)[kLaneRows]) const {
    const Words4 words = random_words(address(purpose), static_cast<std::uint32_t>(lane_));
    out[0] = unit_float(words.w0);
    out[1] = unit_float(words.w1);
    out[2] = unit_float(words.w2);
    out[3] = unit_float(words.w3);
  }
  CAUSCALE_HD_INLINE void fill_normal_lane(Purpose purpose, float (&out)[kLaneRows]) const {
    const Words4 words = random_words(address(purpose), static_cast<std::uint32_t>(lane_));
    const NormalPair low = normal_pair(words.w0, words.w1), high = normal_pair(words.w2, words.w3);
    out[0] = low.first;
    out[1] = low.second;
    out[2] = high.first;
    out[3] = high.second;
  }

  CAUSCALE_HD_INLINE void sample_root(float (&values)[kLaneRows]) const {
    switch (dataset_.roots) {
      case RootDistribution::kUniform:
        fill_uniform_lane(Purpose::kRoots, values);
        for (float& x : values) x = 2.0f * x - 1.0f;
        break;
      case RootDistribution::kGaussian:
        fill_normal_lane(Purpose::kRoots, values);
        for (float& x : values) x *= 0.57735027f;  // deviation of U(-1, 1)
        break;
      case RootDistribution::kMixture: {
        float normal[kLaneRows];
        fill_uniform_lane(Purpose::kRoots, values);
        fill_normal_lane(Purpose::kNoise, normal);
        const RootMixture& mixture = node_.mixture;
        for (int k = 0; k < kLaneRows; ++k) {
          const int drawn = static_cast<int>(values[k] * mixture.parts);
          const int part = drawn < mixture.parts ? drawn : mixture.parts - 1;
          values[k] = mixture.centre[part] + mixture.deviation[part] * normal[k];
        }
        break;
      }
    }
    for (float& x : values) x *= node_.size;
  }

  CAUSCALE_HD_INLINE void fill_noise(float (&noise)[kLaneRows]) const {
    if (dataset_.noise == NoiseFamily::kGaussian) {
      fill_normal_lane(Purpose::kNoise, noise);
    } else {
      for (int k = 0; k < kLaneRows; ++k) {
        const Words4 words = random_words(address(Purpose::kNoise), static_cast<std::uint32_t>(row(k)) / 2u);
        const bool odd = (row(k) & 1) != 0;
        noise[k] = noise_value(dataset_.noise, odd ? words.w2 : words.w0, odd ? words.w3 : words.w1);
      }
    }
    int known = -1;  // neighbouring rows of a lane are often of the same regime
    float scale = 0.0f;
    for (int k = 0; k < kLaneRows; ++k) {
      const int existing = row(k) < view_.rows ? row(k) : view_.rows - 1;
      const int regime = view_.regime_of_row[dataset_.first_row + existing];
      if (regime != known)
        scale = dataset_.noise_scale * node_.size *
                sqrtf(1.0f + uniform_entry(address(Purpose::kNoiseScale), static_cast<std::uint32_t>(regime),
                                           static_cast<std::uint32_t>(dataset_.regimes)));
      known = regime;
      noise[k] *= scale;
    }
  }

  CAUSCALE_HD_INLINE void apply(const NodeMechanism& mechanism, const float (&noise)[kLaneRows],
                                float (&values)[kLaneRows]) const {
    const ParentColumns parents{out_.values, view_.parents + node_.first_parent,
                                static_cast<std::int64_t>(kLaneRows) * lanes_};
    MechanismTile<kLaneRows, ParentColumns>{parents, kLaneRows * lane_}.apply(mechanism, view_.parameters,
                                                                              noise, values);
  }

  CAUSCALE_HD_INLINE void intervene(const PackedChange& change, const float (&noise)[kLaneRows],
                                    float (&values)[kLaneRows], std::uint8_t (&flags)[kLaneRows]) const {
    bool touched[kLaneRows], any = false;
    for (int k = 0; k < kLaneRows; ++k) {
      touched[k] = row(k) >= change.first_row && row(k) < change.end_row;
      any |= touched[k];
    }
    if (!any) return;
    float changed[kLaneRows];
    if (change.kind == ChangeKind::kMechanism) apply(change.mechanism, noise, changed);
    for (int k = 0; k < kLaneRows; ++k) {
      if (!touched[k]) continue;
      flags[k] = 1;
      if (change.kind == ChangeKind::kUniformValue) {
        const auto call = change.first_value + static_cast<std::uint32_t>(row(k) - change.first_row);
        const float uniform = 2.0f * stream_uniform(address(Purpose::kInterventionValue), call) - 1.0f;
        values[k] = change.scale * uniform + change.shift;
      } else {
        values[k] = change.kind == ChangeKind::kAffine ? change.scale * values[k] + change.shift : changed[k];
      }
    }
  }

  const PackedView& view_;
  const PackedDataset& dataset_;
  const PackedNode& node_;
  int lane_, lanes_;
  const SampledColumns& out_;
};

// Sums of a column, from which its scale follows.
struct ColumnSums {
  double sum = 0.0, squares = 0.0;

  CAUSCALE_HD_INLINE void add_lane(const float* lane_values, int lane, int lanes, int rows) {
    for (int k = 0; k < kLaneRows; ++k) {
      if (lane + k * lanes >= rows) return;
      const double x = lane_values[k];
      sum += x;
      squares += x * x;
    }
  }
  // As moments_of: a column without spread, or with an infinite one, counts as of deviation 1.
  CAUSCALE_HD_INLINE ColumnScale scale(int rows) const {
    const double mean = sum / rows;
    const double variance = squares / rows - mean * mean;
    const bool usable = variance > 1e-14 * (squares / rows) && variance < 1e300;
    return {static_cast<float>(mean), usable ? static_cast<float>(1.0 / sqrt(variance)) : 1.0f};
  }
};

// For input `parent` of the node, whose mechanism standardizes its inputs, in every regime.
CAUSCALE_HD_INLINE void set_input_scale(const PackedView& view, const PackedNode& node, int parent,
                                        const ColumnScale* scales) {
  const ColumnScale scale = scales[view.parents[node.first_parent + parent]];
  float* own = input_scales(node.mechanism, view.parameters);
  own[parent] = scale.centre;
  own[node.mechanism.parents + parent] = scale.inverse_scale;
  for (int c = node.first_change; c < node.end_change; ++c) {
    if (view.changes[c].kind != ChangeKind::kMechanism) continue;
    own = input_scales(view.changes[c].mechanism, view.parameters);
    own[parent] = scale.centre;
    own[node.mechanism.parents + parent] = scale.inverse_scale;
  }
}

}  // namespace causcale
