// Many acyclic graphs on the nodes of one component, by whichever way suits it.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/pair_weights.h"

namespace causcale {

struct ComponentSamples {
  std::vector<std::vector<Edge>> graphs;  // in the component's numbers
  bool exact = true;
  const char* method = "";
  double acceptance = 1.0;
  int chains = 0, sweeps = 0;
  double effective = 0.0, scale_reduction = 1.0;
};

struct DrawRequest {
  int count = 1000;
  std::uint64_t seed = 0;
  std::uint32_t component = 0;  // its number: components have random numbers of their own
  int threads = 0;
};

// Enumeration for few nodes; rejection, where independent draws of the pairs are acyclic often enough;
// otherwise a chain. Edges without alternative must form no cycle.
ComponentSamples sample_component(const WeightComponent& component, const DrawRequest& request);

// The three ways.
ComponentSamples sample_by_enumeration(const WeightComponent& component, const DrawRequest& request);
// Nothing drawn where too few of some trial draws are acyclic (then graphs is empty).
ComponentSamples sample_by_rejection(const WeightComponent& component, const DrawRequest& request);
ComponentSamples sample_by_chain(const WeightComponent& component, const DrawRequest& request);

}  // namespace causcale
