#include "discover/loaded_model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/sha256.h"
#include "causcale/error.h"
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

double stated_temperature(const Model& model, const std::string& file) {
  const auto stated = model.metadata.find("temperature");
  if (stated == model.metadata.end()) return 1.0;
  const std::string& text = stated->second;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    throw InputError(
        fmt::format("{}: metadata key 'temperature' is '{}', expected a positive number", file, text));
  return value;
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
  loaded.temperature = stated_temperature(*model, file.string());
  model->params.visit(
      [&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(loaded.device, loaded.dtype); });
  loaded.prepared = std::make_shared<PreparedModel>(model->params, model->config);
  loaded.model = std::move(model);
  return loaded;
}

}  // namespace causcale
