#include "core/channels.h"

#include <algorithm>
#include <cmath>

namespace causcale {
namespace {

template <class Channel, std::size_t N>
std::string join_names(const NameTable<Channel, N>& table, const std::vector<Channel>& channels) {
  std::string text;
  for (const Channel channel : channels) text += (text.empty() ? "" : ",") + name_of(table, channel);
  return text.empty() ? "none" : text;
}

template <class Channel, std::size_t N>
std::vector<Channel> split_names(const NameTable<Channel, N>& table, const std::string& text,
                                 const char* what) {
  std::vector<Channel> channels;
  if (text == "none") return channels;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Channel channel = choice_named(table, text.substr(begin, end - begin), what);
    if (std::ranges::count(channels, channel))
      throw UsageError(fmt::format("{} '{}' is named twice", what, name_of(table, channel)));
    channels.push_back(channel);
    begin = end + 1;
  }
  return channels;
}

template <class Channel>
std::int64_t place_among(const std::vector<Channel>& channels, Channel channel) {
  const auto found = std::ranges::find(channels, channel);
  return found == channels.end() ? -1 : found - channels.begin();
}

// Sums over a group of rows.
struct Moments {
  double count = 0, sum = 0, squares = 0;
  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  double spread() const { return std::max(0.0, squares - sum * sum / count); }
};

float shift_of(const Moments& moved, const Moments& baseline) {
  if (moved.count == 0 || baseline.count == 0) return 0.0f;
  const double spare = moved.count + baseline.count - 2;
  const double within = (moved.spread() + baseline.spread()) / std::max(1.0, spare);
  // Groups without any spread: a tiny deviation would make every rounding error a shift.
  constexpr double kLeast = 1e-6;
  const double variance = spare < 1 ? 1.0 : std::max(within, kLeast);
  const double t =
      (moved.mean() - baseline.mean()) / std::sqrt(variance * (1 / moved.count + 1 / baseline.count));
  return static_cast<float>(std::log1p(std::abs(t)));
}

}  // namespace

std::int64_t InputChannels::place(DataChannel channel) const {
  const std::int64_t found = place_among(data, channel);
  return found < 0 ? -1 : 2 + found;
}
std::int64_t InputChannels::place(PairChannel channel) const {
  return place_among(pairs, channel);
}
std::int64_t place_of(const PairOutputs& outputs, PairOutput output) {
  return place_among(outputs, output);
}

std::string data_channel_names(const InputChannels& channels) {
  return join_names(kDataChannelNames, channels.data);
}
std::string pair_channel_names(const InputChannels& channels) {
  return join_names(kPairChannelNames, channels.pairs);
}
std::string pair_output_names(const PairOutputs& outputs) {
  return join_names(kPairOutputNames, outputs);
}
std::vector<DataChannel> parse_data_channels(const std::string& text) {
  return split_names(kDataChannelNames, text, "channel");
}
std::vector<PairChannel> parse_pair_channels(const std::string& text) {
  return split_names(kPairChannelNames, text, "channel");
}
PairOutputs parse_pair_outputs(const std::string& text) {
  return split_names(kPairOutputNames, text, "output");
}

std::vector<bool> discrete_columns(const WrittenTable& table) {
  std::vector<bool> discrete(static_cast<std::size_t>(table.columns));
  std::vector<float> seen;
  for (std::int64_t c = 0; c < table.columns; ++c) {
    seen.clear();
    std::int64_t present = 0;
    for (std::int64_t r = 0; r < table.rows && static_cast<std::int64_t>(seen.size()) <= kDiscreteValues;
         ++r) {
      if (!table.present(r, c)) continue;
      ++present;
      const auto at = std::ranges::lower_bound(seen, table.value(r, c));
      if (at == seen.end() || *at != table.value(r, c)) seen.insert(at, table.value(r, c));
    }
    const auto values = static_cast<std::int64_t>(seen.size());
    discrete[static_cast<std::size_t>(c)] =
        values >= 2 && values <= kDiscreteValues && values * kRowsPerDiscreteValue <= present;
  }
  return discrete;
}

Matrix<float> shift_statistics(const WrittenTable& table) {
  const std::int64_t m = table.rows, n = table.columns;
  const auto size = static_cast<std::size_t>(n);
  Matrix<float> shifts(size, size);
  std::vector<std::vector<std::int64_t>> rows_of(size);  // in which a variable is intervened on
  std::vector<std::int64_t> observational;
  for (std::int64_t r = 0; r < m; ++r) {
    bool any = false;
    for (std::int64_t c = 0; c < n; ++c)
      if (table.targeted(r, c)) {
        rows_of[static_cast<std::size_t>(c)].push_back(r);
        any = true;
      }
    if (!any) observational.push_back(r);
  }
  const bool enough = static_cast<std::int64_t>(observational.size()) >= kBaselineRows;
  const auto add_row = [&](std::int64_t r, std::vector<Moments>& groups) {
    for (std::int64_t c = 0; c < n; ++c)
      if (!table.targeted(r, c) && table.present(r, c))
        groups[static_cast<std::size_t>(c)].add(table.value(r, c));
  };
  std::vector<Moments> usual(size);
  if (enough)
    for (const std::int64_t r : observational) add_row(r, usual);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::vector<std::int64_t>& hit = rows_of[static_cast<std::size_t>(i)];
    if (hit.empty()) continue;
    std::vector<Moments> moved(size), others(size);
    for (const std::int64_t r : hit) add_row(r, moved);
    if (!enough)
      for (std::int64_t r = 0; r < m; ++r)
        if (!table.targeted(r, i)) add_row(r, others);
    for (std::size_t j = 0; j < size; ++j)
      if (j != static_cast<std::size_t>(i))
        shifts(static_cast<std::size_t>(i), j) = shift_of(moved[j], enough ? usual[j] : others[j]);
  }
  return shifts;
}

Matrix<float> knowledge_channel(const Knowledge& knowledge, std::int64_t columns) {
  const auto n = static_cast<std::size_t>(columns);
  Matrix<float> told(n, n);
  if (knowledge.empty()) return told;
  // What is forbidden by name is gone through once, not for every pair.
  const Knowledge tiers{.tier_of = knowledge.tier_of, .closed_tiers = knowledge.closed_tiers};
  for (int i = 0; i < static_cast<int>(columns) && !tiers.empty(); ++i)
    for (int j = 0; j < static_cast<int>(columns); ++j)
      if (i != j && tiers.forbids({i, j}))
        told(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = -1;
  for (const Edge& edge : knowledge.forbidden)
    told(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)) = -1;
  for (const Edge& edge : knowledge.required) {
    told(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)) = 1;
    told(static_cast<std::size_t>(edge.target), static_cast<std::size_t>(edge.source)) = -1;
  }
  return told;
}

}  // namespace causcale
