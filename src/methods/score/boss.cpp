#include <fmt/format.h>

#include <chrono>

#include "methods/score/boss_search.h"
#include "methods/score/choose_score.h"
#include "methods/score/ges.h"

namespace causcale {
namespace {

MethodResult run_boss(const Dataset& dataset, const MethodOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto starts = static_cast<std::uint32_t>(number_setting(options, "starts", 1, 1, 10000));
  const ChosenScore chosen = choose_score(dataset.table, {}, options);
  const EdgePermissions permissions(static_cast<int>(dataset.table.cols()), options.knowledge);
  BossResult best;
  for (std::uint32_t start = 0; start < starts; ++start) {
    BossResult found =
        boss_search(*chosen.score, permissions, options.seed, start, [&](int sweep, double share) {
          const double sweeps = sweep + share;
          report_progress(options, fmt::format("sweep {} over the order, start {}", sweep + 1, start + 1),
                          0.95 * (start + sweeps / (sweeps + 3.0)) / starts);
        });
    if (start == 0 || found.score > best.score) best = std::move(found);
  }
  // What the order forced upon the graph and its class does not need goes.
  const KeepsDirection keeps = kept_directions({}, permissions);
  GesOptions backward;
  backward.threads = options.threads;
  EquivalenceSearch search(*chosen.score, permissions, keeps, backward, &best.dag);
  search.run_backward([&] { report_progress(options, "deleting edges", 0.97); });
  MethodResult result = class_result(search, *chosen.score, permissions);
  result.log.insert(result.log.begin(), chosen.log.begin(), chosen.log.end());
  if (!dataset.interventions.observational())
    result.log.push_back(
        "rows under interventions are pooled with the others; the method does not know of them");
  result.log.push_back(fmt::format("{} sweeps over the order, {} edges deleted afterwards, score {:.6g}",
                                   best.sweeps, search.steps(), best.score));
  result.seconds.emplace_back(
      "search", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

}  // namespace

Method boss_method() {
  Method method;
  method.name = "boss";
  method.summary = "search through orders of the variables for the best score, with grow-shrink trees";
  method.assumptions =
      "what its score assumes (setting score; linear and Gaussian for numbers), no hidden causes";
  method.interventions = "ignored";
  method.graph_class = GraphClass::kCpdag;
  method.cost = "O(n^2) look-ups a sweep, and O(n) for each set of parents met";
  method.citation =
      "Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld, Fast scalable and accurate discovery of "
      "DAGs "
      "using the best order score search and grow-shrink trees, 2023";
  method.settings = score_settings();
  method.settings.push_back({"starts", "1", "random orders to begin with; the best result counts"});
  method.takes_missing = true;
  method.run = run_boss;
  return method;
}

}  // namespace causcale
