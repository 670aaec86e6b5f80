// Recipes of `stack`: whatever the text, there is a recipe of which tables can be drawn, or an Error.
#include <cstdlib>
#include <string_view>

#include "causcale/error.h"
#include "discover/stacking/stacking_examples.h"
#include "target.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  try {
    const StackingRecipe recipe =
        parse_stacking_recipe({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    require(!recipe.parts.empty());
    require(recipe.fit.members >= 1 && recipe.fit.hidden >= 1 && recipe.fit.batch >= 1);
    for (const StackingPart& part : recipe.parts) {
      require(part.tables >= 1 && part.cells >= 100 && part.held_out >= 0);
      RandomStream random(1, 0, Purpose::kStackingTable);
      for (int draw = 0; draw < 3; ++draw) {
        const StackingRange nodes = part.nodes.draw(random);
        require(nodes.low >= 2 && nodes.high >= nodes.low);
        require(!part.worlds.draw(random).name.empty());
      }
    }
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {R"({"parts": [{"worlds": "synthetic", "nodes": 5, "rows": "20-50"}]})",
          R"({"seed": 3, // why
"fit": {"members": 2, "hidden": 8, "epochs": 1, "learning_rate": 0.01, "weight_decay": 0.1, "batch": 16},
"parts": [{"worlds": {"synthetic": 2, "genes treated=1 rows_per_node=2": 1}, "nodes": {"3-9": 1, "12": 0.5},
"rows": "40-100", "cells": 1000, "tables": 4, "held_out": 2, "seed": 7},
{"worlds": {"feedback feedback=0.1:0.4": 1, "hidden": 1}, "nodes": "4-6", "rows": "30"}]})"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"parts\"",           "\"worlds\"", "\"nodes\"", "\"rows\"",    "\"fit\"", "rows_per_node=",
          "synthetic",           "genes",      "feedback",  "treated=1",   "\"2-1\"", "\"-1\"",
          "2147483648",          "1e999",      "null",      "{\"a\": -1}", "//",      "\"seed\": -1",
          "18446744073709551616"};
}
