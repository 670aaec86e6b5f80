// The weights of a model as its file stores them: checked by name and shape against the configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

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
  StoredLinear embed_data, embed_graph;  // [d, 2], [d, 1]
  StoredNorm embed_data_norm, embed_graph_norm, final_norm;
  std::vector<StoredBlock> blocks;
  StoredProjection head;  // [2d, 2d], [3, 2d]; of the vanilla head [d, d], [1, d]
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

struct ModelFile {
  std::map<std::string, std::string> metadata;
  ModelConfig config;
  StoredWeights weights;
};

// Missing, superfluous or misshapen tensors, unsuitable types and wrong configurations throw InputError.
ModelFile read_model_file(const std::filesystem::path& path);

}  // namespace causcale::core
