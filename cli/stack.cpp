#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "base/parallel.h"
#include "base/standard_error.h"
#include "benchmark/battery.h"
#include "choice_option.h"
#include "commands.h"
#include "core/installed.h"
#include "core/option_names.h"
#include "data/dataset_folder.h"
#include "discover/stacking/stacking_examples.h"

namespace causcale::cli {
namespace {

struct Arguments {
  DiscoverOptions network;
  std::string companion;
  std::filesystem::path recipe, examples, evaluate, out;
  CommonOptions common;
};

class ExampleStore {
 public:
  ExampleStore(const Arguments& arguments, const StackingRecipe& recipe)
      : arguments_(arguments), recipe_(recipe), network_(load_for_discover(arguments.network)) {
    network_.companion = companion();
    if (!arguments.examples.empty()) std::filesystem::create_directories(arguments.examples);
  }

  // Those of all parts that are fitted on, or those that are held out.
  std::vector<StackingExample> make(bool held_out) {
    std::vector<std::pair<const StackingPart*, std::uint32_t>> places;
    for (const StackingPart& part : recipe_.parts) {
      const int first = held_out ? part.tables : 0, count = held_out ? part.held_out : part.tables;
      for (int k = 0; k < count; ++k) places.emplace_back(&part, static_cast<std::uint32_t>(first + k));
    }
    return make(places.size(), [&](std::size_t k) {
      const StackingPart& part = *places[k].first;
      const std::uint32_t index = places[k].second;
      return get(fmt::format("table_{}_{:06}", part.seed, index),
                 [&] { return draw_stacking_table(part, index); });
    });
  }
  // Of data sets in folders; their class takes the place of the world.
  std::vector<StackingExample> make(const std::vector<std::filesystem::path>& folders) {
    return make(folders.size(), [&](std::size_t k) {
      return get("set_" + folders[k].filename().string(), [&] {
        KnownDataset known = read_known_dataset(folders[k]);
        const std::size_t n = known.dataset.table.cols();
        StackingTable table{battery_class(known.dataset).name(), std::move(known.dataset),
                            Matrix<std::uint8_t>(n, n), Matrix<std::uint8_t>(n, n)};
        for (const Edge& edge : known.graph.edges())
          table.adjacency(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)) = 1;
        return table;
      });
    });
  }

 private:
  std::shared_ptr<const LoadedModel> companion() const {
    if (arguments_.companion.empty()) return nullptr;
    DiscoverOptions other = arguments_.network;
    other.model = arguments_.companion;
    return std::make_shared<const LoadedModel>(load_for_discover(other));
  }
  std::vector<StackingExample> make(std::size_t count,
                                    const std::function<StackingExample(std::size_t)>& one) {
    std::vector<std::unique_ptr<StackingExample>> made(count);
    std::size_t done = 0;
    std::mutex mutex;
    parallel_for(count, arguments_.common.threads, [&](std::size_t k) {
      made[k] = std::make_unique<StackingExample>(one(k));
      const std::scoped_lock lock(mutex);
      if (++done % 50 == 0 && !arguments_.common.quiet) print_error("{} of {} tables\n", done, count);
    });
    std::vector<StackingExample> examples;
    for (auto& example : made) examples.push_back(std::move(*example));
    return examples;
  }

  StackingExample get(const std::string& name, const std::function<StackingTable()>& table) {
    const std::filesystem::path file = arguments_.examples / (name + ".safetensors");
    if (!arguments_.examples.empty() && std::filesystem::exists(file)) return read_stacking_example(file);
    StackingExample example = make_stacking_example(table(), network_);
    if (!arguments_.examples.empty()) write_stacking_example(example, file);
    return example;
  }

  const Arguments& arguments_;
  const StackingRecipe& recipe_;
  LoadedModel network_;
};

nlohmann::json to_json(const StackingScore& score) {
  return {{"tables", score.tables},
          {"map", score.average_precision},
          {"skeleton_map", score.skeleton_precision},
          {"ece", score.calibration_error},
          {"loss", score.loss}};
}

void print_scores(const std::string& name, const StackingScore& before, const StackingScore& after) {
  fmt::print("{:<28} {:>6}   {:5.1f} -> {:5.1f}   {:5.1f} -> {:5.1f}   {:.3f} -> {:.3f}   {:.3f} -> {:.3f}\n",
             name, before.tables, 100.0 * before.average_precision, 100.0 * after.average_precision,
             100.0 * before.skeleton_precision, 100.0 * after.skeleton_precision, before.calibration_error,
             after.calibration_error, before.loss, after.loss);
}

// Everything together, and each kind by itself.
void report(const std::string& title, std::vector<StackingExample> examples, const StackedModel& model,
            const Arguments& arguments, nlohmann::json& record) {
  std::map<std::string, std::vector<StackingExample>> by_world;
  for (const StackingExample& example : examples) by_world[example.world].push_back(example);
  by_world["all"] = std::move(examples);
  if (!arguments.common.json)
    fmt::print("{:<28} {:>6}   {:<14}   {:<14}   {:<14}   {}\n", title, "", "directed AP", "skeleton AP",
               "ECE", "loss");
  for (const auto& [world, part] : by_world) {
    const StackingScore before = stacking_score(part, nullptr, arguments.common.threads);
    const StackingScore after = stacking_score(part, &model, arguments.common.threads);
    record[world] = {{"network", to_json(before)}, {"stacked", to_json(after)}};
    if (!arguments.common.json) print_scores(world, before, after);
  }
}

void run(Arguments arguments) {
  arguments.network.stacking = StackingRule::kOff;  // what is fitted takes the place of what the model has
  const StackingRecipe recipe = read_stacking_recipe(arguments.recipe);
  ExampleStore store(arguments, recipe);
  const std::vector<StackingExample> examples = store.make(false);
  const StackedModel model =
      fit_stacking(examples, recipe.fit, arguments.common.threads, [&](const StackingProgress& progress) {
        if (!arguments.common.quiet && (progress.epoch + 1) % 5 == 0)
          print_error("member {}, epoch {}: loss {:.4f}\n", progress.member, progress.epoch + 1,
                      progress.loss);
      });
  if (!arguments.out.empty())
    write_with_stacking(
        find_model(arguments.network.model),
        arguments.companion.empty() ? std::filesystem::path() : find_model(arguments.companion), model,
        {{"tables", std::to_string(examples.size())}, {"seed", std::to_string(recipe.fit.seed)}},
        arguments.out);

  nlohmann::json record;
  report("held-out tables", store.make(true), model, arguments, record["held_out"]);
  if (!arguments.evaluate.empty()) {
    std::vector<std::filesystem::path> folders = find_datasets(arguments.evaluate);
    std::vector<StackingExample> sets = store.make(folders);
    for (std::size_t k = 0; k < sets.size(); ++k) {
      const std::string name = folders[k].filename().string();
      const std::span<const StackingExample> one(&sets[k], 1);
      const StackingScore before = stacking_score(one, nullptr, 1), after = stacking_score(one, &model, 1);
      record["sets"][name] = {{"network", to_json(before)}, {"stacked", to_json(after)}};
      if (!arguments.common.json) print_scores(name, before, after);
    }
    report("data sets", std::move(sets), model, arguments, record["classes"]);
  }
  if (arguments.common.json) fmt::print("{}\n", record.dump(2));
}

}  // namespace

void add_stack(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "stack", "Fit the second stage of a model: its answers joined with statistics of every pair");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--model", arguments->network.model, "Name of an installed model or a weight file");
  command->add_option("--companion", arguments->companion,
                      "Name or weight file of a second network, of other training, whose answers are joined "
                      "with the model's; it goes into the file");
  command
      ->add_option("--config,-c", arguments->recipe,
                   "Which simulated tables, and how to fit (configs/stacking/general.json)")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option(
      "--examples", arguments->examples,
      "Folder that keeps what was computed of each table; what it holds is not computed again");
  command->add_option(
      "--evaluate", arguments->evaluate,
      "Folder of data sets with known graphs that measure the result, too; none is fitted on");
  command->add_option("--out,-o", arguments->out, "Weight file with the second stage in it");
  add_named_choice(*command, "--device", arguments->network.device, kDeviceNames, "auto, cpu or cuda");
  add_common_options(*command, arguments->common, kThreads | kQuiet | kJson);
  command->footer(
      "Example:\n"
      "  causcale stack --model general --config configs/stacking/general.json -o stacked.safetensors");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace causcale::cli
