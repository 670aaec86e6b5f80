#include "discover/loaded_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

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

// Metadata "temperature" of one pass; "mean_temperature" and "mean_offset" of the mean of "mean_of" passes.
AnswerScales stated_scales(const Model& model, const std::string& file) {
  constexpr double kAny = -std::numeric_limits<double>::infinity();
  AnswerScales scales;
  scales.temperature = stated_number(model, file, "temperature", 1.0, 0.0, "a positive number");
  scales.mean.temperature =
      stated_number(model, file, "mean_temperature", scales.temperature, 0.0, "a positive number");
  scales.mean.offset = stated_number(model, file, "mean_offset", 0.0, kAny, "a number");
  const double passes = stated_number(model, file, "mean_of", 1.0, 0.0, "a number of passes, 1 or more");
  if (passes < 1 || passes > kMostViews || passes != std::floor(passes))
    throw InputError(fmt::format("{}: metadata key 'mean_of' is '{}', expected a number of passes, 1 to {}",
                                 file, passes, kMostViews));
  scales.mean_of = static_cast<int>(passes);
  return scales;
}

}  // namespace

LoadedModel load_for_discover(const DiscoverOptions& options) {
  LoadedModel loaded;
  loaded.device = choose_device(options.device);
  loaded.dtype = choose_type(options.precision, loaded.device);
  const std::filesystem::path file = find_model(options.model);
  auto model = std::make_shared<Model>(load_model(file));
  loaded.name = file.stem().string();
  loaded.sha256 = sha256_of_file(file);
  loaded.scales = stated_scales(*model, file.string());
  model->params.visit(
      [&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(loaded.device, loaded.dtype); });
  loaded.prepared = std::make_shared<PreparedModel>(model->params, model->config);
  loaded.model = std::move(model);
  return loaded;
}

}  // namespace causcale
