#include "discover/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/input.h"
#include "core/temperature.h"
#include "discover/block_estimate.h"
#include "discover/select.h"
#include "discover/stacking/companion.h"
#include "discover/stacking/stacked_model.h"
#include "graph/apply_knowledge.h"
#include "methods/column_codes.h"
#include "methods/imputation.h"

namespace causcale {

std::vector<float> make_priors(const Settings& settings, std::span<const Dataset> tables,
                               const PriorOptions& options) {
  const core::Network& network = *settings.loaded.network;
  const bool missing = std::ranges::any_of(tables, [](const Dataset& dataset) {
    return std::ranges::any_of(dataset.table.values.values(), [](double value) { return std::isnan(value); });
  });
  if (missing || options.method != PriorMethod::kAuto || !network.makes_priors(tables[0].table.cols()))
    return prior_input(tables, options);
  std::vector<float> priors;
  for (const Dataset& dataset : tables) {
    const Matrix<float> prior = network.precision_of_centred(
        centred_values(dataset.table.values, options.rows, options.seed, options.scale));
    priors.insert(priors.end(), prior.values().begin(), prior.values().end());
  }
  return priors;
}

void ask_network(const Settings& settings, std::span<const Dataset> tables, const std::vector<float>& priors,
                 std::uint64_t seed, const PassProgress& progress, const PassAnswer& answered) {
  const auto parts = deal_rows(tables[0].table.rows(), settings.parts, settings.rows_per_pass, seed);
  int pass = 0;
  for (int part = 0; part < settings.parts; ++part)
    for (int first = 0; first < settings.views; first += settings.views_at_once) {
      const int count = std::min(settings.views_at_once, settings.views - first);
      std::vector<int> views;
      for (int again = first; again < first + count; ++again)
        views.push_back((again * settings.parts + part) % settings.different_views);
      core::PassOptions options;
      options.threads = settings.threads;
      options.max_bytes = settings.pass_bytes;
      if (progress) options.progress = [&](double share) { progress(pass + share * count); };
      const std::vector<core::PairProbabilities> answers = settings.loaded.network->pair_probabilities(
          network_input(tables, priors, parts[static_cast<std::size_t>(part)], views,
                        settings.config().channels, settings.knowledge),
          options);
      for (std::size_t v = 0; v < views.size(); ++v)
        answered(views[v], std::span(answers).subspan(v * tables.size(), tables.size()));
      pass += count;
    }
}

namespace {

void add(const Matrix<double>& answer, Matrix<double>& sum) {
  if (sum.empty()) sum = Matrix<double>(answer.rows(), answer.cols());
  for (std::size_t k = 0; k < answer.size(); ++k) sum.data()[k] += answer.data()[k];
}

// Both directions are no more probable than either of them.
void bound_by_edges(const Matrix<double>& edges, Matrix<double>& feedback) {
  for (std::size_t i = 0; i < feedback.rows(); ++i)
    for (std::size_t j = 0; j < feedback.cols(); ++j)
      feedback(i, j) = std::min({feedback(i, j), edges(i, j), edges(j, i)});
}

std::vector<Matrix<double>> edges_of(std::vector<core::PairProbabilities> answers) {
  std::vector<Matrix<double>> edges;
  for (core::PairProbabilities& answer : answers) edges.push_back(std::move(answer.edges));
  return edges;
}

}  // namespace

std::vector<core::PairProbabilities> mean_answers(const Settings& settings, std::span<const Dataset> tables,
                                                  const std::vector<float>& priors, std::uint64_t seed,
                                                  const PassProgress& progress) {
  std::vector<core::PairProbabilities> means(tables.size());
  ask_network(settings, tables, priors, seed, progress,
              [&](int, std::span<const core::PairProbabilities> answers) {
                for (std::size_t b = 0; b < answers.size(); ++b) {
                  add(answers[b].edges, means[b].edges);
                  add(answers[b].feedback, means[b].feedback);
                  add(answers[b].confounded, means[b].confounded);
                }
              });
  for (core::PairProbabilities& mean : means)
    for (Matrix<double>* said : {&mean.edges, &mean.feedback, &mean.confounded})
      for (double& value : said->values()) value /= settings.passes();
  return means;
}

std::vector<core::PairProbabilities> scaled_answers(const Settings& settings, std::span<const Dataset> tables,
                                                    const std::vector<float>& priors, std::uint64_t seed,
                                                    const PassProgress& progress) {
  std::vector<core::PairProbabilities> results = mean_answers(settings, tables, priors, seed, progress);
  const ModelCard& card = *settings.loaded.card;
  const int passes = settings.passes();
  for (core::PairProbabilities& result : results) {
    apply_scale_alone(card.feedback.of(passes), result.feedback);
    apply_scale_alone(card.confounded.of(passes), result.confounded);
    apply_scale(card.scales.of(passes), result.edges, result.feedback);
    bound_by_edges(result.edges, result.feedback);
  }
  return results;
}

std::vector<JoinedAnswer> joined_answers(const Settings& settings, std::span<const Dataset> tables,
                                         const std::vector<float>& priors, std::uint64_t seed,
                                         const PassProgress& progress) {
  std::vector<JoinedAnswer> answers;
  for (core::PairProbabilities& own : scaled_answers(settings, tables, priors, seed, progress))
    answers.push_back({std::move(own), {}});
  if (!settings.companion) return answers;
  const Settings& companion = *settings.companion;
  const bool same_prior = companion.prior_scale == settings.prior_scale;
  PassProgress later;
  if (progress) later = [&](double passes) { progress(settings.passes() + passes); };
  const std::vector<core::PairProbabilities> others = scaled_answers(
      companion, tables,
      same_prior ? priors : make_priors(companion, tables, {.scale = companion.prior_scale, .rows = {}}),
      seed, later);
  for (std::size_t b = 0; b < answers.size(); ++b) answers[b] = joined(answers[b].said, others[b]);
  return answers;
}

std::vector<Matrix<double>> mean_probabilities(const Settings& settings, std::span<const Dataset> tables,
                                               const std::vector<float>& priors, std::uint64_t seed,
                                               const PassProgress& progress) {
  return edges_of(mean_answers(settings, tables, priors, seed, progress));
}

std::vector<Matrix<double>> scaled_probabilities(const Settings& settings, std::span<const Dataset> tables,
                                                 const std::vector<float>& priors, std::uint64_t seed,
                                                 const PassProgress& progress) {
  return edges_of(scaled_answers(settings, tables, priors, seed, progress));
}

std::vector<Estimate> joined_estimates(const Settings& settings, std::span<const Dataset> tables,
                                       const std::vector<float>& priors, std::uint64_t seed,
                                       const PassProgress& progress) {
  std::vector<Estimate> estimates;
  for (JoinedAnswer& answer : joined_answers(settings, tables, priors, seed, progress)) {
    core::PairProbabilities& said = answer.said;
    if (!settings.stacked) {
      estimates.push_back({std::move(said.edges), std::move(said.feedback), std::move(said.confounded)});
      continue;
    }
    const std::size_t index = estimates.size();
    const Dataset& table = tables[index];
    const bool gaps = missing_cells(table.table) > 0;
    const auto told = [&](double share) {
      if (progress)
        progress(settings.all_passes() +
                 (static_cast<double>(index) + share) / static_cast<double>(tables.size()));
    };
    const PairStatistics statistics = pair_statistics(
        gaps ? with_imputed_cells(table, seed, settings.threads) : table, answer, settings.threads, told);
    StackedAnswer joined = settings.loaded.stacking->answer(statistics, said, settings.threads);
    estimates.push_back(
        {std::move(joined.probabilities), std::move(joined.feedback), std::move(joined.confounded)});
  }
  return estimates;
}

std::vector<Estimate> estimate(const Settings& settings, const DiscoverOptions& options,
                               std::span<const Dataset> tables, const PassProgress& progress) {
  std::vector<Estimate> results;
  if (settings.block_columns > 0) {
    for (std::size_t t = 0; t < tables.size(); ++t)
      results.push_back(estimate_in_blocks(settings, tables[t], options.seed, [&](double pass) {
        if (progress)
          progress((static_cast<double>(t) * settings.passes() + pass) / static_cast<double>(tables.size()));
      }));
  } else {
    const std::vector<float> priors =
        make_priors(settings, tables, {.scale = settings.prior_scale, .rows = {}});
    results = joined_estimates(settings, tables, priors, options.seed, progress);
  }
  for (Estimate& result : results) apply_knowledge(options.knowledge, result.probabilities, &result.feedback);
  return results;
}

}  // namespace causcale
