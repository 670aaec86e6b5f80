// Results in the formats of other programs: NAME.dagitty, NAME.pcalg-cpdag.csv, NAME.bnlearn-strength.csv,
// ...
#pragma once

#include <filesystem>
#include <optional>

#include "exchange/formats.h"
#include "report/shown_graph.h"

namespace causcale {

// What the name asks for; nothing where it asks for one of this program's own formats.
std::optional<GraphFormat> exchange_format(const std::filesystem::path& path);

// The edges with their marks and scores, and the scores of every ordered pair where they are probabilities.
GraphDocument document_of(const ShownGraph& graph);

}  // namespace causcale
