// AVICI (Lorch, Sussex, Rothfuss, Krause and Schoelkopf, Amortized inference for causal structure learning,
// NeurIPS 2022): attention over variables and over observations in turn, every line with a map of its own.
//
// As published: a linear embedding of value and flag; 8 blocks of four residual sublayers (attention over
// variables, feed-forward, attention over observations, feed-forward), layer norm before each, ReLU; width
// 128, 8 heads of 32, feed-forward 512; layer norm, maximum over observations; u and v, each by layer norm
// and a linear layer, of length 1; logit_ij = exp(temperature) u_i . v_j + bias, of which the bias starts at
// -3. Different here: queries, keys and values share one layer norm (its scales are part of the projections
// that follow), and the temperature's logarithm starts at 2.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/config.h"
#include "learn/networks/causcale.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

// One logit per ordered pair: [B, n, n], row -> column. The diagonal means nothing. Any order of rows gives
// the same answer, and another order of columns the permuted one. Throws Error for a padded batch.
at::Tensor avici_logits(const AviciParams& params, const ModelConfig& config, const ModelInput& input,
                        const ExecutionOptions& execution = {});

}  // namespace causcale
