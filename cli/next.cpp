// causcale next RESULT.json: which experiment, or which further rows, would settle most of what a stored
// result leaves in doubt.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/sha256.h"
#include "causcale/error.h"
#include "commands.h"
#include "effects/extra_rows.h"
#include "stored_samples.h"
#include "stored_table.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kShownSettled = 3;

struct NextCommand {
  CommonOptions common;
  InputOptions input;
  std::string result;
  int count = 1000;
  std::size_t top = 10;
};

// All that is said.
struct Advice {
  InterventionRanking ranking;
  ObservationGain rows;
  std::optional<std::vector<RowsNeeded>> needed;  // of rows.settles; nothing where no table is at hand
};

// The table that is named, or that of the result if it is still the same.
std::optional<Dataset> table_at_hand(const NextCommand& command, const StoredResult& stored) {
  if (command.input.data.empty()) {
    const std::string& file = stored.record.data_file;
    std::error_code error;
    if (file.empty() || !std::filesystem::is_regular_file(file, error) ||
        sha256_of_file(file) != stored.record.data_sha256)
      return std::nullopt;
  }
  InputOptions input = command.input;
  input.threads = command.common.threads;
  return read_stored_table(stored, input, command.common.quiet);
}

Advice advise(const NextCommand& command, const StoredResult& stored, const GraphSamples& samples) {
  Advice advice{rank_interventions(samples, command.common.threads),
                observation_gain(samples, command.common.threads), std::nullopt};
  if (const std::optional<Dataset> dataset = table_at_hand(command, stored)) {
    const EffectTable table(*dataset);
    advice.needed.emplace();
    for (const SettledPair& pair : advice.rows.settles)
      advice.needed->push_back(rows_needed(table, stored.result.graph, pair.a, pair.b));
  }
  return advice;
}

// Further rows that it takes to see the dependence; nothing where it shows already or cannot be told.
std::optional<double> further_rows(const RowsNeeded& needed) {
  if (std::isnan(needed.needed)) return std::nullopt;
  return std::max(0.0, std::ceil(needed.needed) - static_cast<double>(needed.rows));
}

nlohmann::ordered_json rows_json(const Advice& advice, const std::vector<std::string>& names) {
  auto pairs = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < advice.rows.settles.size(); ++k) {
    const SettledPair& pair = advice.rows.settles[k];
    nlohmann::ordered_json entry = {{"a", names[pair.a]},
                                    {"b", names[pair.b]},
                                    {"doubt_bits", pair.doubt},
                                    {"information_bits", pair.information}};
    if (advice.needed) {
      const RowsNeeded& needed = (*advice.needed)[k];
      const std::optional<double> further = further_rows(needed);
      entry["rows"] = needed.rows;
      entry["partial_correlation"] = std::isnan(needed.correlation)
                                         ? nlohmann::ordered_json()
                                         : nlohmann::ordered_json(needed.correlation);
      entry["further_rows"] = further ? nlohmann::ordered_json(*further) : nlohmann::ordered_json();
    }
    pairs.push_back(std::move(entry));
  }
  return {{"information_bits", advice.rows.information}, {"settles", std::move(pairs)}};
}

nlohmann::ordered_json to_json(const Advice& advice, const GraphSamples& samples,
                               const std::vector<std::string>& names, std::size_t top) {
  const InterventionRanking& ranking = advice.ranking;
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
  out["observation"] = rows_json(advice, names);
  return out;
}

// How many more rows a pair needs, in words.
std::string rows_text(const RowsNeeded& needed) {
  const std::optional<double> further = further_rows(needed);
  if (!further) return "rows: cannot be told";
  if (*further == 0.0) return "shows in the rows there are";
  if (*further > 20.0 * static_cast<double>(needed.rows) + 1000.0)
    return "looks independent: more rows would say so more clearly";
  return fmt::format("about {:.0f} more rows", *further);
}

void print_rows(const Advice& advice, const std::vector<std::string>& names, std::size_t top) {
  const ObservationGain& rows = advice.rows;
  fmt::print(
      "\nFurther rows without intervention, however many: {:.2f} bits ({:.0f} %). They tell which variables "
      "are "
      "joined\nand some directions; the other {:.2f} bits are directions that they leave open.\n",
      rows.information, 100 * rows.information / rows.doubt, rows.doubt - rows.information);
  const std::size_t shown = std::min(top, rows.settles.size());
  std::vector<std::string> pairs;
  std::size_t width = 0;
  for (std::size_t k = 0; k < shown; ++k) {
    pairs.push_back(fmt::format("{} - {}", names[rows.settles[k].a], names[rows.settles[k].b]));
    width = std::max(width, shown_length(pairs.back()));
  }
  for (std::size_t k = 0; k < shown; ++k)
    fmt::print("  {}  {:>5.2f} bits  {}\n", padded(pairs[k], width), rows.settles[k].information,
               advice.needed ? rows_text((*advice.needed)[k]) : "");
  if (!advice.needed && shown > 0)
    fmt::print("How many rows that takes, the table tells: name it with --data.\n");
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
                                                  .knowledge = stored.record.knowledge,
                                                  .feedback = stored.result.feedback});
  const Advice advice = advise(command, stored, samples);
  if (command.common.json) {
    fmt::print("{}\n", to_json(advice, samples, stored.result.names, command.top)
                           .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  if (!command.common.quiet) fmt::print("{}", describe_samples(samples));
  print_ranking(advice.ranking, stored.result.names, command.top);
  if (advice.rows.doubt > 0.0) print_rows(advice, stored.result.names, command.top);
}

}  // namespace

void add_next(CLI::App& app) {
  auto command = std::make_shared<NextCommand>();
  CLI::App* sub = app.add_subcommand(
      "next",
      "Say which single intervention, or which further rows, would settle most of a stored result's doubt");
  sub->add_option("RESULT", command->result, "Result of discover (.json)")->required();
  sub->add_option("--data", command->input.data,
                  "The table, for the number of rows; by default the result's own, if it is unchanged");
  sub->add_option("--count", command->count, "Number of graphs drawn")
      ->check(CLI::Range(10, 1000000))
      ->capture_default_str();
  sub->add_option("--top", command->top, "Interventions and pairs shown")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_reading_options(*sub, command->input);
  add_common_options(*sub, command->common, kSeed | kThreads | kQuiet | kJson);
  sub->footer(
      "An intervention that sets a variable moves its descendants and nothing else. Over graphs drawn from "
      "the\n"
      "result, the command asks how much seeing what moves says about every pair. Rows without intervention "
      "tell\nwhich graphs imply the same independences; how many it takes follows from the dependence in the "
      "table.\n\n"
      "Examples:\n"
      "  causcale next result.json\n"
      "  causcale next result.json --data data.csv --top 3 --json");
  sub->callback([command] { run(*command); });
}

}  // namespace causcale::cli
