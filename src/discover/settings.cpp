#include "discover/settings.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/sha256.h"
#include "causcale/error.h"
#include "model/cost.h"
#include "model/device.h"
#include "model/installed.h"

namespace causcale {
namespace {

// Rows per pass where a model's metadata does not say what it is used to.
constexpr std::size_t kUsualRows = 1000;
constexpr int kMostPasses = 8;
constexpr std::int64_t kUsualScoreBytes = std::int64_t{256} << 20;

at::Device choose_device(Device device) {
  if (device == Device::kCpu || (device == Device::kAuto && !cuda_available())) return at::kCPU;
  if (!cuda_available()) {
#ifdef CAUSCALE_CUDA
    throw UsageError("--device cuda: no CUDA device is present");
#else
    throw UsageError("--device cuda: this build has no CUDA support (configure with the preset 'cuda')");
#endif
  }
  return at::kCUDA;
}

at::ScalarType choose_type(Precision precision, const at::Device& device) {
  if (precision == Precision::kAuto) return device.is_cuda() ? at::kBFloat16 : at::kFloat;
  if (precision == Precision::kBfloat16 && !device.is_cuda())
    throw UsageError("--precision bf16 needs --device cuda; the CPU computes in fp32");
  return precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat;
}

PriorScale choose_prior(PriorUnits units, const Model& model) {
  if (units == PriorUnits::kRaw) return PriorScale::kRaw;
  if (units == PriorUnits::kStandardized) return PriorScale::kStandardized;
  const auto stated = model.metadata.find("prior_scale");
  return stated != model.metadata.end() && stated->second == "raw" ? PriorScale::kRaw
                                                                   : PriorScale::kStandardized;
}

std::size_t usual_rows(const Model& model) {
  const auto stated = model.metadata.find("usual_rows");
  if (stated == model.metadata.end()) return kUsualRows;
  return std::max<std::size_t>(2, std::strtoull(stated->second.c_str(), nullptr, 10));
}

struct Passes {
  std::size_t rows;
  int count;
};

Passes choose_passes(const DiscoverOptions& options, const Model& model, std::size_t rows) {
  if (options.ensemble < 0) throw UsageError("--ensemble must not be negative");
  const std::size_t largest = options.max_samples > 0 ? options.max_samples : usual_rows(model);
  const auto needed = static_cast<int>(std::min<std::size_t>((rows + largest - 1) / largest, kMostPasses));
  // More passes than rows / 2 would leave some with a single row, which has no spread to standardise by.
  const auto most = static_cast<int>(std::max<std::size_t>(1, rows / 2));
  const int count = std::min(options.ensemble > 0 ? options.ensemble : needed, most);
  return {std::min(largest, (rows + count - 1) / count), count};
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

}  // namespace

void Settings::describe(DiscoverResult& result) const {
  result.model_name = model_name;
  result.model_sha256 = model_sha256;
  result.device = device.is_cuda() ? "cuda" : "cpu";
  result.precision = dtype == at::kFloat ? "fp32" : "bf16";
  result.prior_scale = prior_scale == PriorScale::kRaw ? "raw" : "standardized";
  result.rows_per_pass = rows_per_pass;
  result.passes = passes;
}

Settings settle(const DiscoverOptions& options, std::size_t rows, std::size_t columns) {
  Settings settings;
  settings.device = choose_device(options.device);
  settings.dtype = choose_type(options.precision, settings.device);

  const std::filesystem::path file = find_model(options.model);
  auto model = std::make_shared<Model>(load_model(file));
  settings.model_name = file.stem().string();
  settings.model_sha256 = sha256_of_file(file);
  settings.prior_scale = choose_prior(options.prior_units, *model);
  const Passes passes = choose_passes(options, *model, rows);
  settings.rows_per_pass = passes.rows;
  settings.passes = passes.count;
  settings.execution.max_score_bytes =
      choose_score_bytes(options, model->config, static_cast<std::int64_t>(passes.rows),
                         static_cast<std::int64_t>(columns), settings.dtype);
  model->params.visit(
      [&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(settings.device, settings.dtype); });
  settings.model = std::move(model);
  return settings;
}

DiscoverPlan plan_discover(std::size_t rows, std::size_t columns, const DiscoverOptions& options) {
  const Settings settings = settle(options, rows, columns);
  const auto m = static_cast<std::int64_t>(settings.rows_per_pass), n = static_cast<std::int64_t>(columns);
  const ModelConfig& config = settings.model->config;
  const std::int64_t bytes = element_bytes(settings.dtype);
  DiscoverPlan plan;
  plan.rows = rows;
  plan.columns = columns;
  plan.rows_per_pass = settings.rows_per_pass;
  plan.passes = settings.passes;
  plan.peak_bytes = inference_bytes(config, m, n, bytes, settings.execution.max_score_bytes);
  plan.unlimited_bytes = inference_bytes(config, m, n, bytes, 0);
  plan.tera_flops = settings.passes * forward_flops(config, m, n) * 1e-12;
  // TFLOP/s: a core was seen to manage nearly 90 GFLOP/s; a tenth of the tensor cores' peak is a cautious
  // guess.
  const double rate = settings.device.is_cuda() ? 80.0 : 0.08 * resolve_threads(options.threads);
  plan.seconds = plan.tera_flops / rate;
  plan.device = settings.device.is_cuda() ? "cuda" : "cpu";
  plan.precision = settings.dtype == at::kFloat ? "fp32" : "bf16";
  return plan;
}

}  // namespace causcale
