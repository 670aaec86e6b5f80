// Weight files of small models with weights drawn at random.
#pragma once

#include <cmath>
#include <filesystem>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/safetensors.h"
#include "core/weights.h"

namespace causcale::test {

// Weights of the size that a fresh network has, under whatever names are asked for.
class RandomWeights : public core::WeightSource {
 public:
  explicit RandomWeights(unsigned seed = 17) : random_(seed) {}
  std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) override {
    std::size_t size = 1;
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    const bool norm = name.find("norm") != std::string::npos;
    const float bound = norm ? 0.2f : 1.5f / std::sqrt(static_cast<float>(shape.back()));
    std::uniform_real_distribution<float> uniform(-bound, bound);
    std::vector<float> values(size);
    for (float& value : values) value = uniform(random_) + (norm && name.ends_with("weight") ? 1.0f : 0.0f);
    drawn_.push_back(values);
    tensors_.push_back({name, "F32", shape, std::as_bytes(std::span(drawn_.back()))});
    return values;
  }
  const std::vector<TensorView>& tensors() const { return tensors_; }

 private:
  std::mt19937 random_;
  std::list<std::vector<float>> drawn_;
  std::vector<TensorView> tensors_;
};

// One block, so small that a pass takes no time worth mentioning.
inline ModelConfig small_config() {
  ModelConfig config;
  config.blocks = 1;
  config.embed_dim = 16;
  config.heads = 2;
  config.ffn_dim = 16;
  return config;
}

inline void write_random_model(const std::filesystem::path& path, const ModelConfig& config,
                               const std::map<std::string, std::string>& remarks = {}) {
  RandomWeights source;
  core::read_weights(source, config);
  SafetensorsContent content{config.to_metadata(), source.tensors()};
  content.metadata.insert(remarks.begin(), remarks.end());
  write_safetensors(path, content);
}

}  // namespace causcale::test
