#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "causcale/error.h"
#include "commands.h"
#include "core/install_model.h"
#include "core/installed.h"

namespace causcale::cli {
namespace {

struct Arguments {
  std::vector<std::filesystem::path> sources;
  std::filesystem::path folder;
  std::string sha256;
  bool replace = false;
  CommonOptions common;
};

const char* in_words(InstallOutcome outcome) {
  switch (outcome) {
    case InstallOutcome::kInstalled:
      return "installed";
    case InstallOutcome::kReplaced:
      return "replaced";
    case InstallOutcome::kAlreadyThere:
      break;
  }
  return "already there";
}

void run(const Arguments& arguments) {
  const std::filesystem::path folder = arguments.folder.empty() ? user_model_folder() : arguments.folder;
  if (folder.empty())
    throw UsageError("neither HOME nor XDG_DATA_HOME is set: say with --folder where models go");
  // Everything is checked before anything is copied.
  std::vector<ModelFile> models;
  for (const std::filesystem::path& source : arguments.sources)
    for (ModelFile& model : check_model_files(source, arguments.sha256)) models.push_back(std::move(model));
  if (!arguments.sha256.empty() && models.size() != 1)
    throw UsageError(fmt::format("--sha256 is of one file; {} are given", models.size()));
  auto list = nlohmann::ordered_json::array();
  for (const ModelFile& model : models) {
    const char* outcome = in_words(install_model(model, folder, arguments.replace));
    const std::string path = (folder / (model.name + ".safetensors")).string();
    if (arguments.common.json)
      list.push_back({{"name", model.name}, {"path", path}, {"sha256", model.sha256}, {"outcome", outcome}});
    else if (!arguments.common.quiet)
      fmt::print("{}: {}, {}\n  sha256 {}\n", model.name, outcome, path, model.sha256);
    // Where another folder comes first, the name does not mean what was just installed.
    for (const InstalledModel& installed : installed_models())
      if (std::error_code error;
          installed.name == model.name && !std::filesystem::equivalent(installed.path, path, error))
        print_remark("warning", fmt::format("--model {} means {}", model.name, installed.path.string()),
                     fmt::format("for this one say --model {}", path));
  }
  if (arguments.common.json) fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_models_install(CLI::App& models) {
  CLI::App* command =
      models.add_subcommand("install", "Check weight files and put them where models are found by name");
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option(
          "files", arguments->sources,
          "Weight files (.safetensors), or folders of them; with a list SHA256SUMS beside a file its "
          "SHA-256 has to be the one that stands there")
      ->required()
      ->check(CLI::ExistingPath);
  command->add_option("--sha256", arguments->sha256, "What the SHA-256 of the one file has to be");
  command->add_option(
      "--folder", arguments->folder,
      "Where they go; otherwise the folder of the user's models, $XDG_DATA_HOME/causcale/models "
      "or ~/.local/share/causcale/models");
  command->add_flag("--replace", arguments->replace, "Put it in the place of another model of that name");
  add_common_options(*command, arguments->common, kQuiet | kJson);
  command->footer(
      "Models are looked for in the folders of CAUSCALE_MODELS, the user's, that of the program, and\n"
      "causcale/models in the folders of XDG_DATA_DIRS (/usr/local/share, /usr/share).\n"
      "Examples:\n"
      "  causcale models install run/model.safetensors\n"
      "  causcale models install downloaded/ --folder /usr/local/share/causcale/models");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace causcale::cli
