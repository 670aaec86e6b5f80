#include "report/exchange_output.h"

#include <gtest/gtest.h>

#include "report/sample_results.h"

namespace causcale {
namespace {

TEST(ExchangeOutput, TheNameChoosesAndOwnFormatsStayWhatTheyAre) {
  EXPECT_EQ(exchange_format("g.dagitty"), GraphFormat::kDagitty);
  EXPECT_EQ(exchange_format("out/g.pcalg-pag.csv"), GraphFormat::kPcalgPag);
  EXPECT_EQ(exchange_format("g.node-link.json"), GraphFormat::kNodeLink);
  for (const char* own :
       {"g.csv", "g.json", "g.gml", "g.gml.html", "g.edges.csv", "g.matrix.csv", "g.dagitty.svg"})
    EXPECT_EQ(exchange_format(own), std::nullopt) << own;
}

TEST(ExchangeOutput, HoldsTheGraphAndTheProbabilitiesOfAllPairs) {
  const DiscoverResult result = synthetic_result(6, 5, 1);
  const GraphDocument document = document_of(result);
  EXPECT_EQ(document.names, result.names);
  EXPECT_EQ(arrows_of(document), result.graph);
  EXPECT_EQ(document.pair_scores.size(), 30u);
  EXPECT_EQ(to_graph_file(document, true).matrix, result.probabilities);
}

TEST(ExchangeOutput, KeepsTheMarksOfOtherMethods) {
  const MethodOutcome outcome = pag_outcome();
  const GraphDocument document = document_of(outcome);
  const GraphDocument again = parse_graph_document(format_graph(document, GraphFormat::kPcalgPag), "again",
                                                   {.format = GraphFormat::kPcalgPag});
  MixedGraph marks(static_cast<int>(again.names.size()));
  for (const DocumentEdge& edge : again.edges) marks.set(edge.a, edge.b, edge.at_a, edge.at_b);
  EXPECT_EQ(again.names, outcome.result.names);
  EXPECT_EQ(marks, outcome.marks);
}

}  // namespace
}  // namespace causcale
