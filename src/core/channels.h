// What a network may be told beside values, intervention flags and the prior, and what it may say beside
// edges. A model's configuration names the channels that it takes and the outputs that it has; one that names
// none is told nothing of this and says nothing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "causcale/knowledge.h"

namespace causcale {

// Per cell of the table.
enum class DataChannel {
  kMissing,   // 1 where the cell is missing; its value is 0 then
  kDiscrete,  // 1 in columns of a few values
};
// Per ordered pair of variables i, j, beside the prior.
enum class PairChannel {
  kShift,      // log(1 + |t|) of how far interventions on i move the mean of j; 0 where there are none
  kKnowledge,  // 1: i -> j is required, -1: it is forbidden
};

// Per unordered pair of variables, each a probability of its own.
enum class PairOutput {
  kFeedback,    // both i -> j and j -> i
  kConfounded,  // a hidden common cause
};

inline constexpr NameTable<DataChannel, 2> kDataChannelNames{{
    {DataChannel::kMissing, "missing"},
    {DataChannel::kDiscrete, "discrete"},
}};
inline constexpr NameTable<PairChannel, 2> kPairChannelNames{{
    {PairChannel::kShift, "shift"},
    {PairChannel::kKnowledge, "knowledge"},
}};
inline constexpr NameTable<PairOutput, 2> kPairOutputNames{{
    {PairOutput::kFeedback, "feedback"},
    {PairOutput::kConfounded, "confounded"},
}};

struct InputChannels {
  std::vector<DataChannel> data;
  std::vector<PairChannel> pairs;

  std::int64_t data_width() const { return 2 + static_cast<std::int64_t>(data.size()); }
  std::int64_t pair_width() const { return static_cast<std::int64_t>(pairs.size()); }
  // Position among a token's inputs; -1 when the model does not take it.
  std::int64_t place(DataChannel channel) const;
  std::int64_t place(PairChannel channel) const;
  bool operator==(const InputChannels&) const = default;
};

// In the order of the head's rows, which follow those of the three classes.
using PairOutputs = std::vector<PairOutput>;
// Position among a model's outputs; -1 when it has no such one.
std::int64_t place_of(const PairOutputs& outputs, PairOutput output);

// "missing,discrete"; "none" where there are none. The inverse throws UsageError.
std::string data_channel_names(const InputChannels& channels);
std::string pair_channel_names(const InputChannels& channels);
std::string pair_output_names(const PairOutputs& outputs);
std::vector<DataChannel> parse_data_channels(const std::string& text);
std::vector<PairChannel> parse_pair_channels(const std::string& text);
PairOutputs parse_pair_outputs(const std::string& text);

// A table as core/input.h writes it: m rows of n tokens of `width` numbers, value and intervention flag
// first; `missing` is the place of that channel or -1.
struct WrittenTable {
  const float* data;
  std::int64_t rows, columns, width, missing;

  float value(std::int64_t r, std::int64_t c) const { return data[(r * columns + c) * width]; }
  bool targeted(std::int64_t r, std::int64_t c) const { return data[(r * columns + c) * width + 1] != 0; }
  bool present(std::int64_t r, std::int64_t c) const {
    return missing < 0 || data[(r * columns + c) * width + missing] == 0;
  }
};

// At most so many different values, three rows for each of them, and two at least.
inline constexpr std::int64_t kDiscreteValues = 20;
inline constexpr std::int64_t kRowsPerDiscreteValue = 3;
std::vector<bool> discrete_columns(const WrittenTable& table);

// t compares rows in which i is intervened on with the observational ones or, where these are fewer than
// kBaselineRows, with all in which i is not; in neither is j intervened on. The deviation is that within the
// two groups, 1 (that of the standardised column) where they have no two rows to spare.
inline constexpr std::int64_t kBaselineRows = 10;
Matrix<float> shift_statistics(const WrittenTable& table);

// [n, n]
Matrix<float> knowledge_channel(const Knowledge& knowledge, std::int64_t columns);

}  // namespace causcale
