// Configurations of training: whatever the text, there is a configuration or an InputError.
#include <cstdlib>
#include <string>

#include "causcale/error.h"
#include "learn/config/config.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  try {
    const TrainConfig config =
        parse_train_config(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    if (config.stages.empty()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {
      R"({"stages": [{"steps": 3}]})",
      R"({"model": {"blocks": 2, "embed_dim": 16, "heads": 4, "ffn_dim": 32}, "precision": "fp32", "seed": 4,
"optimizer": {"muon": {"learning_rate": 0.02}, "adamw": {"learning_rate": 0.003}}, "schedule": {"warmup_steps": 5},
"data": {"graphs": ["er", "sf"], "mechanisms": {"linear": 3, "nn": 1}, "edges_per_node": [1, 2], "tokens": 2000},
"stages": [{"name": "s", "minutes": 6, "nodes": [4, 6], "rows": "30-60", "noises": ["gaussian"]}],
"validation": {"every_steps": 5, "settings": [{"nodes": 5, "edges": 6, "rows": 50, "count": 3}]}})",
      R"({"prior_scale": "raw", "transform": "log1p", "views": 4, "stages": [{"steps": 1, "folder": "sets"}]})"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"stages\"",
          "\"steps\": 1",
          "\"minutes\": 1",
          "\"nodes\": \"9-5\"",
          "\"rows\": -1",
          "1e999",
          "18446744073709551616",
          "null",
          "[[[[",
          "{\"a\": {}}",
          "//",
          "\"validation\"",
          "\"model\""};
}
