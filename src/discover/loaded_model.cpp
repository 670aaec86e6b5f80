#include "discover/loaded_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/sha256.h"
#include "causcale/error.h"
#include "discover/views.h"
#include "model/device.h"
#include "model/installed.h"

namespace causcale {
namespace {

at::ScalarType choose_type(Precision precision, const at::Device& device) {
  if (precision == Precision::kAuto) return device.is_cuda() ? at::kBFloat16 : at::kFloat;
  if (precision == Precision::kBfloat16 && !device.is_cuda())
    throw UsageError("--precision bf16 needs --device cuda; the CPU computes in fp32");
  return precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat;
}

// The number under a metadata key, `usual` where there is none.
double stated_number(const Model& model, const std::string& file, const char* key, double usual, double least,
                     const char* expected) {
  const auto stated = model.metadata.find(key);
  if (stated == model.metadata.end()) return usual;
  const std::string& text = stated->second;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > least) || !std::isfinite(value))
    throw InputError(fmt::format("{}: metadata key '{}' is '{}', expected {}", file, key, text, expected));
  return value;
}

void read_scales(const Model& model, const std::string& file, LoadedModel& loaded) {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  loaded.temperature = stated_number(model, file, "temperature", 1.0, 0.0, "a positive number");
  loaded.mean.temperature =
      stated_number(model, file, "mean_temperature", loaded.temperature, 0.0, "a positive number");
  loaded.mean.offset = stated_number(model, file, "mean_offset", 0.0, kAny, "a number");
  const double passes = stated_number(model, file, "mean_of", 1.0, 0.0, "a number of passes, 1 or more");
  if (passes < 1 || passes > kMostViews || passes != std::floor(passes))
    throw InputError(fmt::format("{}: metadata key 'mean_of' is '{}', expected a number of passes, 1 to {}",
                                 file, passes, kMostViews));
  loaded.mean_of = static_cast<int>(passes);
}

}  // namespace

ProbabilityScale LoadedModel::scale(int passes) const {
  if (mean_of == 1 || passes <= 1) return {temperature, 0.0};
  const double share = (1.0 - 1.0 / passes) / (1.0 - 1.0 / mean_of);
  const double factor = 1.0 / temperature + share * (1.0 / mean.temperature - 1.0 / temperature);
  // Far beyond mean_of the line may leave what makes sense.
  const double least = 0.5 * std::min(1.0 / temperature, 1.0 / mean.temperature);
  return {1.0 / std::max(factor, least), share * mean.offset};
}

LoadedModel load_for_discover(const DiscoverOptions& options) {
  LoadedModel loaded;
  loaded.device = choose_device(options.device);
  loaded.dtype = choose_type(options.precision, loaded.device);
  const std::filesystem::path file = find_model(options.model);
  auto model = std::make_shared<Model>(load_model(file));
  loaded.name = file.stem().string();
  loaded.sha256 = sha256_of_file(file);
  read_scales(*model, file.string(), loaded);
  model->params.visit(
      [&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(loaded.device, loaded.dtype); });
  loaded.prepared = std::make_shared<PreparedModel>(model->params, model->config);
  loaded.model = std::move(model);
  return loaded;
}

}  // namespace causcale
