// What in the data tells which way an arrow points, whatever the network says.
#pragma once

#include <vector>

#include "base/name_table.h"
#include "causcale/discover.h"

namespace causcale {

inline constexpr NameTable<DirectionBasis, 7> kDirectionNames{{
    {DirectionBasis::kUntested, "untested"},
    {DirectionBasis::kNone, "none"},
    {DirectionBasis::kKnowledge, "knowledge"},
    {DirectionBasis::kIntervention, "intervention"},
    {DirectionBasis::kShape, "shape"},
    {DirectionBasis::kStructure, "structure"},
    {DirectionBasis::kReverse, "reverse"},
}};

// One entry per edge of result.graph, in its order; uses result.evidence for interventions on the source.
//
// shape_z compares, row by row, two models of the pair given the other causes of both: source first and
// target as a bent function of it plus noise, or the reverse, with noise of any distribution (the statistic
// of Vuong 1989). In linear Gaussian data both are equally good. A favoured model whose noise depends on its
// cause is no model: then the value is zero.
//
// structure_z compares the likelihoods of the graph and of the graph with the edge turned round, as linear
// Gaussian models of normal scores. Where turning changes no independence it is zero.
std::vector<DirectionEvidence> direction_evidence(const Dataset& dataset, const Knowledge& knowledge,
                                                  const DiscoverResult& result, int threads);

// Nothing where the edge has no entry.
const DirectionEvidence* find_direction(const DiscoverResult& result, Edge edge);

// The remark for the first screen about arrows whose direction nothing tells, if there are any.
void warn_of_untold_directions(DiscoverResult& result);

}  // namespace causcale
