#include "discover/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_size.h"
#include "base/parallel.h"
#include "base/peak_memory.h"
#include "causcale/error.h"
#include "core/cost.h"
#include "core/option_names.h"
#include "discover/option_list.h"
#include "discover/stacking/pair_statistics.h"
#include "prior/neighbours.h"

namespace causcale {
namespace {

constexpr int kMostParts = 8;
// More than one view of the same rows, unless asked for, only up to this arithmetic: a minute on two cores.
constexpr double kUsualViewsFlops = 8e12;
// Without a limit of the user's, passes of a bootstrap, and on a GPU views, run together up to these.
constexpr std::int64_t kUsualBatchBytesCpu = std::int64_t{1} << 30,
                       kUsualBatchBytesCuda = std::int64_t{16} << 30;
constexpr std::int64_t kLargestBatch = 32;

// Beyond so many times the columns of its training a network tells hardly anything of a table as a whole
// (docs/scaling.md), and sees blocks of it.
constexpr std::size_t kBlocksBeyond = 2, kUsuallyTrainedColumns = 1000;
constexpr std::size_t kUsualBlockColumns = 500;
constexpr std::size_t kColumnsPerCore = 20;

PriorScale choose_prior(PriorUnits units, const ModelCard& card) {
  if (units == PriorUnits::kAuto) units = card.prior_units;
  return units == PriorUnits::kRaw ? PriorScale::kRaw : PriorScale::kStandardized;
}

std::size_t trained_columns(const ModelCard& card) {
  const auto found = card.ranges.find("columns");
  if (found == card.ranges.end()) return kUsuallyTrainedColumns;
  constexpr double kMost = 1e9;  // a file may say anything
  return std::max(static_cast<std::size_t>(std::clamp(found->second.high, 0.0, kMost)),
                  kUsuallyTrainedColumns);
}

std::size_t choose_block_columns(const DiscoverOptions& options, const ModelCard& card, std::size_t columns) {
  if (options.block_columns == kNoBlocks) return 0;
  if (options.block_columns == kAutoBlocks)
    return columns > kBlocksBeyond * trained_columns(card) ? kUsualBlockColumns : 0;
  return options.block_columns < columns ? options.block_columns : 0;
}

struct Parts {
  std::size_t rows;
  int count;
};

Parts choose_parts(const DiscoverOptions& options, const ModelCard& card, std::size_t rows) {
  const std::size_t largest = options.max_samples > 0 ? options.max_samples : card.usual_rows;
  const auto needed = static_cast<int>(std::min<std::size_t>((rows + largest - 1) / largest, kMostParts));
  // More passes than rows / 2 would leave some with a single row, which has no spread to standardise by.
  const auto most = static_cast<int>(std::max<std::size_t>(1, rows / 2));
  const int count = std::min(options.ensemble > 0 ? options.ensemble : needed, most);
  return {std::min(largest, (rows + count - 1) / count), count};
}

int choose_views(const DiscoverOptions& options, const Settings& settings, std::size_t columns) {
  const int enough = (settings.different_views + settings.parts - 1) / settings.parts;
  if (options.views > 0 || enough == 1) return enough;
  const auto passes = settings.parts * static_cast<std::int64_t>(settings.blocks(columns));
  return views_in_reach(settings.config(), enough, passes, settings.rows_per_pass,
                        settings.columns_seen(columns));
}

// What is left of the limit for a pass's working memory when the weights of all networks are there; 0: no
// limit.
std::int64_t choose_pass_bytes(const DiscoverOptions& options, const Settings& settings, std::int64_t weights,
                               std::size_t columns) {
  if (options.max_memory == 0) return 0;
  const std::int64_t left = std::max<std::int64_t>(1, options.max_memory - weights);
  const std::int64_t least = settings.memory(columns, left).least;
  if (least > left)
    throw UsageError(fmt::format(
        "--max-memory {} is too little: {} rows of {} columns need at least {}; raise it or lower "
        "--max-samples",
        format_byte_size(static_cast<std::uint64_t>(options.max_memory)), settings.rows_per_pass,
        settings.columns_seen(columns),
        // Two digits after the point are kept: rather more than less.
        format_byte_size(static_cast<std::uint64_t>((weights + least) / 200 * 201))));
  return left;
}

std::int64_t bytes_at_once(const Settings& settings) {
  if (settings.pass_bytes > 0) return settings.pass_bytes;
  return settings.loaded.device == Device::kCuda ? kUsualBatchBytesCuda : kUsualBatchBytesCpu;
}

// A GPU is not filled by one view of a small table; a processor would only need more memory.
int choose_views_at_once(const Settings& settings, std::int64_t pass_bytes) {
  if (!settings.loaded.network->prefers_batches()) return 1;
  const std::int64_t fitting = bytes_at_once(settings) / std::max<std::int64_t>(1, pass_bytes);
  return static_cast<int>(
      std::clamp<std::int64_t>(fitting, 1, std::min<std::int64_t>(kLargestBatch, settings.views)));
}

int choose_batch(const DiscoverOptions& options, const Settings& settings, std::int64_t pass_bytes,
                 std::int64_t blocks) {
  if (!settings.loaded.network->prefers_batches()) return 1;
  const std::int64_t most = std::min<std::int64_t>(kLargestBatch / settings.views_at_once,
                                                   std::max<std::int64_t>(blocks, options.bootstrap));
  const std::int64_t fitting = bytes_at_once(settings) / std::max<std::int64_t>(1, pass_bytes);
  return static_cast<int>(std::clamp<std::int64_t>(fitting, 1, most));
}

}  // namespace

void check_probabilities(const DiscoverOptions& options) {
  if (!(options.threshold >= 0 && options.threshold <= 1))
    throw UsageError(fmt::format("the threshold must lie between 0 and 1, not {}", options.threshold));
  if (!(options.min_probability >= 0 && options.min_probability <= 1))
    throw UsageError(fmt::format("--min-probability {}: a probability, from 0 to 1, is expected",
                                 options.min_probability));
}

int views_in_reach(const ModelConfig& config, int enough, std::int64_t parts, std::size_t rows,
                   std::size_t columns) {
  const double once = static_cast<double>(parts) * forward_flops(config, static_cast<std::int64_t>(rows),
                                                                 static_cast<std::int64_t>(columns));
  return static_cast<int>(std::clamp(kUsualViewsFlops / once, 1.0, static_cast<double>(enough)));
}

core::Network::Memory Settings::memory(std::size_t columns, std::int64_t max_bytes) const {
  return loaded.network->memory(static_cast<std::int64_t>(rows_per_pass),
                                static_cast<std::int64_t>(columns_seen(columns)), resolve_threads(threads),
                                max_bytes);
}

void Settings::describe(DiscoverResult& result) const {
  result.model_name = loaded.name;
  result.model_sha256 = loaded.sha256;
  result.device = name_of(kDeviceNames, loaded.device);
  result.precision = name_of(kPrecisionNames, loaded.precision);
  result.prior_scale = name_of(
      kPriorUnitNames, prior_scale == PriorScale::kRaw ? PriorUnits::kRaw : PriorUnits::kStandardized);
  result.rows_per_pass = rows_per_pass;
  result.passes = passes();
  result.stacked = stacked;
  result.views = views;
  const ProbabilityScale scale = loaded.card->scales.of(passes());
  result.temperature = scale.temperature;
  result.offset = scale.offset;
}

namespace {

// Of one network; `weights` are the bytes of all that are in memory with it.
Settings settle_network(const DiscoverOptions& options, const LoadedModel& loaded, std::int64_t weights,
                        std::size_t rows, std::size_t columns) {
  Settings settings;
  settings.loaded = loaded;
  settings.threads = options.threads;
  settings.knowledge = options.knowledge;
  settings.prior_scale = choose_prior(options.prior_units, *loaded.card);
  const Parts parts = choose_parts(options, *loaded.card, rows);
  settings.rows_per_pass = parts.rows;
  settings.parts = parts.count;
  settings.different_views = options.views > 0 ? options.views : loaded.card->views;
  settings.block_columns = choose_block_columns(options, *loaded.card, columns);
  settings.block_core = std::max<std::size_t>(1, settings.block_columns / kColumnsPerCore);
  settings.views = choose_views(options, settings, columns);
  settings.pass_bytes = choose_pass_bytes(options, settings, weights, columns);
  const std::int64_t bytes = settings.memory(columns, settings.pass_bytes).bytes;
  settings.views_at_once = choose_views_at_once(settings, bytes);
  settings.batch = choose_batch(options, settings, settings.views_at_once * bytes,
                                static_cast<std::int64_t>(settings.blocks(columns)));
  return settings;
}

}  // namespace

Settings settle(const DiscoverOptions& options, const LoadedModel& loaded, std::size_t rows,
                std::size_t columns) {
  check_options(options);
  check_probabilities(options);
  if (options.bootstrap == 1) throw UsageError("--bootstrap takes 0 (none) or at least 2 repetitions, not 1");
  const std::int64_t weights = loaded.weight_bytes();
  Settings settings = settle_network(options, loaded, weights, rows, columns);
  const bool wants_statistics = options.stacking == StackingRule::kAuto && columns <= kMostStackedColumns &&
                                settings.block_columns == 0;
  settings.stacked = wants_statistics && loaded.stacking;
  if (!loaded.companion || !wants_statistics) return settings;
  // The companion is asked after the model's own network, with the same rows and in the memory of the same
  // limit. What is known is put into effect on the answer alone.
  DiscoverOptions same = options;
  same.knowledge = {};
  Settings companion = settle_network(same, *loaded.companion, weights, rows, columns);
  settings.batch = std::min(settings.batch, companion.batch);  // both get the same tables at a time
  settings.companion = std::make_shared<const Settings>(std::move(companion));
  return settings;
}

namespace {

// The table comes on top of the network's memory: a copy in canonical order stays, and while it is sorted or
// a prior is made of it, more is needed for a while.
std::int64_t process_memory(const Settings& settings, std::size_t rows, std::size_t columns,
                            std::int64_t network) {
  const std::int64_t now = resident_memory();
  if (now == 0) return 0;
  const auto m = static_cast<std::int64_t>(rows), n = static_cast<std::int64_t>(columns);
  const std::int64_t table = 8 * m * n;
  const std::int64_t ranks = 4 * m * n, sorted_columns = std::min<std::int64_t>(n, 8) * 16 * m;
  // In blocks the answers are put together in one matrix, and the choice of pairs has parts of three tables
  // (those of likely_neighbours) and panels.
  const auto seen = static_cast<std::int64_t>(settings.columns_seen(columns));
  const bool in_blocks = settings.block_columns > 0;
  const std::int64_t looked_at = std::min<std::int64_t>(m, kMostNeighbourRows);
  const std::int64_t choice = in_blocks ? 8 * (3 * looked_at * n + looked_at * looked_at + 960 * n) : 0;
  const std::int64_t together = in_blocks ? 8 * n * n : 0;
  const std::int64_t centred = 8 * m * seen, covariances = 3 * 8 * seen * seen;
  const std::int64_t input = std::int64_t{settings.views_at_once} * settings.batch *
                             static_cast<std::int64_t>(settings.rows_per_pass) * seen * 4 *
                             settings.config().channels.data_width();
  const std::int64_t while_sorting = ranks + sorted_columns;
  const std::int64_t while_computing =
      table + std::max(choice, together + std::max(centred + covariances, input + network));
  return std::max(largest_resident_memory(), now + std::max(while_sorting, while_computing));
}

}  // namespace

DiscoverPlan plan_discover(std::size_t rows, std::size_t columns, const DiscoverOptions& options) {
  return plan_discover(rows, columns, options, load_for_discover(options));
}

DiscoverPlan plan_discover(std::size_t rows, std::size_t columns, const DiscoverOptions& options,
                           const LoadedModel& loaded) {
  const Settings settings = settle(options, loaded, rows, columns);
  DiscoverPlan plan;
  plan.rows = rows;
  plan.columns = columns;
  plan.rows_per_pass = settings.rows_per_pass;
  plan.passes = settings.all_passes();
  plan.bootstrap = options.bootstrap;
  plan.batch = settings.batch;
  // A processor works on one table and view at a time.
  const std::int64_t together =
      settings.loaded.network->prefers_batches() ? std::int64_t{settings.batch} * settings.views_at_once : 1;
  // Networks are asked one after the other.
  const auto largest = [&](bool limited) {
    const auto bytes = [&](const Settings& one) {
      return one.memory(columns, limited ? one.pass_bytes : 0).bytes;
    };
    return together * std::max(bytes(settings), settings.companion ? bytes(*settings.companion) : 0);
  };
  const std::int64_t weights = settings.loaded.weight_bytes();
  const std::int64_t working = largest(true);
  plan.peak_bytes = weights + working;
  plan.unlimited_bytes = weights + largest(false);
  const bool on_processor = settings.loaded.device == Device::kCpu;
  plan.process_bytes = process_memory(settings, rows, columns, on_processor ? working : 0);
  plan.block_columns = settings.block_columns;
  plan.blocks = settings.blocks(columns);
  const auto flops = [&](const Settings& one) {
    return one.passes() * forward_flops(one.config(), static_cast<std::int64_t>(one.rows_per_pass),
                                        static_cast<std::int64_t>(settings.columns_seen(columns)));
  };
  plan.tera_flops = 1e-12 * static_cast<double>(plan.blocks) * (1.0 + options.bootstrap) *
                    (flops(settings) + (settings.companion ? flops(*settings.companion) : 0.0));
  plan.seconds =
      plan.tera_flops * 1e12 / settings.loaded.network->expected_flops(resolve_threads(options.threads));
  plan.device = name_of(kDeviceNames, settings.loaded.device);
  plan.precision = name_of(kPrecisionNames, settings.loaded.precision);
  return plan;
}

}  // namespace causcale
