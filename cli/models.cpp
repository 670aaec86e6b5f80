#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/safetensors.h"
#include "causcale/error.h"
#include "commands.h"
#include "core/card.h"
#include "core/installed.h"

namespace causcale::cli {
namespace {

struct Description {
  InstalledModel installed;
  bool is_default = false;
  std::uintmax_t bytes = 0;
  std::string sha256;
  std::uint64_t parameters = 0;
  std::string stored_as;
  std::map<std::string, std::string> metadata;
  std::string problem;  // why the file cannot be used, if so
};

Description describe(const InstalledModel& installed) {
  Description result;
  result.installed = installed;
  result.is_default = installed.name == default_model_name();
  try {
    result.bytes = std::filesystem::file_size(installed.path);
    result.sha256 = verify_installed(installed.path);
    const SafetensorsFile file(installed.path);
    result.metadata = file.content().metadata;
    parse_card(result.metadata, installed.path.string());
    for (const TensorView& tensor : file.content().tensors) {
      std::uint64_t count = 1;
      for (const std::int64_t extent : tensor.shape) count *= static_cast<std::uint64_t>(extent);
      result.parameters += count;
      if (result.stored_as.find(tensor.dtype) == std::string::npos)
        result.stored_as += (result.stored_as.empty() ? "" : "+") + tensor.dtype;
    }
  } catch (const std::exception& error) {
    result.problem = error.what();
  }
  return result;
}

nlohmann::json to_json(const Description& model) {
  nlohmann::json result = {{"name", model.installed.name}, {"path", model.installed.path.string()},
                           {"default", model.is_default},  {"bytes", model.bytes},
                           {"sha256", model.sha256},       {"parameters", model.parameters},
                           {"stored_as", model.stored_as}, {"metadata", model.metadata}};
  if (!model.problem.empty()) result["problem"] = model.problem;
  return result;
}

void print(const Description& model) {
  fmt::print("{}{}\n", model.installed.name, model.is_default ? "  (default)" : "");
  fmt::print("  file        {}\n", model.installed.path.string());
  if (!model.problem.empty()) {
    fmt::print("  unusable    {}\n", model.problem);
    return;
  }
  fmt::print("  size        {:.1f} MB, {} parameters as {}\n", double(model.bytes) / 1e6, model.parameters,
             model.stored_as);
  fmt::print("  sha256      {}\n", model.sha256);
  // One line per subject: metadata keys of one prefix belong together, the rest is the network's
  // configuration.
  const struct {
    std::string prefix;
    const char* title;
  } subjects[] = {{"map ", "mAP"}, {"training_", "training"}, {"trained_", "trained on"}};
  std::map<std::string, std::string> lines;
  for (const auto& [key, value] : model.metadata) {
    if (key == "format") continue;
    std::string title = "config", name = key;
    for (const auto& subject : subjects)
      if (key.starts_with(subject.prefix)) {
        title = subject.title;
        name = key.substr(subject.prefix.size());
      }
    lines[title] += fmt::format("{}{}={}", lines[title].empty() ? "" : "  ", name, value);
  }
  for (const char* title : {"config", "mAP", "training", "trained on"})
    if (lines.contains(title)) fmt::print("  {:<11} {}\n", title, lines[title]);
}

}  // namespace

void add_models(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("models", "List the installed models with configuration, size and SHA-256");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options, kJson);
  add_models_install(*command);
  command->callback([options, command] {
    if (!command->get_subcommands().empty()) return;  // that one has run
    const std::vector<InstalledModel> models = installed_models();
    if (models.empty())
      throw InputError("no model is installed: `causcale models install FILE` installs one");
    nlohmann::json list = nlohmann::json::array();
    for (const InstalledModel& installed : models) {
      const Description model = describe(installed);
      if (options->json)
        list.push_back(to_json(model));
      else
        print(model);
    }
    if (options->json) fmt::print("{}\n", list.dump(2));
  });
}

}  // namespace causcale::cli
