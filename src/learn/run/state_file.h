// A run's whole state on disk: one safetensors file, written all or nothing, with a hash of its content. The
// state that it replaces stays beside it as FILE.previous.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "learn/run/learner.h"

namespace causcale {

struct RunPosition {
  std::int64_t step = 0;           // steps done
  std::uint64_t next_dataset = 0;  // number of the next data set to be simulated
  double seconds = 0.0;            // training time so far, over all invocations
  std::int64_t graphs = 0;         // data sets trained on
};

// `resume_key` names what must be equal for the state to make sense: see TrainConfig::resume_key.
void save_training_state(const std::filesystem::path& path, Learner& learner, const RunPosition& position,
                         std::uint64_t seed, const std::string& resume_key);

struct SavedRun {
  RunPosition position;
  std::uint64_t seed = 0;
};
// Throws InputError naming the file when it is not a training state, a damaged one or one of another
// configuration.
SavedRun load_training_state(const std::filesystem::path& path, Learner& learner,
                             const std::string& resume_key);

}  // namespace causcale
