// Every size and switch of a network. The defaults are the paper's model with attention scaled everywhere.
#pragma once

#include <map>
#include <string>

#include "core/channels.h"

namespace causcale {

// kAvici: Lorch et al., Amortized inference for causal structure learning, 2022 (learn/networks/avici.h).
// kSea: Wu et al., Sample, estimate, aggregate, 2025 (learn/networks/sea.h). The core computes kCauScale
// alone.
enum class Architecture { kCauScale, kAvici, kSea };
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

// Which classical method SEA asks about its sets of variables.
enum class Estimator { kPc, kFci, kGes, kGies };

// SEA's sets of variables and their batches of rows.
struct SubsetOptions {
  Estimator estimator = Estimator::kGies;
  int variables = 5;  // at most
  int rows = 500;     // at most
  int training_count = 10;
  int count = 500;  // in use
  bool operator==(const SubsetOptions&) const = default;
};

struct ModelConfig {
  Architecture architecture = Architecture::kCauScale;
  int blocks = 10;
  int embed_dim = 128;  // d
  int heads = 16;       // H
  int ffn_dim = 512;    // F
  int key_dim = 32;     // of AVICI's heads, whose queries, keys and values need not add up to embed_dim
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
  // Attention among n variables flattens as n grows beyond what the network was trained with: from so many on
  // its scores are multiplied by log(n) / log(reference_columns). 0: never.
  int reference_columns = 0;
  bool use_prior = true;         // false: the graph stream starts from ones
  bool use_graph_stream = true;  // false: no graph axial layers
  InputChannels channels;        // what the network is told beside values, flags and prior
  PairOutputs outputs;           // what it says of pairs beside edges
  SubsetOptions subsets;         // of SEA

  // The published sizes of an architecture.
  static ModelConfig published(Architecture architecture);

  // Of the pairwise head: a pair's classes none, i -> j, j -> i, then the outputs.
  std::int64_t pair_logits() const { return 3 + static_cast<std::int64_t>(outputs.size()); }
  int head_dim() const { return embed_dim / heads; }
  double sharpness(std::int64_t columns) const;  // of attention among so many variables; 1 as a rule
  bool pools_after(int block) const {
    return pooling != Pooling::kNone && block > 0 && block % reduction_k == 0;
  }
  // Throws InputError naming the field.
  void check() const;

  // The form in which the config travels in a weight file's metadata: what the architecture has a use for.
  // That of CauScale itself stays unnamed, as in files older than the others.
  std::map<std::string, std::string> to_metadata() const;
  static ModelConfig from_metadata(const std::map<std::string, std::string>& metadata,
                                   const std::string& file);

  bool operator==(const ModelConfig&) const = default;
};

// "causcale", "avici", "sea"
std::string architecture_name(Architecture architecture);
// Throws UsageError that lists them.
Architecture architecture_named(const std::string& name);
std::string estimator_name(Estimator estimator);  // as methods/method.h calls it
// Of a configuration or of metadata; absent: CauScale. Throws InputError naming `file` and the key.
Architecture stated_architecture(const std::map<std::string, std::string>& metadata, const std::string& file);

}  // namespace causcale
