#include "train/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "base/safetensors.h"
#include "causcale/error.h"
#include "core/temperature.h"
#include "data/standardize.h"
#include "discover/estimate.h"
#include "discover/stacking/stacked_model.h"
#include "discover/transform.h"
#include "metrics/calibration.h"
#include "train/batches.h"

namespace causcale {
namespace {

// Moves to seeds that training does not use.
constexpr std::uint64_t kHeldOut = 0x9E3779B97F4A7C15;

struct Pairs {
  std::vector<double> probabilities, reverse;  // of a direction and of the other one
  std::vector<unsigned char> truth;
};

// Answers as discover gives them, with the number of passes whose mean they are.
struct Answer {
  Pairs pairs;
  int passes = 1;
};

CalibrationFigures figures(const std::vector<Answer>& answers, const AnswerScales& scales) {
  std::vector<double> scaled;
  std::vector<unsigned char> truth;
  for (const Answer& answer : answers) {
    const ProbabilityScale scale = scales.of(answer.passes);
    for (std::size_t k = 0; k < answer.pairs.truth.size(); ++k)
      scaled.push_back(at_scale(answer.pairs.probabilities[k], answer.pairs.reverse[k], scale));
    truth.insert(truth.end(), answer.pairs.truth.begin(), answer.pairs.truth.end());
  }
  const Calibration measured = calibration(scaled, truth);
  return {measured.expected_error, cross_entropy(scaled, truth), measured.brier};
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

void append(const Matrix<double>& probabilities, const Digraph& truth, Pairs& pairs) {
  const int n = static_cast<int>(probabilities.rows());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      pairs.probabilities.push_back(probabilities(i, j));
      pairs.reverse.push_back(probabilities(j, i));
      pairs.truth.push_back(truth.has_edge(i, j));
    }
}

// What discover would average: the answer to the first view, and the mean over all of them.
struct Answers {
  Matrix<double> first, mean;
};

Answers ask(const LoadedModel& loaded, const Dataset& table, int views, const CalibrateOptions& options) {
  DiscoverOptions asked;
  asked.views = views;
  asked.ensemble = 1;
  asked.max_samples = table.table.rows();
  asked.threads = options.threads;
  const Settings settings = settle(asked, loaded, table.table.rows(), table.table.cols());
  Dataset ordered = in_canonical_order(table, options.threads);
  transform_values(ValueTransform::kAuto, loaded.card->transform, ordered.table);
  const std::span<const Dataset> tables(&ordered, 1);
  const std::vector<float> priors =
      make_priors(settings, tables, {.scale = settings.prior_scale, .rows = {}});
  Answers answers{{}, Matrix<double>(table.table.cols(), table.table.cols())};
  ask_network(settings, tables, priors, 0, {}, [&](int view, std::span<const core::PairProbabilities> said) {
    const Matrix<double>& edges = said.front().edges;
    if (view == 0) answers.first = edges;
    for (std::size_t k = 0; k < edges.size(); ++k)
      answers.mean.data()[k] += edges.data()[k] / settings.passes();
  });
  return answers;
}

}  // namespace

CalibrateResult calibrate_model(const LoadedModel& loaded, const TrainConfig& config,
                                const CalibrateOptions& options) {
  if (options.graphs < 2)
    throw UsageError(fmt::format("calibration needs at least 2 data sets, {} asked for", options.graphs));
  std::vector<ExampleSource> sources;
  for (const Stage& stage : config.stages) sources.emplace_back(stage, options.threads);
  const std::uint64_t seed = config.seed ^ kHeldOut ^ options.seed;
  CalibrateResult result;
  for (const Stage& stage : config.stages) widen_by_sizes(result.ranges, stage);
  if (!options.grown_from.empty()) widen_by_model(options.grown_from, result.ranges);

  Pairs single, means;  // to fit to: first views, and means of all views
  std::vector<Answer> held_out;
  const int most_views = loaded.card->views;
  for (int k = 0; k < options.graphs; ++k) {
    if (options.progress) options.progress(k);
    const auto number = static_cast<std::uint32_t>(k);
    RandomStream random(seed, number, Purpose::kCalibrationStage);
    const std::size_t stage = config.stage_at(random.uniform() * config.total_length());
    BatchPlan plan = plan_batch(config, sources[stage], seed, stage, k, number);
    plan.graphs = 1;
    const auto [table, truth, pairs] = sources[stage].known(plan.rows, plan.nodes, seed, number);
    for (const auto& [trait, value] : table_traits(table)) widen(result.ranges, trait, value, value);
    const int views =
        views_in_reach(loaded.card->config, most_views, 1, table.table.rows(), table.table.cols());
    const Answers answers = ask(loaded, table, views, options);
    if (k % 2 == 1) {
      held_out.emplace_back().passes = views;
      append(answers.mean, truth, held_out.back().pairs);
      continue;
    }
    append(answers.first, truth, single);
    if (views > 1 && views == most_views) append(answers.mean, truth, means);
  }

  result.graphs = options.graphs;
  for (const Answer& answer : held_out) result.pairs += answer.pairs.truth.size();
  result.temperature_before = loaded.card->scales.temperature;
  result.before = figures(held_out, loaded.card->scales);
  result.scales.temperature = fit_temperature(single.probabilities, single.truth);
  if (std::ranges::count(means.truth, 1) > 0) {
    result.scales.mean = fit_scale(means.probabilities, means.truth);
    result.scales.mean_of = most_views;
  }
  result.after = figures(held_out, result.scales);
  return result;
}

void widen_by_model(const std::filesystem::path& earlier, TrainingRanges& ranges) {
  const SafetensorsFile file(earlier);
  const TrainingRanges stated = stated_ranges(file.content().metadata, earlier.string());
  if (stated.empty())
    throw InputError(fmt::format("{}: its metadata do not say what it was trained on (trained_columns, ...)",
                                 earlier.string()));
  for (const auto& [trait, range] : stated) widen(ranges, trait, range.low, range.high);
}

void write_calibrated(const std::filesystem::path& model, const std::filesystem::path& out,
                      const CalibrateResult& result) {
  const SafetensorsFile file(model);
  SafetensorsContent content = file.content();
  remove_stacking(content);  // it was fitted to other scales
  content.metadata["temperature"] = fmt::format("{:.6g}", result.scales.temperature);
  for (const char* key : {"mean_of", "mean_temperature", "mean_offset"}) content.metadata.erase(key);
  if (result.scales.mean_of > 1) {
    content.metadata["mean_of"] = fmt::format("{}", result.scales.mean_of);
    content.metadata["mean_temperature"] = fmt::format("{:.6g}", result.scales.mean.temperature);
    content.metadata["mean_offset"] = fmt::format("{:.6g}", result.scales.mean.offset);
  }
  for (const auto& [key, value] : ranges_as_metadata(result.ranges)) content.metadata[key] = value;
  write_safetensors(out, content);
}

}  // namespace causcale
