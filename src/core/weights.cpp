#include "core/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale::core {
namespace {

// Builds the file's names: "encoder.layers.0.data_layer.row_self_attention.layer.q_proj.weight", ...
class Reader {
 public:
  explicit Reader(WeightSource& source) : source_(source) {}

  StoredLinear linear(const std::string& name, std::int64_t out, std::int64_t in) {
    return {out, in, source_.take(name + ".weight", {out, in}), source_.take(name + ".bias", {out})};
  }
  StoredNorm norm(const std::string& name, std::int64_t d) {
    return {source_.take(name + ".weight", {d}), source_.take(name + ".bias", {d})};
  }
  StoredAttention attention(const std::string& name, std::int64_t d) {
    const std::string layer = name + ".layer.";
    return {norm(name + ".layer_norm", d), linear(layer + "q_proj", d, d), linear(layer + "k_proj", d, d),
            linear(layer + "v_proj", d, d), linear(layer + "out_proj", d, d)};
  }
  StoredAxial axial(const std::string& name, std::int64_t d, std::int64_t ffn) {
    const std::string feed_forward = name + ".feed_forward_layer";
    return {attention(name + ".row_self_attention", d), attention(name + ".column_self_attention", d),
            norm(feed_forward + ".layer_norm", d), linear(feed_forward + ".layer.fc1", ffn, d),
            linear(feed_forward + ".layer.fc2", d, ffn)};
  }
  StoredProjection projection(const std::string& name, std::int64_t in, std::int64_t out) {
    return {linear(name + ".linear", in, in), norm(name + ".layer_norm", in),
            linear(name + ".linear2", out, in)};
  }
  StoredBlock block(const std::string& name, const ModelConfig& config) {
    const std::int64_t d = config.embed_dim, ffn = config.ffn_dim;
    const std::string data2graph = name + ".data2graph_layer";
    StoredBlock block;
    block.data = axial(name + ".data_layer", d, ffn);
    block.data2graph = axial(data2graph + ".axial_layer", d, d);
    block.u = projection(data2graph + ".proj_u", d, d);
    block.v = projection(data2graph + ".proj_v", d, d);
    block.fuse = linear(name + ".linear", d, d + 1);
    if (config.use_graph_stream) block.graph = axial(name + ".graph_layer", d, ffn);
    return block;
  }

 private:
  WeightSource& source_;
};

float from_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half} >> 15 << 31;
  const int exponent = half >> 10 & 31;
  const float fraction = static_cast<float>(half & 1023) / 1024.0f;
  const float size = exponent == 0    ? std::ldexp(fraction, -14)
                     : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                      : std::ldexp(1.0f + fraction, exponent - 15);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
}

template <class Stored, class Convert>
std::vector<float> converted(std::span<const std::byte> bytes, const Convert& convert) {
  std::vector<float> values(bytes.size() / sizeof(Stored));
  for (std::size_t k = 0; k < values.size(); ++k) {
    Stored stored;  // a tensor may start at any byte of the file
    std::memcpy(&stored, bytes.data() + k * sizeof stored, sizeof stored);
    values[k] = convert(stored);
  }
  return values;
}

// The reference carries this layer norm without ever using it; files may have it or not. The second stage of
// a model (discover/stacking) is read by those who have a use for it.
bool is_unused(const std::string& name) {
  return name.starts_with("encoder.data_layer_norm_after.") || name.starts_with("stacking.");
}

std::vector<float> values(const TensorView& tensor, const std::string& file) {
  if (tensor.dtype == "BF16")
    return converted<std::uint16_t>(
        tensor.bytes, [](std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); });
  if (tensor.dtype == "F16") return converted<std::uint16_t>(tensor.bytes, from_half);
  if (tensor.dtype == "F32") return converted<float>(tensor.bytes, [](float value) { return value; });
  if (tensor.dtype == "F64")
    return converted<double>(tensor.bytes, [](double value) { return static_cast<float>(value); });
  throw InputError(fmt::format("{}: tensor '{}' has dtype {}, accepted are BF16, F16, F32, F64", file,
                               tensor.name, tensor.dtype));
}

}  // namespace

StoredWeights read_weights(WeightSource& source, const ModelConfig& config) {
  Reader read(source);
  const std::int64_t d = config.embed_dim;
  StoredWeights weights;
  weights.embed_data = read.linear("encoder.embed_data", d, config.channels.data_width());
  weights.embed_graph = read.linear("encoder.embed_graph", d, 1 + config.channels.pair_width());
  weights.embed_data_norm = read.norm("encoder.data_layer_norm_before", d);
  weights.embed_graph_norm = read.norm("encoder.graph_layer_norm_before", d);
  weights.final_norm = read.norm("encoder.graph_layer_norm_after", d);
  for (int b = 0; b < config.blocks; ++b)
    weights.blocks.push_back(read.block(fmt::format("encoder.layers.{}", b), config));
  weights.head = config.head == HeadKind::kPairwise
                     ? read.projection("top_layer", 2 * d, config.pair_logits())
                     : read.projection("top_layer", d, 1);
  return weights;
}

WeightFile::WeightFile(const std::filesystem::path& path)
    : file_(path), name_(path.string()), config_(ModelConfig::from_metadata(metadata(), name_)) {
  for (const TensorView& tensor : file_.content().tensors) tensors_[tensor.name] = &tensor;
}

std::size_t WeightFile::tensor_bytes() const {
  std::size_t bytes = 0;
  for (const TensorView& tensor : file_.content().tensors) bytes += tensor.bytes.size();
  return bytes;
}

std::int64_t WeightFile::rows(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  return found == tensors_.end() || found->second->shape.empty() ? 0 : found->second->shape.front();
}

std::vector<float> WeightFile::take(const std::string& name, const std::vector<std::int64_t>& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw InputError(
        fmt::format("{}: tensor '{}' of shape [{}] is missing, which the configuration in the metadata asks "
                    "for ({} blocks, width {})",
                    name_, name, fmt::join(shape, ", "), config_.blocks, config_.embed_dim));
  const TensorView& tensor = *found->second;
  if (tensor.shape != shape)
    throw InputError(
        fmt::format("{}: tensor '{}' has shape [{}], the configuration in the metadata asks for [{}]", name_,
                    name, fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  tensors_.erase(found);
  std::vector<float> taken = values(tensor, name_);
  release_pages(tensor.bytes);
  return taken;
}

void WeightFile::check_all_taken() const {
  for (const auto& [name, tensor] : tensors_)
    if (!is_unused(name))
      throw InputError(fmt::format(
          "{}: tensor '{}' has no place in a model with {} blocks of width {} and {} "
          "head",
          name_, name, config_.blocks, config_.embed_dim,
          config_.architecture == Architecture::kCauScale ? config_.to_metadata().at("head")
                                                          : architecture_name(config_.architecture) + "'s"));
}

StoredWeights read_weights(WeightFile& file) {
  StoredWeights weights = read_weights(file, file.config());
  file.check_all_taken();
  return weights;
}

}  // namespace causcale::core
