// Simulated worlds: families of tables with known causes, as varied as the tables that people bring. Every
// world draws its own parameters over wide ranges, all of which can be narrowed by settings.
//
// A data set is a pure function of (world, options, seed, index).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale {

struct WorldOptions {
  int nodes = 10;  // measured variables
  int rows = 500;
  // By name: "0.3" or "0.1:0.5" for a number, "hard" or "hard,soft" for a word (each equally likely).
  std::map<std::string, std::string> settings;
};

// What a data set drew for itself, in the order in which it was drawn.
using Drawn = std::vector<std::pair<std::string, std::variant<double, std::string>>>;

struct WorldSample {
  // Columns X0, X1, ... with their kinds; NaN: missing. Values are exact in single precision.
  Dataset dataset;
  // [n, n], row -> column, over the measured variables: 1 where a path leads from i to j that passes hidden
  // variables only. In worlds with feedback both (i, j) and (j, i) may be 1. No edge touches a constant
  // column.
  Matrix<std::uint8_t> adjacency;
  // [n, n], symmetric: 1 where a hidden variable has paths to both that pass hidden variables only.
  Matrix<std::uint8_t> confounded;
  Drawn drawn;
};

enum class SettingKind {
  kNumber,  // evenly between the ends of its range
  kFactor,  // evenly by factors (logarithms)
  kOdds,    // a share, evenly in its log odds: close to 0 and close to 1 are as likely as the middle
  kWhole,   // a whole number, evenly by factors
  kWord,
};

struct WorldSetting {
  std::string name;
  SettingKind kind = SettingKind::kNumber;
  std::string fallback;            // what is drawn from when nothing is said: "low:high" or words
  double least = 0.0, most = 0.0;  // numbers outside are refused
  std::vector<std::string> words;  // kWord: what is accepted
  std::string meaning;
};

class WorldDraw;

struct World {
  std::string name;
  std::string summary;  // one line
  std::vector<WorldSetting> settings;
  WorldSample (*make)(WorldDraw& draw);
};

// All worlds in the order in which they are to be listed.
std::span<const World> worlds();
// Throws UsageError that lists what is accepted.
const World& world_named(const std::string& name);

// Throws UsageError that names the option or setting, what was found and what is accepted.
void check_world_options(const World& world, const WorldOptions& options);

WorldSample draw_world(const World& world, const WorldOptions& options, std::uint64_t seed,
                       std::uint32_t index);

// One function per world, each in the file of that name.
World nothing_world();
World linear_gaussian_world();
World strength_world();
World discrete_world();
World mixed_world();
World genes_world();
World boolean_hill_world();
World knockout_sergio_world();
World feedback_world();
World hidden_world();
World selection_world();
World populations_world();
World batches_world();
World functions_world();
World sensors_world();
World censoring_world();
World duplicates_world();

}  // namespace causcale
