// The PC algorithm (Spirtes and Glymour), apart from tables and settings: from an independence test to a
// CPDAG.
#pragma once

#include "graph/mixed_graph.h"
#include "methods/constraint/skeleton.h"

namespace causcale {

// How an unshielded triple x - z - y is judged to be a collider x -> z <- y.
enum class ColliderRule {
  kPlain,         // z is not in the set that separated x and y
  kMajority,      // z is in less than half of all sets of neighbours that separate x and y
  kConservative,  // z is in none of them
};

struct PcResult {
  MixedGraph graph;
  std::size_t ambiguous = 0;  // triples that the majority or conservative rule left open
  std::size_t conflicts = 0;  // colliders given up because they contradicted surer ones or the knowledge
};

// `check` is that of SkeletonOptions. The majority and conservative rules try sets of neighbours up to the
// largest size that the skeleton needed.
PcResult orient_pc(const Skeleton& skeleton, const IndependenceTest& test, const EdgeRules& rules,
                   ColliderRule collider_rule, int threads, const std::function<void()>& check = {});

}  // namespace causcale
