// Tables with known graphs, and what the network and the statistics say of them: what the second stage of a
// model is fitted on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/weighted.h"
#include "discover/loaded_model.h"
#include "discover/stacking/fit_stacking.h"
#include "simulate/worlds/world.h"

namespace causcale {

// Both ends included; each doubling is equally likely.
struct StackingRange {
  int low = 0, high = 0;
};

// A world (simulate/worlds/world.h) with settings, or "synthetic": the paper's kind of table, with all
// mechanisms.
struct StackingWorld {
  std::string name;
  std::map<std::string, std::string> settings;
  int rows_per_node = 0;  // that many rows and one more, instead of what the recipe says; 0: as it says
};

// Tables of one kind.
struct StackingPart {
  Weighted<StackingWorld> worlds;
  Weighted<StackingRange> nodes, rows;
  int cells = 1'000'000;  // a table has fewer rows rather than more cells than this
  int tables = 1000;
  int held_out = 0;  // further ones that measure the result
  std::uint64_t seed = 0;
};

// As a JSON file with // comments says it. A part there with a list of seeds is as many parts. A world is its
// name, or its name and settings with blanks between them: "genes treated=1 rows_per_node=2".
struct StackingRecipe {
  std::vector<StackingPart> parts;
  StackingFit fit;
};
// Throws InputError that names the file and the key.
StackingRecipe read_stacking_recipe(const std::filesystem::path& file);
StackingRecipe parse_stacking_recipe(std::string_view text, const std::string& file);

// A table with what is true of it: a pure function of its part of the recipe and its index.
struct StackingTable {
  std::string world;
  Dataset dataset;
  Matrix<std::uint8_t> adjacency, confounded;
};
StackingTable draw_stacking_table(const StackingPart& part, std::uint32_t index);

// What discover would feed the second stage with.
StackingExample make_stacking_example(const StackingTable& table, const LoadedModel& network);

// Files of examples, so that an interrupted run goes on where it was.
void write_stacking_example(const StackingExample& example, const std::filesystem::path& file);
StackingExample read_stacking_example(const std::filesystem::path& file);

}  // namespace causcale
