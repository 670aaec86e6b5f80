#include "benchmark/network.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "benchmark/memory.h"
#include "core/cost.h"
#include "data/standardize.h"
#include "discover/estimate.h"
#include "discover/transform.h"

namespace causcale {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

BenchmarkNetwork::BenchmarkNetwork(const std::string& model, PriorUnits units, Device device,
                                   Precision precision, int threads)
    // The network itself is measured, on the table as a whole.
    : options_{.model = model,
               .device = device,
               .precision = precision,
               .prior_units = units,
               .block_columns = kNoBlocks},
      loaded_(load_for_discover(options_)),
      threads_(resolve_threads(threads)) {}

nlohmann::json BenchmarkNetwork::describe() const {
  DiscoverResult record;
  settle(options_, loaded_, 2, 2).describe(record);
  return {{"model", record.model_name},
          {"model_sha256", record.model_sha256},
          {"device", record.device},
          {"precision", record.precision},
          {"prior_scale", record.prior_scale}};
}

Settings BenchmarkNetwork::settings_for(const Contender& contender, std::size_t rows,
                                        std::size_t columns) const {
  DiscoverOptions options = options_;
  options.max_samples = contender.max_samples;
  options.ensemble = contender.ensemble;
  options.views = contender.views;
  options.threads = threads_;
  if (contender.one_pass && contender.max_samples == 0 && contender.ensemble == 0) {
    options.max_samples = rows;
    options.ensemble = 1;
  }
  return settle(options, loaded_, rows, columns);
}

// A GPU's first pass of a shape loads kernels and tunes products, and the second records it: no part of the
// time.
void BenchmarkNetwork::warm_up(const Dataset& dataset, Settings settings) {
  const std::size_t rows = settings.rows_per_pass, n = dataset.table.cols();
  if (!loaded_.network->prefers_batches() || (warm_rows_ == rows && warm_columns_ == n)) return;
  std::vector<std::size_t> first(rows);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const Dataset part = take_rows(dataset, first);
  settings.parts = 1;
  settings.views = settings.views_at_once;
  const std::span<const Dataset> table(&part, 1);
  const std::vector<float> prior = make_priors(settings, table, {.scale = settings.prior_scale, .rows = {}});
  const MemoryWatch memory(*loaded_.network);
  for (int pass = 0; pass < 2; ++pass) mean_probabilities(settings, table, prior, 0);
  warm_rows_ = rows;
  warm_columns_ = n;
  warm_bytes_ = memory.peak_bytes();
}

NetworkAnswer BenchmarkNetwork::answer(const Dataset& dataset, const Contender& contender,
                                       std::uint64_t seed) {
  const std::size_t rows = dataset.table.rows(), n = dataset.table.cols();
  const Settings settings = settings_for(contender, rows, n);
  warm_up(dataset, settings);

  const MemoryWatch memory(*loaded_.network);
  const Clock::time_point begin = Clock::now();
  Dataset ordered = in_canonical_order(dataset, threads_);
  transform_values(options_.transform, loaded_.card->transform, ordered.table);
  const std::span<const Dataset> table(&ordered, 1);
  const PriorOptions of_prior{.scale = settings.prior_scale, .rows = contender.prior_rows, .seed = seed};
  const std::vector<float> prior = make_priors(settings, table, of_prior);
  const Clock::time_point after_prior = Clock::now();
  std::vector<Estimate> told = joined_estimates(settings, table, prior, 0);
  const Clock::time_point end = Clock::now();

  NetworkAnswer answer;
  answer.probabilities = std::move(told.front().probabilities);
  answer.feedback = std::move(told.front().feedback);
  Measures& measures = answer.measures;
  const auto rows_of_pass = static_cast<std::int64_t>(settings.rows_per_pass);
  measures = cost_measures(settings.config(), rows_of_pass, static_cast<std::int64_t>(n),
                           loaded_.precision == Precision::kFloat32 ? 4 : 2);
  measures["planned_bytes"] =
      static_cast<double>(loaded_.network->weight_bytes() + settings.memory(n, settings.pass_bytes).bytes);
  // A recorded pass took its memory when it was recorded, and takes none when it is played.
  measures["peak_bytes"] = static_cast<double>(std::max(warm_bytes_, memory.peak_bytes()));
  measures["seconds"] = seconds_between(begin, end);
  measures["seconds_prior"] = seconds_between(begin, after_prior);
  measures["seconds_network"] = seconds_between(after_prior, end);
  measures["flops_per_second"] =
      settings.passes() * measures["flops"] / std::max(1e-9, measures["seconds_network"]);
  measures["rows"] = static_cast<double>(rows);
  measures["rows_per_pass"] = static_cast<double>(settings.rows_per_pass);
  measures["passes"] = settings.passes();
  return answer;
}

Measures cost_measures(const ModelConfig& config, std::int64_t rows, std::int64_t columns,
                       std::int64_t element_bytes) {
  ModelConfig unreduced = config;
  unreduced.pooling = Pooling::kNone;
  const double m = static_cast<double>(rows), n = static_cast<double>(columns);
  const double elements =
      (m + n) * n * config.embed_dim + std::max(m * n * config.ffn_dim, config.heads * m * m);
  double sample_axis = 0.0, node_axis = 0.0;
  for (int block = 0; block < config.blocks; ++block) {
    const double left = rows_left(config, block);
    sample_axis += left * left / config.blocks;
    node_axis += left / config.blocks;
  }
  return {{"flops", forward_flops(config, rows, columns)},
          {"flops_unreduced", forward_flops(unreduced, rows, columns)},
          {"formula_bytes", elements * static_cast<double>(element_bytes)},
          {"sample_axis_share", sample_axis},
          {"node_axis_share", node_axis}};
}

}  // namespace causcale
