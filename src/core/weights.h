// The weights of a model as its file stores them: checked by name and shape against the configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/safetensors.h"
#include "core/config.h"

namespace causcale::core {

struct StoredLinear {
  std::int64_t out = 0, in = 0;
  std::vector<float> weight;  // [out, in]
  std::vector<float> bias;    // [out]
};
struct StoredNorm {
  std::vector<float> weight, bias;  // [d]
};
struct StoredAttention {
  StoredNorm norm;
  StoredLinear q, k, v, out;  // [d, d]
};
struct StoredAxial {
  StoredAttention row;     // mixes the second axis
  StoredAttention column;  // mixes the first axis
  StoredNorm norm;         // of the feed-forward layer
  StoredLinear up, down;   // [F, d], [d, F]
};
struct StoredProjection {  // Linear, GELU, LayerNorm, Linear
  StoredLinear first;
  StoredNorm norm;
  StoredLinear second;
};
struct StoredBlock {
  StoredAxial data;
  StoredAxial data2graph;  // F = d
  StoredProjection u, v;
  StoredLinear fuse;  // [d, d + 1]: the graph's channels, then the message
  StoredAxial graph;  // empty where the configuration has no graph stream
};
struct StoredWeights {
  StoredLinear embed_data, embed_graph;  // [d, 2], [d, 1], more with the configuration's channels
  StoredNorm embed_data_norm, embed_graph_norm, final_norm;
  std::vector<StoredBlock> blocks;
  StoredProjection head;  // [2d, 2d], [3 + outputs, 2d]; of the vanilla head [d, d], [1, d]
};

// Where the weights come from: a file, or a test's numbers.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  // The numbers of tensor `name`, in row-major order. Throws InputError when it is missing or has another
  // shape.
  virtual std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) = 0;
};

StoredWeights read_weights(WeightSource& source, const ModelConfig& config);

// A weight file that stays mapped as long as this lives. Wrong configurations throw InputError when it is
// opened, unsuitable types when a tensor is taken.
class WeightFile : public WeightSource {
 public:
  explicit WeightFile(const std::filesystem::path& path);

  const std::map<std::string, std::string>& metadata() const { return file_.content().metadata; }
  const ModelConfig& config() const { return config_; }
  const std::string& name() const { return name_; }  // of the file, for messages
  // Whether a tensor of this name has not been taken yet, and its first dimension.
  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  std::int64_t rows(const std::string& tensor) const;
  std::size_t tensor_bytes() const;  // of all tensors together
  std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) override;
  // Throws InputError when a tensor is left that no model has.
  void check_all_taken() const;

 private:
  SafetensorsFile file_;
  std::string name_;  // of the file, for messages
  ModelConfig config_;
  std::map<std::string, const TensorView*> tensors_;  // not taken yet
};

// A network within the file of another one: its tensors have their usual names behind `prefix`.
class NestedWeights : public WeightSource {
 public:
  NestedWeights(WeightFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}
  std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) override {
    return file_.take(prefix_ + name, shape);
  }

 private:
  WeightFile& file_;
  std::string prefix_;
};

// All weights of a file, none missing and none left over.
StoredWeights read_weights(WeightFile& file);

}  // namespace causcale::core
