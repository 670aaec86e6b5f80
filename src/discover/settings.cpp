#include "discover/settings.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "causcale/error.h"
#include "discover/option_names.h"
#include "discover/views.h"
#include "model/cost.h"

namespace causcale {
namespace {

// Rows per pass where a model's metadata does not say what it is used to.
constexpr std::size_t kUsualRows = 1000;
constexpr int kMostParts = 8;
// More than one view of the same rows, unless asked for, only up to this arithmetic: a minute on two cores.
constexpr double kUsualViewsFlops = 8e12;
constexpr std::int64_t kUsualScoreBytes = std::int64_t{256} << 20;
// Without a limit of the user's, passes of a bootstrap, and on a GPU views, run together up to these.
constexpr std::int64_t kUsualBatchBytesCpu = std::int64_t{1} << 30,
                       kUsualBatchBytesCuda = std::int64_t{16} << 30;
constexpr std::int64_t kLargestBatch = 32;

PriorScale choose_prior(PriorUnits units, const Model& model) {
  if (units == PriorUnits::kAuto) {
    const auto stated = model.metadata.find("prior_scale");
    if (stated != model.metadata.end() && stated->second == name_of(kPriorUnitNames, PriorUnits::kRaw))
      units = PriorUnits::kRaw;
  }
  return units == PriorUnits::kRaw ? PriorScale::kRaw : PriorScale::kStandardized;
}

std::size_t usual_rows(const Model& model) {
  const auto stated = model.metadata.find("usual_rows");
  if (stated == model.metadata.end()) return kUsualRows;
  return std::max<std::size_t>(2, std::strtoull(stated->second.c_str(), nullptr, 10));
}

struct Parts {
  std::size_t rows;
  int count;
};

Parts choose_parts(const DiscoverOptions& options, const Model& model, std::size_t rows) {
  if (options.ensemble < 0) throw UsageError("--ensemble must not be negative");
  const std::size_t largest = options.max_samples > 0 ? options.max_samples : usual_rows(model);
  const auto needed = static_cast<int>(std::min<std::size_t>((rows + largest - 1) / largest, kMostParts));
  // More passes than rows / 2 would leave some with a single row, which has no spread to standardise by.
  const auto most = static_cast<int>(std::max<std::size_t>(1, rows / 2));
  const int count = std::min(options.ensemble > 0 ? options.ensemble : needed, most);
  return {std::min(largest, (rows + count - 1) / count), count};
}

int choose_views(const DiscoverOptions& options, const Settings& settings, std::size_t columns) {
  const int enough = (settings.different_views + settings.parts - 1) / settings.parts;
  if (options.views > 0 || enough == 1) return enough;
  return views_in_reach(settings.config(), enough, settings.parts, settings.rows_per_pass, columns);
}

std::int64_t element_bytes(at::ScalarType type) {
  return type == at::kFloat ? 4 : 2;
}

// The score budget that keeps the whole within max_memory.
std::int64_t choose_score_bytes(const DiscoverOptions& options, const ModelConfig& config, std::int64_t m,
                                std::int64_t n, at::ScalarType type) {
  if (options.max_memory == 0) return kUsualScoreBytes;
  const std::int64_t least_scores = smallest_score_bytes(config, m, n);
  const std::int64_t least = inference_bytes(config, m, n, element_bytes(type), least_scores);
  if (least > options.max_memory)
    throw UsageError(
        fmt::format("--max-memory {:.2f} GiB is too little: {} rows of {} columns need at least {:.2f} GiB; "
                    "raise it or lower --max-samples",
                    options.max_memory / 1073741824.0, m, n, least / 1073741824.0));
  return least_scores + (options.max_memory - least);
}

std::int64_t bytes_at_once(const DiscoverOptions& options, const Settings& settings) {
  if (options.max_memory > 0) return options.max_memory;
  return settings.loaded.device.is_cuda() ? kUsualBatchBytesCuda : kUsualBatchBytesCpu;
}

// A GPU is not filled by one view of a small table; a CPU would only need more memory.
int choose_views_at_once(const DiscoverOptions& options, const Settings& settings, std::int64_t pass_bytes) {
  if (!settings.loaded.device.is_cuda()) return 1;
  const std::int64_t fitting = bytes_at_once(options, settings) / std::max<std::int64_t>(1, pass_bytes);
  return static_cast<int>(
      std::clamp<std::int64_t>(fitting, 1, std::min<std::int64_t>(kLargestBatch, settings.views)));
}

int choose_batch(const DiscoverOptions& options, const Settings& settings, std::int64_t pass_bytes) {
  const std::int64_t most =
      std::min<std::int64_t>(kLargestBatch / settings.views_at_once, std::max(1, options.bootstrap));
  const std::int64_t fitting = bytes_at_once(options, settings) / std::max<std::int64_t>(1, pass_bytes);
  return static_cast<int>(std::clamp<std::int64_t>(fitting, 1, most));
}

std::int64_t pass_bytes(const Settings& settings, std::size_t columns, std::int64_t score_bytes) {
  return inference_bytes(settings.config(), static_cast<std::int64_t>(settings.rows_per_pass),
                         static_cast<std::int64_t>(columns), element_bytes(settings.loaded.dtype),
                         score_bytes);
}

std::string device_name(const LoadedModel& loaded) {
  return name_of(kDeviceNames, loaded.device.is_cuda() ? Device::kCuda : Device::kCpu);
}

std::string precision_name(const LoadedModel& loaded) {
  return name_of(kPrecisionNames, loaded.dtype == at::kFloat ? Precision::kFloat32 : Precision::kBfloat16);
}

// Measured: a processor's core nearly 90 GFLOP/s, an H200 in bf16 229 to 442 TFLOP/s (docs/results.md). In
// fp32 a GPU needs three tf32 products for one and moves twice the bytes; a sixth of the rate is a cautious
// guess.
double expected_tera_flops_per_second(const Settings& settings, int threads) {
  if (!settings.loaded.device.is_cuda()) return 0.08 * resolve_threads(threads);
  return settings.loaded.dtype == at::kFloat ? 40.0 : 230.0;
}

}  // namespace

int views_in_reach(const ModelConfig& config, int enough, int parts, std::size_t rows, std::size_t columns) {
  const double once =
      parts * forward_flops(config, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
  return static_cast<int>(std::clamp(kUsualViewsFlops / once, 1.0, static_cast<double>(enough)));
}

void Settings::describe(DiscoverResult& result) const {
  result.model_name = loaded.name;
  result.model_sha256 = loaded.sha256;
  result.device = device_name(loaded);
  result.precision = precision_name(loaded);
  result.prior_scale = name_of(
      kPriorUnitNames, prior_scale == PriorScale::kRaw ? PriorUnits::kRaw : PriorUnits::kStandardized);
  result.rows_per_pass = rows_per_pass;
  result.passes = passes();
  result.views = views;
  const ProbabilityScale scale = loaded.scales.of(passes());
  result.temperature = scale.temperature;
  result.offset = scale.offset;
}

Settings settle(const DiscoverOptions& options, const LoadedModel& loaded, std::size_t rows,
                std::size_t columns) {
  if (!(options.threshold >= 0 && options.threshold <= 1))
    throw UsageError(fmt::format("the threshold must lie between 0 and 1, not {}", options.threshold));
  if (options.views < 0 || options.views > kMostViews)
    throw UsageError(fmt::format("--views takes 1 to {}, or 0 (what the model is used to), not {}",
                                 kMostViews, options.views));
  if (options.bootstrap < 0 || options.bootstrap == 1)
    throw UsageError(
        fmt::format("--bootstrap takes 0 (none) or at least 2 repetitions, not {}", options.bootstrap));
  Settings settings;
  settings.loaded = loaded;
  settings.prior_scale = choose_prior(options.prior_units, *loaded.model);
  const Parts parts = choose_parts(options, *loaded.model, rows);
  settings.rows_per_pass = parts.rows;
  settings.parts = parts.count;
  settings.different_views = options.views > 0 ? options.views : usual_views(*loaded.model);
  settings.views = choose_views(options, settings, columns);
  settings.execution.max_score_bytes =
      choose_score_bytes(options, settings.config(), static_cast<std::int64_t>(parts.rows),
                         static_cast<std::int64_t>(columns), loaded.dtype);
  // Recordings keep their memory beside the eager pass's, which a limit would not allow for.
  const bool record = loaded.device.is_cuda() && options.max_memory == 0;
  settings.execution.pack_once = settings.execution.replay = settings.execution.overlap = record;
  const std::int64_t bytes = pass_bytes(settings, columns, settings.execution.max_score_bytes);
  settings.views_at_once = choose_views_at_once(options, settings, bytes);
  settings.batch = choose_batch(options, settings, settings.views_at_once * bytes);
  return settings;
}

DiscoverPlan plan_discover(std::size_t rows, std::size_t columns, const DiscoverOptions& options) {
  const Settings settings = settle(options, load_for_discover(options), rows, columns);
  DiscoverPlan plan;
  plan.rows = rows;
  plan.columns = columns;
  plan.rows_per_pass = settings.rows_per_pass;
  plan.passes = settings.passes();
  plan.bootstrap = options.bootstrap;
  plan.batch = settings.batch;
  const std::int64_t together = std::int64_t{settings.batch} * settings.views_at_once;
  plan.peak_bytes = together * pass_bytes(settings, columns, settings.execution.max_score_bytes);
  plan.unlimited_bytes = together * pass_bytes(settings, columns, 0);
  plan.tera_flops = settings.passes() * (1.0 + options.bootstrap) *
                    forward_flops(settings.config(), static_cast<std::int64_t>(settings.rows_per_pass),
                                  static_cast<std::int64_t>(columns)) *
                    1e-12;
  plan.seconds = plan.tera_flops / expected_tera_flops_per_second(settings, options.threads);
  plan.device = device_name(settings.loaded);
  plan.precision = precision_name(settings.loaded);
  return plan;
}

}  // namespace causcale
