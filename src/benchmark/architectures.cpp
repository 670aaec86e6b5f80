#include "benchmark/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "base/safetensors.h"
#include "benchmark/study_parts.h"
#include "causcale/error.h"
#include "core/config.h"

namespace causcale {
namespace {

using nlohmann::ordered_json;

const std::vector<GraphSize> kSizes = {{20, 40}, {50, 100}, {100, 400}, {200, 400}, {500, 1000}};
const std::vector<Mechanism> kMechanisms = {Mechanism::kLinear, Mechanism::kNeural,
                                            Mechanism::kNeuralAdditive};
constexpr double kValidations = 10.0;  // in a run

ordered_json tiny_model(Architecture architecture) {
  ordered_json model{{"architecture", architecture_name(architecture)},
                     {"blocks", 2},
                     {"embed_dim", 16},
                     {"heads", 2},
                     {"ffn_dim", 32}};
  if (architecture == Architecture::kAvici) model["key_dim"] = 8;
  if (architecture == Architecture::kSea)
    model.update({{"subset_variables", 4}, {"subset_rows", 100}, {"training_subsets", 4}, {"subsets", 10}});
  return model;
}

std::string label(const std::string& architecture) {
  return architecture == "avici" ? "AVICI" : architecture == "sea" ? "SEA" : "CauScale";
}

}  // namespace

std::string architecture_config(const std::string& architecture, const ArchitectureRequest& request) {
  const Architecture chosen = architecture_named(architecture);
  const ordered_json model =
      request.tiny ? tiny_model(chosen) : ordered_json{{"architecture", architecture_name(chosen)}};
  ordered_json settings = ordered_json::array();
  for (const int nodes : request.tiny ? std::vector<int>{5} : std::vector<int>{20, 100})
    for (const char* mechanism : {"linear", "nn", "nn_add"})
      settings.push_back({{"mechanism", mechanism},
                          {"nodes", nodes},
                          {"edges", nodes >= 100 ? 4 * nodes : 2 * nodes},
                          {"rows", request.train_rows},
                          {"count", request.tiny ? 4 : 16}});
  const ordered_json document{
      {"model", model},
      {"seed", 1},
      {"optimizer",
       {{"kind", "muon"},
        {"muon", {{"learning_rate", 0.02}, {"momentum", 0.95}, {"weight_decay", 0.1}}},
        {"adamw", {{"learning_rate", 1e-3}, {"beta1", 0.9}, {"beta2", 0.98}}},
        {"clip_norm", 1.0}}},
      {"schedule", {{"warmup_steps", request.tiny ? 5 : 100}}},
      {"average_decay", request.tiny ? 0.9 : 0.998},
      {"prior_scale", "raw"},
      {"usual_rows", request.train_rows},
      {"data",
       {{"graphs", {"er", "sf"}},
        {"mechanisms", {{"linear", 1}, {"nn", 1}, {"nn_add", 1}}},
        {"edges_per_node", {1, 2, 3, 4}},
        {"tokens", request.tokens}}},
      // Minutes, not steps: what an architecture makes of the same time is what is compared.
      {"stages",
       {{{"name", "n " + request.train_nodes},
         {"minutes", request.minutes},
         {"rows", request.train_rows},
         {"nodes", request.train_nodes}}}},
      {"checkpoint_minutes", 3},
      {"validation", {{"every_minutes", request.minutes / kValidations}, {"settings", settings}}}};
  return fmt::format("// {} for {:g} minutes, to compare architectures.\n{}\n", label(architecture),
                     request.minutes, document.dump(2));
}

std::filesystem::path architecture_model(const std::string& architecture,
                                         const ArchitectureRequest& request) {
  return request.folder / architecture / "model.safetensors";
}

double trained_minutes(const std::string& architecture, const ArchitectureRequest& request) {
  const std::filesystem::path file = architecture_model(architecture, request);
  if (!std::filesystem::exists(file)) return 0.0;
  const SafetensorsFile model(file);
  const auto found = model.content().metadata.find("training_minutes");
  if (found == model.content().metadata.end()) return 0.0;
  double minutes = 0.0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), minutes);
  return minutes;
}

Study architectures_study(const ArchitectureRequest& request) {
  Study study = new_study(request.study, "architectures", "Architectures, trained alike");
  study.headings = {"size", "architecture"};
  study.columns = {{"map", "mAP", 1, 100.0},
                   {"shd", "SHD", 1, 1.0},
                   {"auc", "AUC", 1, 100.0},
                   {"oa", "OA", 1, 100.0},
                   {"parent_aid", "parent AID", 3, 1.0},
                   {"ancestor_aid", "ancestor AID", 3, 1.0},
                   {"seconds", "time (s)", -1, 1.0},
                   {"peak_bytes", "peak MiB", 0, 1.0 / 1048576}};
  for (const GraphSize size : requested_sizes(request.study, kSizes))
    for (const std::string& architecture : request.architectures) {
      std::vector<TestSource> sources;
      for (const Mechanism mechanism : kMechanisms)
        sources.emplace_back(synthetic_setting(request.study, size, mechanism));
      Contender contender;
      contender.label = label(architecture);
      contender.model = architecture_model(architecture, request).string();
      contender.prior_units = PriorUnits::kRaw;
      contender.views = 1;
      study.rows.push_back({{size_label(size), contender.label},
                            contender,
                            sources,
                            "",
                            contender.label,
                            size_label(size),
                            0.0});
    }
  study.remarks = {
      fmt::format("{:g} minutes of training each, from scratch, on graphs of {} variables with {} rows: "
                  "linear, nn and nn_add, one seed.",
                  request.minutes, request.train_nodes, request.train_rows),
      fmt::format(
          "Test data: fresh graphs of seed {}, {} a mechanism, {} rows; every figure is the mean over "
          "the three mechanisms.",
          study.seed, study.graphs, requested_rows(request.study)),
      "Time and memory: one table from memory to probabilities, of SEA with its estimates."};
  return study;
}

Plot training_curves(const ArchitectureRequest& request) {
  Plot plot;
  plot.title = "Validation mAP against minutes of training";
  plot.x_label = "minutes of training";
  plot.y_label = "mean mAP (%)";
  plot.most_y = 100.0;
  for (const std::string& architecture : request.architectures) {
    const std::filesystem::path file = request.folder / architecture / "metrics.jsonl";
    PlotSeries series{label(architecture), {}};
    if (std::filesystem::exists(file)) {
      std::istringstream lines{std::string(MappedFile(file).text())};
      for (std::string line; std::getline(lines, line);) {
        const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (!entry.is_object() || !entry.contains("map") || entry["map"].empty()) continue;
        double sum = 0.0;
        for (const auto& [name, score] : entry["map"].items()) sum += score.get<double>();
        // Two digits are enough, and leave room between the marks of the axis.
        const double minutes = std::round(entry.value("seconds", 0.0) / 0.6) / 100.0;
        series.points.push_back({minutes, 100.0 * sum / static_cast<double>(entry["map"].size()), 0.0});
      }
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace causcale
