// Models on disk: a safetensors file with the weights, and the configuration in its metadata.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/config.h"
#include "learn/networks/parameters.h"

namespace causcale {

// Visits every weight as it is stored on file: under the reference implementation's names
// ("encoder.layers.0.data_layer.row_self_attention.layer.q_proj.weight", ...), q, k and v each by itself. The
// tensors are views into the parameters.
void visit_stored(const ModelParams& params,
                  const std::function<void(const std::string& name, const at::Tensor& view)>& visitor);

struct Model {
  ModelConfig config;
  ModelParams params;  // fp32 on the CPU, whatever the file's type
  std::map<std::string, std::string> metadata;
};

// Missing, superfluous or misshapen tensors, unsuitable types and wrong configurations throw InputError.
Model load_model(const std::filesystem::path& path);

enum class StoredType { kBF16, kF32 };

// `remarks` are further metadata (training data, cost, scores); keys of the configuration win.
void save_model(const std::filesystem::path& path, const ModelConfig& config, const ModelParams& params,
                StoredType type, const std::map<std::string, std::string>& remarks = {});

}  // namespace causcale
