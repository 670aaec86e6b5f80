#include "model/checkpoint.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <utility>

#include "base/safetensors.h"
#include "causcale/error.h"

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

// The reference carries this layer norm without ever using it; files may have it or not.
bool is_unused(const std::string& name) {
  return name.starts_with("encoder.data_layer_norm_after.");
}

std::string shape_text(at::IntArrayRef shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

at::ScalarType scalar_type(const TensorView& view, const std::string& file) {
  if (view.dtype == "BF16") return at::kBFloat16;
  if (view.dtype == "F16") return at::kHalf;
  if (view.dtype == "F32") return at::kFloat;
  if (view.dtype == "F64") return at::kDouble;
  throw InputError(fmt::format("{}: tensor '{}' has dtype {}, accepted are BF16, F16, F32, F64", file,
                               view.name, view.dtype));
}

}  // namespace

void visit_stored(const ModelParams& params,
                  const std::function<void(const std::string& name, const at::Tensor& view)>& visitor) {
  params.visit([&](const std::string& name, const at::Tensor& tensor) {
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
  const SafetensorsFile file(path);
  const std::string name = path.string();
  Model model;
  model.metadata = file.content().metadata;
  model.config = ModelConfig::from_metadata(model.metadata, name);
  std::map<std::string, const TensorView*> stored;
  std::size_t stored_values = 0;
  for (const TensorView& view : file.content().tensors) {
    stored[view.name] = &view;
    stored_values += view.bytes.size() / 2;  // two bytes a value are the least that is accepted
  }
  // The metadata alone must not make us allocate more than the file could fill.
  const double d = model.config.embed_dim;
  if (double(model.config.blocks) * 20.0 * d * d > double(stored_values))
    throw InputError(fmt::format("{}: the metadata speak of {} blocks of width {}, more than the file holds",
                                 name, model.config.blocks, model.config.embed_dim));

  model.params = empty_parameters(model.config);
  visit_stored(model.params, [&](const std::string& key, const at::Tensor& target) {
    const auto found = stored.find(key);
    if (found == stored.end())
      throw InputError(
          fmt::format("{}: tensor '{}' of shape {} is missing, which the configuration in the metadata "
                      "asks for ({} blocks, width {})",
                      name, key, shape_text(target.sizes()), model.config.blocks, model.config.embed_dim));
    const TensorView& view = *found->second;
    if (target.sizes() != at::IntArrayRef(view.shape))
      throw InputError(
          fmt::format("{}: tensor '{}' has shape {}, the configuration in the metadata asks for {}", name,
                      key, shape_text(view.shape), shape_text(target.sizes())));
    // A copy first: a tensor may start at any byte of the file.
    at::Tensor raw = at::empty(view.shape, scalar_type(view, name));
    std::copy(view.bytes.begin(), view.bytes.end(), static_cast<std::byte*>(raw.data_ptr()));
    const_cast<at::Tensor&>(target).copy_(raw);
    stored.erase(found);
  });
  for (const auto& [key, view] : stored)
    if (!is_unused(key))
      throw InputError(fmt::format(
          "{}: tensor '{}' has no place in a model with {} blocks of width {} and {} head", name, key,
          model.config.blocks, model.config.embed_dim, model.config.to_metadata().at("head")));
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
