#include "discover/block_estimate.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "core/channels.h"

namespace causcale {
namespace {

constexpr std::size_t kBlockNeighbours = 64;  // of each variable that may come into its block

// What is known of the columns of one block, in their numbering there.
Knowledge take_knowledge(const Knowledge& knowledge, std::span<const int> columns,
                         const std::vector<int>& place_of) {
  Knowledge taken;
  const auto take_edges = [&](const std::vector<Edge>& from, std::vector<Edge>& to) {
    for (const Edge& edge : from) {
      const int source = place_of[static_cast<std::size_t>(edge.source)];
      const int target = place_of[static_cast<std::size_t>(edge.target)];
      if (source >= 0 && target >= 0) to.push_back({source, target});
    }
  };
  take_edges(knowledge.required, taken.required);
  take_edges(knowledge.forbidden, taken.forbidden);
  if (!knowledge.tier_of.empty())
    for (const int column : columns)
      taken.tier_of.push_back(knowledge.tier_of[static_cast<std::size_t>(column)]);
  taken.closed_tiers = knowledge.closed_tiers;
  return taken;
}

std::vector<int> places(std::span<const int> columns, std::size_t all) {
  std::vector<int> place_of(all, -1);
  for (std::size_t k = 0; k < columns.size(); ++k)
    place_of[static_cast<std::size_t>(columns[k])] = static_cast<int>(k);
  return place_of;
}

// Which columns are in which block, and at the core of which.
class Membership {
 public:
  Membership(const std::vector<Block>& blocks, std::size_t columns)
      : words_((columns + 63) / 64), bits_(blocks.size() * words_), home_(columns) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t k = 0; k < blocks[b].members.size(); ++k) {
        const auto column = static_cast<std::size_t>(blocks[b].members[k]);
        bits_[b * words_ + column / 64] |= std::uint64_t{1} << column % 64;
        if (k < blocks[b].core) home_[column] = b;
      }
  }
  std::size_t home(std::size_t column) const { return home_[column]; }
  bool holds(std::size_t block, std::size_t column) const {
    return bits_[block * words_ + column / 64] >> column % 64 & 1;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> home_;
};

// The mean of what blocks say of each pair, of one kind: edges, feedback or hidden causes.
class Mosaic {
 public:
  Mosaic(const Membership& where, std::size_t columns) : where_(where), mean_(columns, columns) {}

  void add(std::size_t number, const Block& block, const Matrix<double>& said) {
    const std::size_t size = block.members.size();
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < size; ++b) {
        if (a == b || (a >= block.core && b >= block.core)) continue;
        const auto i = static_cast<std::size_t>(block.members[a]);
        const auto j = static_cast<std::size_t>(block.members[b]);
        least_ = std::min(least_, said(a, b));
        // The block where the other end is at the core says as much of the pair, if it has this one.
        const std::size_t elsewhere = a < block.core ? where_.home(j) : where_.home(i);
        const bool twice = elsewhere != number && where_.holds(elsewhere, a < block.core ? i : j);
        mean_(i, j) += twice ? said(a, b) / 2 : said(a, b);
      }
  }

  Matrix<double> finished(int threads) && {
    const std::size_t n = mean_.rows();
    parallel_for(n, threads, [&](std::size_t i) {
      for (std::size_t j = 0; j < n; ++j)
        if (i != j && !where_.holds(where_.home(i), j) && !where_.holds(where_.home(j), i))
          mean_(i, j) = least_;
    });
    return std::move(mean_);
  }

 private:
  const Membership& where_;
  Matrix<double> mean_;
  double least_ = 1.0;
};

}  // namespace

Dataset take_columns(const Dataset& dataset, std::span<const int> columns) {
  const Table& from = dataset.table;
  Dataset taken;
  taken.table.values = Matrix<double>(from.rows(), columns.size());
  for (const int column : columns) {
    const auto c = static_cast<std::size_t>(column);
    taken.table.names.push_back(from.names[c]);
    if (!from.kinds.empty()) taken.table.kinds.push_back(from.kinds[c]);
    if (!from.levels.empty()) taken.table.levels.push_back(from.levels[c]);
  }
  for (std::size_t r = 0; r < from.rows(); ++r)
    for (std::size_t k = 0; k < columns.size(); ++k)
      taken.table.values(r, k) = from.values(r, static_cast<std::size_t>(columns[k]));

  const std::vector<int> place_of = places(columns, from.cols());
  std::map<std::vector<int>, int> known;  // regimes that differ elsewhere alone are one
  std::vector<int> regime_here;
  for (const std::vector<int>& regime : dataset.interventions.regimes) {
    std::vector<int> targets;
    for (const int column : regime)
      if (const int place = place_of[static_cast<std::size_t>(column)]; place >= 0) targets.push_back(place);
    std::ranges::sort(targets);
    const auto [found, added] = known.try_emplace(targets, static_cast<int>(known.size()));
    if (added) taken.interventions.regimes.push_back(std::move(targets));
    regime_here.push_back(found->second);
  }
  for (const int regime : dataset.interventions.regime_of_row)
    taken.interventions.regime_of_row.push_back(regime_here[static_cast<std::size_t>(regime)]);
  return taken;
}

Estimate estimate_in_blocks(const Settings& settings, const Dataset& table, std::uint64_t seed,
                            const PassProgress& progress) {
  const std::size_t n = table.table.cols();
  const int passes = settings.passes();
  // The choice of pairs takes about as long as a few blocks, and has no pass of its own.
  const auto told = [&](double share) {
    if (progress) progress(share * passes);
  };
  constexpr double kChoosing = 0.05;
  const Neighbours neighbours =
      likely_neighbours(table.table.values, kBlockNeighbours, seed, settings.threads,
                        [&](double share) { told(kChoosing * share); });
  const std::vector<Block> blocks = cover_columns(neighbours, settings.block_columns, settings.block_core);
  const Membership where(blocks, n);
  Mosaic edges(where, n);
  std::optional<Mosaic> feedback, confounded;
  for (std::size_t begin = 0; begin < blocks.size();) {
    // Blocks of one size go through the network together.
    std::size_t end = begin + 1;
    const auto same = [&](std::size_t b) { return blocks[b].members.size() == blocks[begin].members.size(); };
    while (end < blocks.size() && end - begin < static_cast<std::size_t>(settings.batch) && same(end) &&
           !settings.tells_network())
      ++end;
    std::vector<Dataset> tables;
    for (std::size_t b = begin; b < end; ++b) tables.push_back(take_columns(table, blocks[b].members));
    Settings own = settings;
    if (settings.tells_network())
      own.knowledge =
          take_knowledge(settings.knowledge, blocks[begin].members, places(blocks[begin].members, n));
    const std::vector<float> priors = make_priors(own, tables, {.scale = settings.prior_scale, .rows = {}});
    const auto done = [&](double pass) {
      const double share = (static_cast<double>(begin) + static_cast<double>(end - begin) * pass / passes) /
                           static_cast<double>(blocks.size());
      told(kChoosing + (1.0 - kChoosing) * share);
    };
    const auto answers = scaled_answers(own, tables, priors, seed, done);
    for (std::size_t b = begin; b < end; ++b) {
      const core::PairProbabilities& said = answers[b - begin];
      edges.add(b, blocks[b], said.edges);
      for (const auto& [from, to] :
           {std::pair(&said.feedback, &feedback), std::pair(&said.confounded, &confounded)}) {
        if (from->empty()) continue;
        if (!*to) to->emplace(where, n);
        (*to)->add(b, blocks[b], *from);
      }
    }
    begin = end;
  }
  Estimate estimate;
  estimate.probabilities = std::move(edges).finished(settings.threads);
  if (feedback) estimate.feedback = std::move(*feedback).finished(settings.threads);
  if (confounded) estimate.confounded = std::move(*confounded).finished(settings.threads);
  return estimate;
}

}  // namespace causcale
