// Everything that discover decides before it works: number of passes, memory, scale of the prior.
#pragma once

#include <memory>

#include "causcale/discover.h"
#include "discover/loaded_model.h"
#include "prior/covariance.h"

namespace causcale {

struct Settings {
  LoadedModel loaded;
  PriorScale prior_scale = PriorScale::kRaw;
  std::size_t rows_per_pass = 0;
  int parts = 1;                // disjoint subsets of the rows, each of which passes through the network
  int views = 1;                // times, with different columns mirrored; see views.h
  int different_views = 1;      // over all passes
  int views_at_once = 1;        // of these, together in one pass
  int batch = 1;                // passes of the bootstrap that run together
  std::int64_t pass_bytes = 0;  // limit of a pass's working memory, weights not included; 0: none
  int threads = 0;
  // The network sees blocks of so many columns (cover.h), so many of them in the core of each; 0: all at
  // once.
  std::size_t block_columns = 0, block_core = 0;
  bool stacked = false;                       // statistics of every pair are joined with the network's answer
  std::shared_ptr<const Settings> companion;  // of the second network that the second stage asks, if any
  Knowledge knowledge;                        // what a network that takes it is told

  int passes() const { return parts * views; }
  int all_passes() const { return passes() + (companion ? companion->passes() : 0); }
  // What progress counts up to: a second stage is one more.
  int steps() const { return all_passes() + (stacked ? 1 : 0); }
  const ModelConfig& config() const { return loaded.card->config; }
  // Columns of a pass over a table of so many, and how many blocks it takes to see all of them.
  std::size_t columns_seen(std::size_t columns) const { return block_columns > 0 ? block_columns : columns; }
  std::size_t blocks(std::size_t columns) const {
    return block_columns > 0 ? (columns + block_core - 1) / block_core : 1;
  }
  // Whether the network is told what is known.
  bool tells_network() const {
    return !knowledge.empty() && config().channels.place(PairChannel::kKnowledge) >= 0;
  }
  void describe(DiscoverResult& result) const;
  // Of one pass over a table of so many columns.
  core::Network::Memory memory(std::size_t columns, std::int64_t max_bytes) const;
};

// Of the network's answers, which are probabilities; scores of methods have their own range. Throws
// UsageError.
void check_probabilities(const DiscoverOptions& options);

// Of `enough` views of the same rows those that do not take too long, unless the user asks for more.
int views_in_reach(const ModelConfig& config, int enough, std::int64_t parts, std::size_t rows,
                   std::size_t columns);

// Throws UsageError: a memory limit that cannot be kept, numbers that make no sense.
Settings settle(const DiscoverOptions& options, const LoadedModel& loaded, std::size_t rows,
                std::size_t columns);

}  // namespace causcale
