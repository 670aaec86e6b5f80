// What a world draws from: the values of its settings and its streams of random numbers.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "simulate/batch_random.h"
#include "simulate/graph_model.h"
#include "simulate/worlds/world.h"

namespace causcale {

// Where a number is drawn from.
struct SettingRange {
  double low = 0.0, high = 0.0;
  SettingKind kind = SettingKind::kNumber;
  double draw(RandomStream& random) const;
};

// Throw UsageError naming the setting.
SettingRange parse_setting_range(const WorldSetting& setting, const std::string& text);
std::vector<std::string> parse_setting_words(const WorldSetting& setting, const std::string& text);

class WorldDraw {
 public:
  WorldDraw(const World& world, const WorldOptions& options, std::uint64_t seed, std::uint32_t index)
      : world_(world), options_(options), seed_(seed), index_(index) {}

  int nodes() const { return options_.nodes; }
  int rows() const { return options_.rows; }
  std::uint64_t seed() const { return seed_; }
  std::uint32_t index() const { return index_; }

  // Of this data set: drawn at the first call, and noted. The numbers of one setting come from a stream of
  // their own, so that fixing one leaves the others as they are.
  double number(const std::string& setting);
  int whole(const std::string& setting);
  std::string word(const std::string& setting);
  // For values that are drawn per variable.
  SettingRange range(const std::string& setting) const;
  std::vector<std::string> words(const std::string& setting) const;

  RandomStream stream(Purpose purpose, std::uint32_t item = 0) const {
    return {seed_, index_, static_cast<std::uint32_t>(purpose), item};
  }

  void note(const std::string& key, double value) { drawn_.emplace_back(key, value); }
  void note(const std::string& key, std::string value) { drawn_.emplace_back(key, std::move(value)); }
  Drawn take_drawn() { return std::move(drawn_); }

 private:
  // Position of the setting in the world's list; a setting that the world lacks is a fault of the world.
  std::size_t position(const std::string& setting) const;
  const std::string& text(std::size_t position) const;

  const World& world_;
  const WorldOptions& options_;
  std::uint64_t seed_;
  std::uint32_t index_;
  Drawn drawn_;
};

// Groups of settings that several worlds share. `own` replaces those of the same name.
std::vector<WorldSetting> graph_settings();      // graph, edges_per_node, hubs, reversed
std::vector<WorldSetting> hidden_settings();     // hidden
std::vector<WorldSetting> treatment_settings();  // interventions, treated, rows_per_target
std::vector<WorldSetting> unit_settings();       // units
std::vector<WorldSetting> missing_settings();    // missing, missing_kind; of every world
std::vector<WorldSetting> join_settings(std::vector<WorldSetting> own,
                                        const std::vector<std::vector<WorldSetting>>& groups);

WorldSetting number_setting_of(std::string name, SettingKind kind, std::string fallback, double least,
                               double most, std::string meaning);
WorldSetting word_setting_of(std::string name, std::string fallback, std::vector<std::string> words,
                             std::string meaning);

// A random acyclic graph as the settings of graph_settings() say.
SampledGraph draw_world_graph(WorldDraw& draw, int nodes);

}  // namespace causcale
