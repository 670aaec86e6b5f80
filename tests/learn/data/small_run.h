// The configuration of a run that is over in a moment, with most of what its data may have.
#pragma once

namespace causcale::test {

inline constexpr const char* kSmallRun = R"({
  // comments are welcome
  "model": {"blocks": 3, "embed_dim": 16, "heads": 4, "ffn_dim": 32},
  "optimizer": {"muon": {"learning_rate": 0.02}, "adamw": {"learning_rate": 0.003}},
  "schedule": {"warmup_steps": 5},
  "average_decay": 0.9,
  "log_every": 1,
  "data": {"graphs": ["er", "sf"], "mechanisms": {"linear": 3, "nn": 1}, "edges_per_node": [1, 2],
           "observational": 0.2, "tokens": 2000},
  "stages": [
    {"name": "small", "steps": 6, "nodes": [4, 6], "rows": "30-60"},
    {"name": "large", "steps": 6, "nodes": "6-9", "rows": 40, "learning_rate": 0.5,
     "hidden_variables": 0.3, "random_units": 0.5, "mirrored_columns": 0.5, "standardized_prior": 0.5, "prior_subset": 0.3,
     "prior_subset_rows": 20, "hidden_flags": 0.3, "partial_coverage": 0.5, "shuffled_rows": 0.5,
     "noises": ["gaussian", "laplace"], "messy_columns": 0.3, "several_targets": 0.3}
  ],
  "validation": {"every_steps": 5, "settings": [{"nodes": 5, "edges": 6, "rows": 50, "count": 3}]}
})";

}  // namespace causcale::test
