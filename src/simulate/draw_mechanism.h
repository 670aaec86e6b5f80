// Draws the parameters of mechanisms (mechanisms.h has the functions and the layout).
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "simulate/mechanisms.h"

namespace causcale {

// Appends the node's block to `parameters`. Centres and inverse scales of the inputs, where the mechanism has
// them, start as 0 and 1: set_input_scales writes them once the parents' values are known.
NodeMechanism draw_mechanism(Mechanism kind, NoiseCoupling coupling, int parents, RandomStream& random,
                             std::vector<float>& parameters);

// Makes the parents' effects weaker (or stronger) against the noise: their weights times `scale` where the
// noise passes through the same function (linear, neural, post-nonlinear), otherwise the function's size, for
// the polynomial that of its coefficients.
void scale_effects(const NodeMechanism& node, float scale, std::vector<float>& parameters);

void set_input_scales(const NodeMechanism& node, std::span<const float> centre,
                      std::span<const float> inverse_scale, std::vector<float>& parameters);

}  // namespace causcale
