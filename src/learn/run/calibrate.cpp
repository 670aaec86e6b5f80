#include "learn/run/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
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
#include "learn/data/batches.h"
#include "metrics/calibration.h"

namespace causcale {
namespace {

// Moves to seeds that training does not use.
constexpr std::uint64_t kHeldOut = 0x9E3779B97F4A7C15;

struct Pairs {
  std::vector<double> probabilities, reverse, both;  // of a direction, of the other one, of both of them
  std::vector<unsigned char> truth;
};

// Answers as discover gives them, with the number of passes whose mean they are.
struct Answer {
  Pairs pairs;
  int passes = 1;
};

CalibrationFigures figures_of(const std::vector<double>& scaled, const std::vector<unsigned char>& truth) {
  const Calibration measured = calibration(scaled, truth);
  return {measured.expected_error, cross_entropy(scaled, truth), measured.brier};
}

CalibrationFigures figures(const std::vector<Answer>& answers, const AnswerScales& scales,
                           const AnswerScales& feedback) {
  std::vector<double> scaled;
  std::vector<unsigned char> truth;
  for (const Answer& answer : answers) {
    const ProbabilityScale scale = scales.of(answer.passes), of_both = feedback.of(answer.passes);
    for (std::size_t k = 0; k < answer.pairs.truth.size(); ++k)
      scaled.push_back(at_scale(answer.pairs.probabilities[k], answer.pairs.reverse[k], scale,
                                at_scale_alone(answer.pairs.both[k], of_both)));
    truth.insert(truth.end(), answer.pairs.truth.begin(), answer.pairs.truth.end());
  }
  return figures_of(scaled, truth);
}

CalibrationFigures figures_alone(const std::vector<Answer>& answers, const AnswerScales& scales) {
  std::vector<double> scaled;
  std::vector<unsigned char> truth;
  for (const Answer& answer : answers) {
    for (const double probability : answer.pairs.probabilities)
      scaled.push_back(at_scale_alone(probability, scales.of(answer.passes)));
    truth.insert(truth.end(), answer.pairs.truth.begin(), answer.pairs.truth.end());
  }
  return figures_of(scaled, truth);
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

// Of a model that tells feedback, an edge is there in both directions where they both are.
void append(const core::PairProbabilities& said, const ExampleSource::Known& known, Pairs& pairs) {
  const int n = static_cast<int>(said.edges.rows());
  const bool tells = !said.feedback.empty();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      pairs.probabilities.push_back(said.edges(i, j));
      pairs.reverse.push_back(said.edges(j, i));
      pairs.both.push_back(tells ? said.feedback(i, j) : 0.0);
      pairs.truth.push_back(known.graph.has_edge(i, j) ||
                            (tells && !known.pairs.feedback.empty() && known.pairs.feedback(i, j)));
    }
}

// Of an output, nothing where nobody knows.
void append(PairOutput output, const core::PairProbabilities& said, const ExampleSource::Known& known,
            Pairs& pairs) {
  const bool feedback = output == PairOutput::kFeedback;
  const Matrix<double>& probabilities = feedback ? said.feedback : said.confounded;
  const Matrix<std::uint8_t>& truth = feedback ? known.pairs.feedback : known.pairs.confounded;
  for (std::size_t i = 0; i < truth.rows(); ++i)
    for (std::size_t j = i + 1; j < truth.cols(); ++j) {
      pairs.probabilities.push_back(probabilities(i, j));
      pairs.truth.push_back(truth(i, j));
    }
}

// What discover would average: the answer to the first view, and the mean over all of them.
struct Answers {
  core::PairProbabilities first, mean;
};

// What scales are fitted to and measured on: first views, means of all views, and answers of other data sets.
struct Collected {
  Pairs single, means;
  std::vector<Answer> held_out;

  // `add` appends a table's pairs.
  template <class Add>
  void take(const Answers& answers, bool held, int views, int most_views, const Add& add) {
    if (held) {
      held_out.emplace_back().passes = views;
      add(answers.mean, held_out.back().pairs);
      return;
    }
    add(answers.first, single);
    if (views > 1 && views == most_views) add(answers.mean, means);
  }
  std::size_t held_out_pairs() const {
    std::size_t count = 0;
    for (const Answer& answer : held_out) count += answer.pairs.truth.size();
    return count;
  }
};

bool has_both_kinds(const std::vector<unsigned char>& truth) {
  return std::ranges::count(truth, 1) > 0 && std::ranges::count(truth, 0) > 0;
}

OutputCalibration calibrate_output(PairOutput output, const Collected& collected, const ModelCard& card) {
  OutputCalibration result{output, scales_of(card, output), false, {}, {}, collected.held_out_pairs(), 0};
  for (const Answer& answer : collected.held_out)
    result.there += static_cast<std::size_t>(std::ranges::count(answer.pairs.truth, 1));
  if (result.pairs > 0) result.before = result.after = figures_alone(collected.held_out, result.scales);
  if (!has_both_kinds(collected.single.truth)) return result;
  const ProbabilityScale single = fit_scale(collected.single.probabilities, collected.single.truth);
  result.scales = {single.temperature, single, 1, single.offset};
  if (has_both_kinds(collected.means.truth)) {
    result.scales.mean = fit_scale(collected.means.probabilities, collected.means.truth);
    result.scales.mean_of = card.views;
  }
  result.fitted = true;
  if (result.pairs > 0) result.after = figures_alone(collected.held_out, result.scales);
  return result;
}

void add_share(const Matrix<double>& answer, int passes, Matrix<double>& mean) {
  if (mean.empty()) mean = Matrix<double>(answer.rows(), answer.cols());
  for (std::size_t k = 0; k < answer.size(); ++k) mean.data()[k] += answer.data()[k] / passes;
}

Answers ask(const LoadedModel& loaded, const Dataset& table, int views, const CalibrateOptions& options) {
  DiscoverOptions asked;
  asked.views = views;
  asked.ensemble = 1;
  asked.block_columns = kNoBlocks;
  asked.max_samples = table.table.rows();
  asked.threads = options.threads;
  const Settings settings = settle(asked, loaded, table.table.rows(), table.table.cols());
  Dataset ordered = in_canonical_order(table, options.threads);
  transform_values(ValueTransform::kAuto, loaded.card->transform, ordered.table);
  const std::span<const Dataset> tables(&ordered, 1);
  const std::vector<float> priors =
      make_priors(settings, tables, {.scale = settings.prior_scale, .rows = {}});
  Answers answers;
  ask_network(settings, tables, priors, 0, {}, [&](int view, std::span<const core::PairProbabilities> said) {
    if (view == 0) answers.first = said.front();
    add_share(said.front().edges, settings.passes(), answers.mean.edges);
    add_share(said.front().feedback, settings.passes(), answers.mean.feedback);
    add_share(said.front().confounded, settings.passes(), answers.mean.confounded);
  });
  return answers;
}

// Under the keys that the card reads (core/card.h).
void write_scales(const std::string& name, const AnswerScales& scales,
                  std::map<std::string, std::string>& metadata) {
  metadata[name + "temperature"] = fmt::format("{:.6g}", scales.temperature);
  for (const char* key : {"mean_of", "mean_temperature", "mean_offset"}) metadata.erase(name + key);
  if (scales.mean_of == 1) return;
  metadata[name + "mean_of"] = fmt::format("{}", scales.mean_of);
  metadata[name + "mean_temperature"] = fmt::format("{:.6g}", scales.mean.temperature);
  metadata[name + "mean_offset"] = fmt::format("{:.6g}", scales.mean.offset);
}

}  // namespace

CalibrateResult calibrate_model(const LoadedModel& loaded, const TrainConfig& config,
                                const CalibrateOptions& options) {
  if (options.graphs < 2)
    throw UsageError(fmt::format("calibration needs at least 2 data sets, {} asked for", options.graphs));
  std::vector<ExampleSource> sources;
  const ModelCard& card = *loaded.card;
  const PairOutputs& outputs = card.config.outputs;
  for (Stage stage : config.stages) {
    stage.data.outputs = outputs;  // the model's, whatever it is calibrated with
    sources.emplace_back(stage, options.threads);
  }
  const std::uint64_t seed = config.seed ^ kHeldOut ^ options.seed;
  CalibrateResult result;
  for (const Stage& stage : config.stages) widen_by_sizes(result.ranges, stage);
  if (!options.grown_from.empty()) widen_by_model(options.grown_from, result.ranges);

  Collected edges;
  std::vector<Collected> of_outputs(outputs.size());
  for (int k = 0; k < options.graphs; ++k) {
    if (options.progress) options.progress(k);
    const auto number = static_cast<std::uint32_t>(k);
    RandomStream random(seed, number, Purpose::kCalibrationStage);
    const std::size_t stage = config.stage_at(random.uniform() * config.total_length());
    BatchPlan plan = plan_batch(config, sources[stage], seed, stage, k, number);
    plan.graphs = 1;
    const ExampleSource::Known known = sources[stage].known(plan.rows, plan.nodes, seed, number);
    const Dataset& table = known.table;
    for (const auto& [trait, value] : table_traits(table)) widen(result.ranges, trait, value, value);
    const int views = views_in_reach(card.config, card.views, 1, table.table.rows(), table.table.cols());
    const Answers answers = ask(loaded, table, views, options);
    const bool held = k % 2 == 1;
    edges.take(answers, held, views, card.views,
               [&](const core::PairProbabilities& said, Pairs& pairs) { append(said, known, pairs); });
    for (std::size_t o = 0; o < outputs.size(); ++o)
      of_outputs[o].take(
          answers, held, views, card.views,
          [&](const core::PairProbabilities& said, Pairs& pairs) { append(outputs[o], said, known, pairs); });
  }

  result.graphs = options.graphs;
  result.pairs = edges.held_out_pairs();
  AnswerScales feedback = card.feedback;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    result.outputs.push_back(calibrate_output(outputs[o], of_outputs[o], card));
    if (outputs[o] == PairOutput::kFeedback) feedback = result.outputs.back().scales;
  }
  result.temperature_before = card.scales.temperature;
  result.before = figures(edges.held_out, card.scales, card.feedback);
  result.scales.temperature = fit_temperature(edges.single.probabilities, edges.single.truth);
  if (std::ranges::count(edges.means.truth, 1) > 0) {
    result.scales.mean = fit_scale(edges.means.probabilities, edges.means.truth);
    result.scales.mean_of = card.views;
  }
  result.after = figures(edges.held_out, result.scales, feedback);
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
  write_scales("", result.scales, content.metadata);
  for (const OutputCalibration& calibrated : result.outputs) {
    if (!calibrated.fitted) continue;
    const std::string name = name_of(kPairOutputNames, calibrated.output) + "_";
    write_scales(name, calibrated.scales, content.metadata);
    content.metadata[name + "offset"] = fmt::format("{:.6g}", calibrated.scales.offset);
  }
  for (const auto& [key, value] : ranges_as_metadata(result.ranges)) content.metadata[key] = value;
  write_safetensors(out, content);
}

}  // namespace causcale
