#include "learn/networks/checkpoint.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/safetensors.h"
#include "causcale/error.h"
#include "core/weights.h"

namespace causcale {
namespace {

// In-memory name parts and what they are called on file; the first matching rule of each position applies.
const std::vector<std::pair<std::string, std::string>>& renamings() {
  static const std::vector<std::pair<std::string, std::string>> rules = {
      {"embed_data_norm.", "encoder.data_layer_norm_before."},
      {"embed_graph_norm.", "encoder.graph_layer_norm_before."},
      {"final_norm.", "encoder.graph_layer_norm_after."},
      {"embed_data.", "encoder.embed_data."},
      {"embed_graph.", "encoder.embed_graph."},
      {"head.", "top_layer."},
      {"blocks.", "encoder.layers."},
      {".data2graph.", ".data2graph_layer.axial_layer."},
      {".data.", ".data_layer."},
      {".graph.", ".graph_layer."},
      {".u.", ".data2graph_layer.proj_u."},
      {".v.", ".data2graph_layer.proj_v."},
      {".fuse.", ".linear."},
      {".row.norm.", ".row_self_attention.layer_norm."},
      {".column.norm.", ".column_self_attention.layer_norm."},
      {".feed_forward.norm.", ".feed_forward_layer.layer_norm."},
      {".row.", ".row_self_attention.layer."},
      {".column.", ".column_self_attention.layer."},
      {".feed_forward.", ".feed_forward_layer.layer."},
      {".out.", ".out_proj."},
      {".up.", ".fc1."},
      {".down.", ".fc2."},
      {".first.", ".linear."},
      {".second.", ".linear2."},
      {".norm.", ".layer_norm."},
  };
  return rules;
}

// The rules look at different places of a name, so one pass over them in order is enough.
std::string stored_name(std::string name) {
  for (const auto& [from, to] : renamings()) {
    const bool at_start = from.front() != '.';
    const std::size_t found = name.find(from);
    if (found == std::string::npos || (at_start && found != 0)) continue;
    name.replace(found, from.size(), to);
  }
  return name;
}

// Of all blocks together.
double least_parameters(const ModelConfig& config) {
  const double d = config.embed_dim;
  if (config.architecture == Architecture::kAvici)
    return 2.0 * config.blocks * d * (4.0 * config.heads * config.key_dim + 2.0 * config.ffn_dim);
  if (config.architecture == Architecture::kSea) return config.blocks * 16.0 * d * d;
  return config.blocks * 20.0 * d * d;
}

}  // namespace

void visit_stored(const ModelParams& params,
                  const std::function<void(const std::string& name, const at::Tensor& view)>& visitor) {
  params.visit([&](const std::string& name, const at::Tensor& tensor) {
    // No other program has such files.
    if (name.starts_with("avici.") || name.starts_with("sea.")) return visitor(name, tensor);
    const std::size_t qkv = name.find(".qkv.");
    if (qkv == std::string::npos) return visitor(stored_name(name), tensor);
    const std::int64_t d = tensor.size(0) / 3;
    const char* projections[] = {".q_proj.", ".k_proj.", ".v_proj."};
    for (int p = 0; p < 3; ++p) {
      std::string part = name;
      part.replace(qkv, 5, projections[p]);
      visitor(stored_name(part), tensor.narrow(0, p * d, d));
    }
  });
}

Model load_model(const std::filesystem::path& path) {
  core::WeightFile file(path);
  Model model;
  model.metadata = file.metadata();
  model.config = file.config();
  // The metadata alone must not make us allocate more than the file could fill: two bytes a value are the
  // least that is accepted.
  if (2.0 * least_parameters(model.config) > static_cast<double>(file.tensor_bytes()))
    throw InputError(fmt::format("{}: the metadata speak of {} blocks of width {}, more than the file holds",
                                 path.string(), model.config.blocks, model.config.embed_dim));
  model.params = empty_parameters(model.config);
  visit_stored(model.params, [&](const std::string& name, const at::Tensor& target) {
    std::vector<float> values = file.take(name, target.sizes().vec());
    const_cast<at::Tensor&>(target).copy_(at::from_blob(values.data(), target.sizes(), at::kFloat));
  });
  file.check_all_taken();
  return model;
}

void save_model(const std::filesystem::path& path, const ModelConfig& config, const ModelParams& params,
                StoredType type, const std::map<std::string, std::string>& remarks) {
  SafetensorsContent content;
  content.metadata = config.to_metadata();
  content.metadata.insert(remarks.begin(), remarks.end());
  std::vector<at::Tensor> kept;  // what the views below point into
  visit_stored(params, [&](const std::string& name, const at::Tensor& view) {
    kept.push_back(
        view.detach()
            .to(at::TensorOptions(at::kCPU).dtype(type == StoredType::kBF16 ? at::kBFloat16 : at::kFloat))
            .contiguous());
    const at::Tensor& tensor = kept.back();
    content.tensors.push_back({name,
                               type == StoredType::kBF16 ? "BF16" : "F32",
                               tensor.sizes().vec(),
                               {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()}});
  });
  write_safetensors(path, content);
}

}  // namespace causcale
