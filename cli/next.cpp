// causcale next RESULT.json: which experiment would settle most of what a stored result leaves in doubt.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "commands.h"
#include "stored_samples.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShownSettled = 3;

struct NextCommand {
  CommonOptions common;
  std::string result;
  int count = 1000;
  std::size_t top = 10;
};

nlohmann::ordered_json to_json(const InterventionRanking& ranking, const GraphSamples& samples,
                               const std::vector<std::string>& names, std::size_t top) {
  nlohmann::ordered_json out;
  out["format"] = "causcale.next/1";
  out["samples"] = {{"count", samples.graphs.size()}, {"exact", samples.exact}};
  out["doubt_bits"] = ranking.doubt;
  out["interventions"] = nlohmann::ordered_json::array();
  for (const InterventionGain& gain : ranking.interventions) {
    if (top-- == 0) break;
    auto settles = nlohmann::ordered_json::array();
    for (const SettledPair& pair : gain.settles)
      settles.push_back({{"a", names[pair.a]},
                         {"b", names[pair.b]},
                         {"doubt_bits", pair.doubt},
                         {"information_bits", pair.information}});
    out["interventions"].push_back({{"variable", names[gain.variable]},
                                    {"information_bits", gain.information},
                                    {"outcome_entropy_bits", gain.outcome_entropy},
                                    {"expected_movers", gain.movers},
                                    {"settles", std::move(settles)}});
  }
  return out;
}

void print_ranking(const InterventionRanking& ranking, const std::vector<std::string>& names,
                   std::size_t top) {
  if (!(ranking.doubt > 0.0)) {
    fmt::print("All graphs are the same: nothing is in doubt.\n");
    return;
  }
  fmt::print("{:.2f} bits of doubt about single pairs of variables, all together.\n\n", ranking.doubt);
  const std::size_t shown = std::min(top, ranking.interventions.size());
  std::size_t width = 12;
  for (std::size_t k = 0; k < shown; ++k)
    width = std::max(width, shown_length(names[ranking.interventions[k].variable]));
  fmt::print("  {}  {:>5}  {:>5}  {:>5}  settles most\n", padded("intervene on", width), "bits", "share",
             "moved");
  for (std::size_t k = 0; k < shown; ++k) {
    const InterventionGain& gain = ranking.interventions[k];
    std::string settles;
    for (std::size_t s = 0; s < std::min(kShownSettled, gain.settles.size()); ++s) {
      const SettledPair& pair = gain.settles[s];
      settles += fmt::format("{}{} - {} ({:.0f} %)", s ? ", " : "", names[pair.a], names[pair.b],
                             100 * pair.information / pair.doubt);
    }
    fmt::print("  {}  {:>5.2f}  {:>3.0f} %  {:>5.1f}  {}\n", padded(names[gain.variable], width),
               gain.information, 100 * gain.information / ranking.doubt, gain.movers,
               settles.empty() ? "nothing" : settles);
  }
  fmt::print(
      "\nbits: doubt that would go if the intervention showed which variables it moves; moved: how many are\n"
      "expected to; in brackets: the share of the pair's own doubt.\n");
}

void run(const NextCommand& command) {
  const StoredResult stored = read_probabilities(command.result);
  const GraphSamples samples =
      sample_graphs(stored.result.probabilities, {.count = command.count,
                                                  .seed = command.common.seed,
                                                  .threads = command.common.threads,
                                                  .knowledge = stored.record.knowledge});
  const InterventionRanking ranking = rank_interventions(samples, command.common.threads);
  if (command.common.json) {
    fmt::print("{}\n", to_json(ranking, samples, stored.result.names, command.top)
                           .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  if (!command.common.quiet) fmt::print("{}", describe_samples(samples));
  print_ranking(ranking, stored.result.names, command.top);
}

}  // namespace

void add_next(CLI::App& app) {
  auto command = std::make_shared<NextCommand>();
  CLI::App* sub = app.add_subcommand(
      "next", "Say which single intervention would settle most of a stored result's doubt");
  sub->add_option("RESULT", command->result, "Result of discover (.json)")->required();
  sub->add_option("--count", command->count, "Number of graphs drawn")
      ->check(CLI::Range(10, 1000000))
      ->capture_default_str();
  sub->add_option("--top", command->top, "Interventions shown")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_common_options(*sub, command->common, kSeed | kThreads | kQuiet | kJson);
  sub->footer(
      "An intervention that sets a variable moves its descendants and nothing else. Over graphs drawn from "
      "the\n"
      "result, the command asks how much seeing what moves says about every pair.\n\n"
      "Examples:\n"
      "  causcale next result.json\n"
      "  causcale next result.json --top 3 --json");
  sub->callback([command] { run(*command); });
}

}  // namespace causcale::cli
