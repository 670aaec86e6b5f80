// What a forward pass costs, before it runs: arithmetic by the paper's formula, memory by what is alive at
// once.
#pragma once

#include <cstdint>

#include "core/config.h"

namespace causcale {

// Share of the rows that the reduction units let through to a block.
double rows_left(const ModelConfig& config, int block);

// Floating-point operations of one data set of m rows and n variables (the paper's appendix on time).
double forward_flops(const ModelConfig& config, std::int64_t m, std::int64_t n);

// Peak working memory of inference in bytes, weights included. `max_score_bytes` as in ExecutionOptions
// (0 = whole score matrices).
std::int64_t inference_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n,
                             std::int64_t element_bytes, std::int64_t max_score_bytes);

// What a training step on the CPU keeps from its forward pass for the backward one, roughly, by the cells of
// its batch (graphs * rows * variables). Scores of long tables and the weights come on top.
std::int64_t training_bytes(const ModelConfig& config, std::int64_t cells);

// The smallest score budget that still makes sense: one chunk of queries against all keys.
std::int64_t smallest_score_bytes(const ModelConfig& config, std::int64_t m, std::int64_t n);

}  // namespace causcale
