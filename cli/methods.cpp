// causcale methods [NAME]: the competing methods and their settings.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "command_tree.h"
#include "commands.h"
#include "method_options.h"
#include "methods/method.h"
#include "methods/to_result.h"

namespace causcale::cli {
namespace {

struct MethodsOptions : CommonOptions {
  std::string name;
};

nlohmann::ordered_json to_json(const Method& method) {
  auto settings = nlohmann::ordered_json::array();
  for (const MethodSetting& setting : method.settings)
    settings.push_back({{"name", setting.name}, {"default", setting.fallback}, {"meaning", setting.meaning}});
  return {{"name", method.name},
          {"summary", method.summary},
          {"assumptions", method.assumptions},
          {"interventions", method.interventions},
          {"output", graph_class_name(method.graph_class)},
          {"cost", method.cost},
          {"citation", method.citation},
          {"trains_networks", method.trains_networks},
          {"takes_missing", method.takes_missing},
          {"needs_interventions", method.needs_interventions},
          {"settings", settings}};
}

void print_details(const Method& method) {
  fmt::print("{}: {}\n", method.name, method.summary);
  fmt::print("  assumes        {}\n", method.assumptions);
  fmt::print("  interventions  {}\n", method.interventions);
  fmt::print("  missing cells  {}\n", method.takes_missing ? "used as far as they go" : "filled in first");
  fmt::print("  output         {}\n", graph_class_name(method.graph_class));
  fmt::print("  cost           {}\n", method.cost);
  fmt::print("  citation       {}\n", method.citation);
  if (method.settings.empty()) {
    fmt::print("  It has no settings.\n");
    return;
  }
  fmt::print("  settings (causcale discover DATA --method {} --set KEY=VALUE):\n", method.name);
  std::size_t name_width = 0, value_width = 0;
  for (const MethodSetting& setting : method.settings) {
    name_width = std::max(name_width, setting.name.size());
    value_width = std::max(value_width, setting.fallback.size());
  }
  for (const MethodSetting& setting : method.settings)
    fmt::print("    {:<{}}  {:<{}}  {}\n", setting.name, name_width, setting.fallback, value_width,
               setting.meaning);
}

void print_table(std::span<const Method> list) {
  std::size_t name_width = 6, output_width = 6;
  for (const Method& method : list) {
    name_width = std::max(name_width, method.name.size());
    output_width = std::max(output_width, graph_class_name(method.graph_class).size());
  }
  fmt::print("{:<{}}  interventions  {:<{}}  cost\n", "method", name_width, "output", output_width);
  for (const Method& method : list) {
    fmt::print("{:<{}}  {:<13}  {:<{}}  {}\n", method.name, name_width, method.interventions,
               graph_class_name(method.graph_class), output_width, method.cost);
    fmt::print("{:<{}}  assumes: {}\n", "", name_width, method.assumptions);
    fmt::print("{:<{}}  {}\n", "", name_width, method.citation);
  }
  fmt::print("\nSettings of one: causcale methods NAME. Use: causcale discover DATA --method NAME.\n");
}

void run(const MethodsOptions& options) {
  if (!options.name.empty()) {
    const Method& method = method_named(options.name);
    if (options.json)
      fmt::print("{}\n", to_json(method).dump(2));
    else
      print_details(method);
    return;
  }
  if (!options.json) {
    print_table(methods());
    return;
  }
  auto list = nlohmann::ordered_json::array();
  for (const Method& method : methods()) list.push_back(to_json(method));
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_methods(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("methods", "List the other methods of causal discovery, or explain one");
  const auto options = std::make_shared<MethodsOptions>();
  command->add_option("name", options->name, "Show this method's settings")
      ->transform(any_case(method_words()));
  add_common_options(*command, *options, kJson);
  command->footer("Examples:\n  causcale methods\n  causcale methods pc\n  causcale methods --json");
  command->callback([options] { run(*options); });
}

}  // namespace causcale::cli
