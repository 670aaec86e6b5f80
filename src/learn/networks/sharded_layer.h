// The axial layer on a stream that several processes share.
//
// Scores of tied attention are sums over the tied axis, so that a process which holds some of its lines makes
// a part of every score; the sum over processes is the map, and each applies it to its own lines. The other
// attention of the layer, tied over the other axis, comes after the axes have been switched.
#pragma once

#include "core/config.h"
#include "learn/networks/parameters.h"
#include "learn/networks/shards.h"

namespace causcale {

struct ShardedOptions {
  const ModelConfig& config;
  Collectives& group;
  std::int64_t
      max_score_bytes;  // of the maps of one attention at a time, and of its queries, keys and values
};

// x [t, L, d], t the own lines of a tied axis of `tied` -> the same, with what attention along the second
// axis adds. x is written over.
void attend_sharded(const AttentionParams& params, at::Tensor& x, std::int64_t tied, bool scaled,
                    double sharpness, const ShardedOptions& options);

// x [r, C, d], r the own ones of R rows -> [c, R, d], the own columns after row attention, column attention
// and feed-forward.
at::Tensor axial_layer_sharded(const AxialParams& params, at::Tensor x, std::int64_t rows,
                               ScoreScaling scaling, bool of_pairs, const ShardedOptions& options);

}  // namespace causcale
