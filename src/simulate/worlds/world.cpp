#include "simulate/worlds/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "simulate/worlds/missing.h"
#include "simulate/worlds/world_draw.h"

namespace causcale {

std::span<const World> worlds() {
  static const std::vector<World> all{
      nothing_world(),   linear_gaussian_world(), strength_world(),        discrete_world(),  mixed_world(),
      genes_world(),     boolean_hill_world(),    knockout_sergio_world(), feedback_world(),  hidden_world(),
      selection_world(), populations_world(),     batches_world(),         functions_world(), sensors_world(),
      censoring_world(), duplicates_world()};
  return all;
}

const World& world_named(const std::string& name) {
  std::string names;
  for (const World& world : worlds()) {
    if (world.name == name) return world;
    names += (names.empty() ? "" : ", ") + world.name;
  }
  throw UsageError(fmt::format("unknown world '{}'; accepted: {}", name, names));
}

void check_world_options(const World& world, const WorldOptions& options) {
  if (options.nodes < 2 || options.nodes > 100000)
    throw UsageError(fmt::format("number of variables is {}, but must lie in [2, 100000]", options.nodes));
  if (options.rows < 2 || options.rows > 100000000)
    throw UsageError(fmt::format("number of rows is {}, but must lie in [2, 100000000]", options.rows));
  for (const auto& [name, text] : options.settings) {
    const auto found = std::ranges::find(world.settings, name, &WorldSetting::name);
    if (found == world.settings.end()) {
      std::string names;
      for (const WorldSetting& setting : world.settings) names += (names.empty() ? "" : ", ") + setting.name;
      throw UsageError(fmt::format("world {} has no setting '{}'; accepted: {}", world.name, name, names));
    }
    if (found->kind == SettingKind::kWord)
      parse_setting_words(*found, text);
    else
      parse_setting_range(*found, text);
  }
}

WorldSample draw_world(const World& world, const WorldOptions& options, std::uint64_t seed,
                       std::uint32_t index) {
  check_world_options(world, options);
  WorldDraw draw(world, options, seed, index);
  WorldSample sample = world.make(draw);
  remove_cells(draw, sample.dataset.table);
  sample.drawn = draw.take_drawn();
  return sample;
}

}  // namespace causcale
