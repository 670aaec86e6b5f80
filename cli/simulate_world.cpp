// causcale simulate world NAME: tables of one of the worlds; causcale simulate worlds [NAME]: which there
// are.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "method_options.h"
#include "simulate_output.h"

namespace causcale::cli {
namespace {

using nlohmann::ordered_json;

// What write_all wants to see of a sample.
struct WorldSimulation {
  Dataset dataset;
  Digraph graph;
  Matrix<std::uint8_t> confounded;
};

ordered_json to_json(const World& world) {
  ordered_json settings = ordered_json::array();
  for (const WorldSetting& setting : world.settings) {
    ordered_json entry{{"name", setting.name}, {"default", setting.fallback}, {"meaning", setting.meaning}};
    if (setting.kind == SettingKind::kWord)
      entry["accepted"] = setting.words;
    else
      entry["accepted"] = {setting.least, setting.most};
    settings.push_back(entry);
  }
  return {{"name", world.name}, {"summary", world.summary}, {"settings", settings}};
}

void print_details(const World& world) {
  fmt::print("{}: {}\n", world.name, world.summary);
  fmt::print("  settings (causcale simulate world {} --set KEY=VALUE, or KEY=LOW:HIGH, or KEY=WORD,WORD):\n",
             world.name);
  std::size_t width = 0;
  for (const WorldSetting& setting : world.settings) width = std::max(width, setting.name.size());
  for (const WorldSetting& setting : world.settings)
    fmt::print("    {:<{}}  {}\n    {:<{}}  {}\n", setting.name, width, setting.fallback, "", width,
               setting.meaning);
}

void add_worlds(CLI::App& simulate) {
  struct State {
    std::string name;
    CommonOptions common;
  };
  auto state = std::make_shared<State>();
  CLI::App& command = *simulate.add_subcommand("worlds", "List the worlds, or the settings of one");
  command.add_option("NAME", state->name, "The world whose settings are to be shown");
  add_common_options(command, state->common, kJson);
  command.callback([state] {
    if (!state->name.empty()) {
      const World& world = world_named(state->name);
      if (state->common.json)
        fmt::print("{}\n", to_json(world).dump(2));
      else
        print_details(world);
      return;
    }
    if (state->common.json) {
      ordered_json list = ordered_json::array();
      for (const World& world : worlds()) list.push_back(to_json(world));
      fmt::print("{}\n", list.dump(2));
      return;
    }
    std::size_t width = 0;
    for (const World& world : worlds()) width = std::max(width, world.name.size());
    for (const World& world : worlds()) fmt::print("{:<{}}  {}\n", world.name, width, world.summary);
    fmt::print("Settings: causcale simulate worlds NAME\n");
  });
}

}  // namespace

void add_world(CLI::App& simulate) {
  struct State {
    std::string name;
    WorldOptions options;
    std::vector<std::string> settings;
    OutputOptions output;
    CommonOptions common;
  };
  auto state = std::make_shared<State>();
  CLI::App& command = *simulate.add_subcommand(
      "world", "Tables of a world: every data set draws its parameters over wide ranges");
  std::vector<std::string> names;
  for (const World& world : worlds()) names.push_back(world.name);
  command.add_option("NAME", state->name, "The world; causcale simulate worlds lists them")
      ->required()
      ->check(CLI::IsMember(names));
  command.add_option("--nodes,-n", state->options.nodes, "Number of measured variables")
      ->capture_default_str();
  command.add_option("--rows,-m", state->options.rows, "Number of rows")->capture_default_str();
  command
      .add_option("--set", state->settings,
                  "KEY=VALUE: narrow a setting; a range is LOW:HIGH, several words have commas between them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_output_options(command, state->output, state->common);
  command.footer(
      "Examples:\n"
      "  causcale simulate world discrete --nodes 8 --rows 2000 --seed 1 --set states=2:4 -o states/\n"
      "  causcale simulate world strength -n 6 --set explained=0.99 --set interventions=none -o strong/\n"
      "  causcale simulate world mixed --set missing=0.2 --count 100 -o many/");
  command.callback([state] {
    const World& world = world_named(state->name);
    for (const std::string& setting : state->settings) {
      const auto [key, value] = parse_setting(setting);
      if (!state->options.settings.emplace(key, value).second)
        throw UsageError(fmt::format("--set {}: '{}' is set twice", setting, key));
    }
    check_world_options(world, state->options);
    write_all("world", state->output, state->common, [&](std::uint32_t index, int) {
      WorldSample sample = draw_world(world, state->options, state->common.seed, index);
      ordered_json rest{{"world", world.name}, {"settings", state->options.settings}};
      rest.update(describe(sample));
      WorldSimulation simulation{std::move(sample.dataset), Digraph::from_adjacency(sample.adjacency),
                                 std::move(sample.confounded)};
      return std::pair(std::move(simulation), std::move(rest));
    });
  });
  add_worlds(simulate);
}

}  // namespace causcale::cli
