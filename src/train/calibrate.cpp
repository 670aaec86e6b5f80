#include "train/calibrate.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "causcale/error.h"
#include "data/safetensors.h"
#include "discover/views.h"
#include "metrics/calibration.h"
#include "metrics/temperature.h"
#include "model/causcale.h"
#include "train/batches.h"

namespace causcale {
namespace {

constexpr std::uint32_t kStagePurpose = 0x43414c49;  // random streams of its own
// Moves to seeds that training does not use.
constexpr std::uint64_t kHeldOut = 0x9E3779B97F4A7C15;

struct Pairs {
  std::vector<double> probabilities;
  std::vector<unsigned char> truth;
};

CalibrationFigures figures(const Pairs& pairs, double temperature) {
  std::vector<double> scaled = pairs.probabilities;
  for (double& probability : scaled) probability = at_temperature(probability, temperature);
  const Calibration measured = calibration(scaled, pairs.truth);
  return {measured.expected_error, cross_entropy(scaled, pairs.truth), measured.brier};
}

void widen(TrainingRanges& ranges, const std::string& trait, double low, double high) {
  const auto [found, added] = ranges.try_emplace(trait, TraitRange{low, high});
  if (added) return;
  found->second.low = std::min(found->second.low, low);
  found->second.high = std::max(found->second.high, high);
}

// Sizes that a stage may draw, whether or not they were drawn here.
void widen_by_sizes(TrainingRanges& ranges, const Stage& stage) {
  if (!stage.folder.empty()) return;
  for (const SizeRange& size : stage.data.nodes.values()) widen(ranges, "columns", size.low, size.high);
  for (const SizeRange& size : stage.data.rows.values()) widen(ranges, "rows", size.low, size.high);
}

void append(const at::Tensor& probabilities, const at::Tensor& adjacency, Pairs& pairs) {
  const at::Tensor scores = probabilities.to(at::kCPU, at::kDouble).contiguous();
  const std::int64_t n = scores.size(-1);
  const double* score = scores.data_ptr<double>();
  const std::uint8_t* edge = adjacency.data_ptr<std::uint8_t>();
  for (std::int64_t k = 0; k < n * n; ++k) {
    if (k % (n + 1) == 0) continue;  // the diagonal
    pairs.probabilities.push_back(score[k]);
    pairs.truth.push_back(edge[k]);
  }
}

// As discover would ask the network.
at::Tensor mean_over_views(const LoadedModel& loaded, const ModelInput& input, const Dataset& table) {
  const int views = usual_views(*loaded.model);
  at::Tensor sum;
  for (int view = 0; view < views; ++view) {
    const at::Tensor probabilities =
        edge_probabilities(loaded.model->params, loaded.model->config,
                           mirrored(input, std::span(&table, 1), std::span(&view, 1)))
            .to(at::kCPU, at::kDouble);
    sum = view == 0 ? probabilities : sum + probabilities;
  }
  return sum / views;
}

}  // namespace

CalibrateResult calibrate_model(const LoadedModel& loaded, const TrainConfig& config,
                                const CalibrateOptions& options) {
  if (options.graphs < 2)
    throw UsageError(fmt::format("calibration needs at least 2 data sets, {} asked for", options.graphs));
  at::set_num_threads(resolve_threads(options.threads));
  std::vector<ExampleSource> sources;
  for (const Stage& stage : config.stages) sources.emplace_back(stage, options.threads);
  const std::uint64_t seed = config.seed ^ kHeldOut ^ options.seed;
  CalibrateResult result;
  for (const Stage& stage : config.stages) widen_by_sizes(result.ranges, stage);
  if (!options.grown_from.empty()) widen_by_model(options.grown_from, result.ranges);

  Pairs fitting, held_out;
  const at::TensorOptions target = at::TensorOptions(loaded.device).dtype(loaded.dtype);
  for (int k = 0; k < options.graphs; ++k) {
    if (options.progress) options.progress(k);
    const auto number = static_cast<std::uint32_t>(k);
    RandomStream random(seed, number, kStagePurpose);
    const std::size_t stage = config.stage_at(random.uniform() * config.total_length());
    BatchPlan plan = plan_batch(config, sources[stage], seed, stage, k, number);
    plan.graphs = 1;
    const Dataset table = sources[stage].table(plan.rows, plan.nodes, seed, number);
    for (const auto& [trait, value] : table_traits(table)) widen(result.ranges, trait, value, value);
    const Batch batch = make_batch(sources[stage], plan, seed, /*pinned=*/false);
    const ModelInput input{batch.input.data.to(target), batch.input.prior.to(target), {}, {}};
    append(mean_over_views(loaded, input, table), batch.adjacency, k % 2 == 0 ? fitting : held_out);
  }

  result.graphs = options.graphs;
  result.pairs = held_out.truth.size();
  result.temperature = fit_temperature(fitting.probabilities, fitting.truth);
  result.temperature_before = loaded.temperature;
  result.before = figures(held_out, result.temperature_before);
  result.after = figures(held_out, result.temperature);
  return result;
}

void widen_by_model(const std::filesystem::path& earlier, TrainingRanges& ranges) {
  const SafetensorsFile file(earlier);
  const TrainingRanges stated = stated_ranges(file.content().metadata);
  if (stated.empty())
    throw InputError(fmt::format("{}: its metadata do not say what it was trained on (trained_columns, ...)",
                                 earlier.string()));
  for (const auto& [trait, range] : stated) widen(ranges, trait, range.low, range.high);
}

void write_calibrated(const std::filesystem::path& model, const std::filesystem::path& out,
                      const CalibrateResult& result) {
  const SafetensorsFile file(model);
  SafetensorsContent content = file.content();
  content.metadata["temperature"] = fmt::format("{:.6g}", result.temperature);
  for (const auto& [key, value] : ranges_as_metadata(result.ranges)) content.metadata[key] = value;
  write_safetensors(out, content);
}

}  // namespace causcale
