// A GPU that is too small says so at once; a computer whose memory is too small grinds to a halt before it
// ends the program without a word.
#pragma once

#include <cstdint>

#include "learn/config/config.h"

namespace causcale {

// Throws InputError when batches of a stage need more than `bytes` in training on the CPU.
void check_training_memory(const TrainConfig& config, std::int64_t bytes);

}  // namespace causcale
