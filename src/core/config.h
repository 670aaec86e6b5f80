// Every size and switch of the network. The defaults are the paper's model with attention scaled everywhere.
#pragma once

#include <map>
#include <string>

#include "core/channels.h"

namespace causcale {

enum class Pooling { kAverage, kMax, kStrided, kNone };
enum class AttentionKind { kTied, kVanilla };
enum class HeadKind { kPairwise, kVanilla };

// Whether attention scores are multiplied by head_dim^-1/2 / sqrt(length of the tied axis); without it the
// factor is 1.
struct ScoreScaling {
  bool rows = true;
  bool columns = true;
  bool operator==(const ScoreScaling&) const = default;
};

struct ModelConfig {
  int blocks = 10;
  int embed_dim = 128;  // d
  int heads = 16;       // H
  int ffn_dim = 512;    // F
  // After every reduction_k-th block b > 0 (0-based: 2, 4, 6, 8) groups of reduction_r consecutive samples
  // are pooled into one; an incomplete last group is dropped.
  int reduction_k = 2;
  int reduction_r = 2;
  Pooling pooling = Pooling::kAverage;
  ScoreScaling scale_data;
  ScoreScaling scale_data2graph;
  ScoreScaling scale_graph;
  AttentionKind attention = AttentionKind::kTied;
  HeadKind head = HeadKind::kPairwise;
  bool use_prior = true;         // false: the graph stream starts from ones
  bool use_graph_stream = true;  // false: no graph axial layers
  InputChannels channels;        // what the network is told beside values, flags and prior

  int head_dim() const { return embed_dim / heads; }
  bool pools_after(int block) const {
    return pooling != Pooling::kNone && block > 0 && block % reduction_k == 0;
  }
  // Throws InputError naming the field.
  void check() const;

  // The form in which the config travels in a weight file's metadata.
  std::map<std::string, std::string> to_metadata() const;
  static ModelConfig from_metadata(const std::map<std::string, std::string>& metadata,
                                   const std::string& file);

  bool operator==(const ModelConfig&) const = default;
};

}  // namespace causcale
