#include "benchmark/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "benchmark/study_parts.h"
#include "causcale/error.h"

namespace causcale {
namespace {

using nlohmann::ordered_json;

ModelConfig small_model() {
  ModelConfig config;
  config.blocks = 6;
  config.embed_dim = 64;
  config.heads = 8;
  config.ffn_dim = 256;
  return config;
}

}  // namespace

const std::vector<AblationVariant>& ablation_variants() {
  static const std::vector<AblationVariant> variants = {
      {"full", "the network as it is, with average pooling", [](ModelConfig&) {}},
      {"no_reduction", "all rows through every block",
       [](ModelConfig& config) { config.pooling = Pooling::kNone; }},
      {"max_pooling", "maximum of two rows", [](ModelConfig& config) { config.pooling = Pooling::kMax; }},
      {"strided_pooling", "every other row", [](ModelConfig& config) { config.pooling = Pooling::kStrided; }},
      {"no_prior", "the graph stream starts from ones",
       [](ModelConfig& config) { config.use_prior = false; }},
      {"no_graph_stream", "no attention in the graph stream",
       [](ModelConfig& config) { config.use_graph_stream = false; }},
      {"vanilla_attention", "an attention map for every line",
       [](ModelConfig& config) { config.attention = AttentionKind::kVanilla; }},
      {"vanilla_head", "one logit per ordered pair",
       [](ModelConfig& config) { config.head = HeadKind::kVanilla; }},
  };
  return variants;
}

std::string ablation_config(const AblationVariant& variant, std::int64_t steps) {
  ModelConfig config = small_model();
  variant.apply(config);
  ordered_json model = ordered_json::object();
  for (const auto& [key, value] : config.to_metadata())
    if (key != "format") model[key] = value;
  const ordered_json document{
      {"model", model},
      {"seed", 1},
      {"optimizer",
       {{"kind", "muon"},
        {"muon", {{"learning_rate", 0.02}, {"momentum", 0.95}, {"weight_decay", 0.1}}},
        {"adamw", {{"learning_rate", 1e-3}, {"beta1", 0.9}, {"beta2", 0.98}}},
        {"clip_norm", 1.0}}},
      {"schedule", {{"warmup_steps", std::min<std::int64_t>(100, steps / 10)}}},
      {"average_decay", 0.998},
      {"data",
       {{"graphs", {"er", "sf"}},
        {"mechanisms", {{"linear", 1}, {"nn", 1}, {"nn_add", 1}}},
        {"edges_per_node", {1, 2, 3, 4}},
        {"observational", 0.15},
        {"tokens", 320000}}},
      // Steps, not minutes: a slower variant sees the same data.
      {"stages",
       {{{"name", "n 10-50"},
         {"steps", steps},
         {"rows", 500},
         {"nodes", {{"10", 1}, {"20", 1}, {"50", 1}}}}}},
      {"validation",
       {{"settings",
         {{{"mechanism", "linear"}, {"nodes", 20}, {"edges", 80}},
          {{"mechanism", "nn"}, {"nodes", 20}, {"edges", 80}}}}}}};
  return fmt::format("// Ablation: {}.\n{}\n", variant.meaning, document.dump(2));
}

std::vector<std::filesystem::path> write_ablation_configs(const std::filesystem::path& folder,
                                                          std::int64_t steps) {
  std::vector<std::filesystem::path> files;
  for (const AblationVariant& variant : ablation_variants()) {
    files.push_back(folder / (variant.name + ".json"));
    write_file_atomically(files.back(), ablation_config(variant, steps));
  }
  return files;
}

Study ablation_study(const StudyRequest& request) {
  Study study = new_study(request, "ablation", "Variants of the network (table 3 and pictures)");
  if (request.variants.empty())
    throw UsageError(
        "benchmark ablation needs --variant NAME=FILE, a trained model for each variant; --write-configs DIR "
        "writes "
        "the configurations to train them by");
  require_network_only(request, study.name);
  study.headings = {"size", "variant"};
  study.columns = {{"map", "mAP", 1, 100.0},         {"shd", "SHD", 1, 1.0},
                   {"oa", "OA", 1, 100.0},           {"cyclic", "cyclic", 2, 1.0},
                   {"seconds", "time (s)", -1, 1.0}, {"peak_bytes", "peak MiB", 0, 1.0 / 1048576}};
  const std::vector<GraphSize> paper = {{10, 10}, {20, 80}, {50, 200}};
  const std::vector<Mechanism> mechanisms = requested_mechanisms(request, false).synthetic;
  const bool as_paper = requested_rows(request) == kPaperRows;
  for (const GraphSize size : requested_sizes(request, paper))
    for (const auto& [name, file] : request.variants) {
      std::vector<TestSource> sources;
      for (const Mechanism mechanism : mechanisms)
        sources.emplace_back(synthetic_setting(request, size, mechanism));
      Contender contender = requested_contenders(request, false).front();
      contender.label = contender.paper_name = name;
      contender.model = file.string();
      study.rows.push_back({{size_label(size), name},
                            contender,
                            sources,
                            as_paper ? fmt::format("n{}_e{}", size.nodes, size.edges) : "",
                            name,
                            size_label(size),
                            0.0});
    }
  study.remarks.push_back("Every figure is the mean over the mechanisms.");
  return study;
}

}  // namespace causcale
