// Model files, as safetensors of any content: whatever they claim, the weights and the second stage are of
// the sizes that the reader promises, or there is an InputError; likewise what is stored of examples for a
// second stage.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "causcale/error.h"
#include "core/card.h"
#include "core/cpu/network_cpu.h"
#include "core/weights.h"
#include "discover/stacking/companion.h"
#include "discover/stacking/stacked_model.h"
#include "discover/stacking/stacking_examples.h"
#include "support/random_model.h"
#include "target.h"

namespace {

using namespace causcale;

void require(bool holds) {
  if (!holds) std::abort();
}

std::filesystem::path scratch_file() {
  return std::filesystem::temp_directory_path() /
         ("weights_fuzz_" + std::to_string(getpid()) + ".safetensors");
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  in.close();
  std::filesystem::remove(path);
  return bytes;
}

void check(const StackedModel& model) {
  require(model.mean().size() == kPairInputs && model.scale().size() == kPairInputs);
  require(!model.members().empty());
  for (const PairNetwork& member : model.members())
    require(member.first.cols() == static_cast<Eigen::Index>(kPairInputs) &&
            member.first.rows() == member.second.cols() && member.second.rows() == member.last.cols() &&
            member.last.rows() == kPairLogits);
}

void check(const core::StoredWeights& weights, const ModelConfig& config) {
  const auto width = static_cast<std::size_t>(config.embed_dim);
  require(weights.blocks.size() == static_cast<std::size_t>(config.blocks));
  require(weights.final_norm.weight.size() == width);
}

void read_model(const std::filesystem::path& path) {
  core::WeightFile file(path);
  if (const auto stacked = read_stacked_model(file)) check(*stacked);
  if (const auto metadata = companion_metadata(file.metadata()); !metadata.empty()) {
    const ModelConfig config = parse_card(metadata, file.name()).config;
    core::NestedWeights nested(file, kCompanionPrefix);
    if (core::runs_on_the_core(config)) check(core::read_weights(nested, config), config);
  }
  check(core::read_weights(file), file.config());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path = scratch_file();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    read_model(path);
  } catch (const InputError&) {
  }
  try {
    const StackingExample example = read_stacking_example(path);
    const std::size_t n = example.statistics.columns;
    require(example.network.edges.rows() == n && example.adjacency.cols() == n);
  } catch (const InputError&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  const auto path = scratch_file();
  std::vector<std::string> seeds;
  ModelConfig tiny;
  tiny.blocks = 1;
  tiny.embed_dim = 2;
  tiny.heads = 1;
  tiny.ffn_dim = 2;
  test::write_random_model(path, tiny);
  const StackedModel stacked(std::vector<float>(kPairInputs, 0.0f), std::vector<float>(kPairInputs, 1.0f),
                             {PairNetwork::random(static_cast<int>(kPairInputs), 1, 1, 0)});
  const std::filesystem::path both = path.string() + ".both";
  write_with_stacking(path, {}, stacked, {{"tables", "3"}}, both);
  seeds.push_back(bytes_of(both));
  write_with_stacking(path, path, stacked, {}, both);
  seeds.push_back(bytes_of(both));
  seeds.push_back(bytes_of(path));
  const Matrix<double> said(2, 2);
  const Matrix<std::uint8_t> truth(2, 2);
  write_stacking_example({"w", PairStatistics(2), {said, said, said}, truth, truth}, path);
  seeds.push_back(bytes_of(path));
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"stacking\":\"2\"",
          "stacking.0.first",
          "stacking.1.first",
          "\"network\"",
          "\"shape\":[1000000000,0]",
          "\"shape\":[0]",
          "[0,0]",
          "\"dtype\":\"BF16\"",
          "\"dtype\":\"F16\"",
          "\"dtype\":\"F64\"",
          "\"blocks\":\"2\"",
          "\"embed_dim\":\"4\"",
          "nan"};
}
