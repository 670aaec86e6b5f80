// Every format read, written and read again; what is wrong is named with its line.
#include "exchange/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "causcale/error.h"
#include "exchange/format_files.h"

namespace causcale {
namespace {

// "A-->B B---C C", sorted: the same for documents that mean the same.
std::string summary(const GraphDocument& document) {
  std::vector<std::string> parts;
  for (const DocumentEdge& edge : document.edges) {
    const bool swap = edge.at_a == edge.at_b && document.names[edge.b] < document.names[edge.a];
    parts.push_back(document.names[swap ? edge.b : edge.a] + edge_text(edge) +
                    document.names[swap ? edge.a : edge.b]);
  }
  std::sort(parts.begin(), parts.end());
  std::vector<std::string> names = document.names;
  std::sort(names.begin(), names.end());
  std::string text = "{";
  for (const std::string& name : names) text += name + ' ';
  text.back() = '}';
  for (const std::string& part : parts) text += ' ' + part;
  return text;
}

GraphDocument parsed(const std::string& text, std::optional<GraphFormat> format = {},
                     std::optional<double> threshold = {}) {
  return parse_graph_document(text, "g", {.format = format, .threshold = threshold});
}

std::string read(const std::string& text, std::optional<GraphFormat> format = {}) {
  return summary(parsed(text, format));
}

std::string error_of(const std::string& text, std::optional<GraphFormat> format = {}) {
  try {
    return "read: " + read(text, format);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string writing_error(const GraphDocument& document, GraphFormat format) {
  try {
    return "written: " + format_graph(document, format);
  } catch (const Error& error) {
    return error.what();
  }
}

const std::string kDag = "dag { A -> B; A -> C; B -> C; D }";
const std::string kCpdag = "pdag { A -- B; A -> C; B -> C; D }";
const std::string kPag = "pag { A @-> C; B @-> C; C -> D; A @-@ E; D <-> E; E --@ B }";

TEST(Exchange, RoundTripOfEveryFormat) {
  const std::pair<std::string, std::vector<GraphFormat>> cases[] = {
      {kDag,
       {GraphFormat::kDagitty, GraphFormat::kGml, GraphFormat::kNodeLink, GraphFormat::kTetrad,
        GraphFormat::kBnlearnModel, GraphFormat::kPcalgCpdag, GraphFormat::kPcalgPag, GraphFormat::kMatrix}},
      {kCpdag,
       {GraphFormat::kDagitty, GraphFormat::kGml, GraphFormat::kNodeLink, GraphFormat::kTetrad,
        GraphFormat::kPcalgCpdag, GraphFormat::kPcalgPag}},
      {kPag,
       {GraphFormat::kDagitty, GraphFormat::kGml, GraphFormat::kNodeLink, GraphFormat::kTetrad,
        GraphFormat::kPcalgPag, GraphFormat::kCaugi, GraphFormat::kEdges}},
      {"pdag { A -- B; A -> C }", {GraphFormat::kCaugi, GraphFormat::kEdges, GraphFormat::kBnlearnStrength}},
  };
  for (const auto& [text, formats] : cases) {
    const GraphDocument document = parsed(text);
    for (const GraphFormat format : formats) {
      const std::string written = format_graph(document, format);
      EXPECT_EQ(read(written, format), summary(document)) << format_name(format) << "\n" << written;
    }
  }
}

TEST(Exchange, NamesWithEverything) {
  GraphDocument document;
  document.path = "g";
  document.names = {"a b", "c,d", "e;\"f", "\u03bb & <1>", "node", "x->y"};
  document.edges = {{0, 1, Mark::kTail, Mark::kArrow},
                    {2, 3, Mark::kTail, Mark::kArrow},
                    {4, 5, Mark::kTail, Mark::kArrow}};
  for (const GraphFormat format :
       {GraphFormat::kGml, GraphFormat::kNodeLink, GraphFormat::kCaugi, GraphFormat::kPcalgPag})
    EXPECT_EQ(read(format_graph(document, format), format), summary(document)) << format_name(format);
  EXPECT_EQ(writing_error(document, GraphFormat::kDagitty), "g: dagitty cannot write the name 'e;\"f'");
  document.names[2] = "e;f";
  EXPECT_EQ(read(format_graph(document, GraphFormat::kDagitty), GraphFormat::kDagitty), summary(document));
}

TEST(Exchange, FormatsAreFoundOutByContent) {
  const std::string expected = "{A B} A-->B";
  for (const char* text : {
           "dag{A->B}",
           "  // a remark\npag {\n A -> B }",
           "digraph \"my graph\" { A -> B [label=\"0.9\", weight=0.9]; }",
           "graph [\n directed 1\n node [ id 0 label \"A\" ]\n node [ id 7 label \"B\" ] edge [ source 0 "
           "target 7 ] ]",
           "Creator \"igraph\"\nVersion 1\ngraph\n[\n directed 1 node [ id 0 label \"A\" ] node [ id 1 label "
           "\"B\" ]"
           " edge [ source 0 target 1 w [ x 1 ] ] ]",
           "{\"directed\": true, \"nodes\": [{\"id\": \"A\"}, {\"id\": \"B\"}], \"links\": [{\"source\": "
           "\"A\", "
           "\"target\": \"B\"}]}",
           "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A --> B\n",
           "1. A --> B\n",
           "A --> B\n",
           "from,edge,to\nA,-->,B\n",
           "\"\",\"from\",\"edge\",\"to\"\n\"1\",\"B\",\"<--\",\"A\"\n",
           "from,to,strength,direction\nA,B,0.9,0.8\nB,A,0.9,0.2\n",
           "[A][B|A]\n",
           "source,target\nA,B\n",
           "A,B\n0,1\n0,0\n",
           "{\"format\": \"causcale.discover/1\", \"names\": [\"A\", \"B\"], \"edges\": [{\"source\": \"A\", "
           "\"target\": \"B\", \"probability\": 0.9}], \"probabilities\": [[0, 0.9], [0.1, 0]]}",
       })
    EXPECT_EQ(read(text), expected) << text;
}

TEST(Exchange, FormatsAreFoundOutByName) {
  EXPECT_EQ(format_of_name("x/g.pcalg-cpdag.csv"), GraphFormat::kPcalgCpdag);
  EXPECT_EQ(format_of_name("g.dagitty"), GraphFormat::kDagitty);
  EXPECT_EQ(format_of_name("g.bnlearn-model.txt"), GraphFormat::kBnlearnModel);
  EXPECT_EQ(format_of_name("g.csv"), std::nullopt);
  EXPECT_EQ(format_named("Causal-Learn", "--to"), GraphFormat::kTetrad);
  EXPECT_THROW(format_named("xdsl", "--to"), UsageError);
}

TEST(Dagitty, GroupsChainsAttributesAndAllArrows) {
  EXPECT_EQ(read("dag { {A B} -> C -> {D; E} }"), "{A B C D E} A-->C B-->C C-->D C-->E");
  EXPECT_EQ(read("dag {\nbb=\"0,0,1,1\"\nX [exposure,pos=\"0.1,0.2\"]\n\"Y 1\" [outcome]\nU [latent]\n"
                 "X -> \"Y 1\" [beta=0.4]\nU->X\nX <-> \"Y 1\"\n}"),
            "{U X Y 1} U-->X X-->Y 1 X<->Y 1");
  EXPECT_EQ(read("pag { A @-@ B @-> C <-@ D -- E --@ F }"), "{A B C D E F} Ao-oB Bo->C D---E Do->C E--oF");
}

TEST(Dagitty, DotOfThisProgramKeepsItsMarks) {
  EXPECT_EQ(read("digraph causcale {\n  // PAG\n  node [shape=box];\n  \"a\";\n  \"a\" -> \"b\" [dir=both, "
                 "arrowtail=odot, arrowhead=normal, label=\"1\"];\n}\n"),
            "{a b} ao->b");
}

TEST(Dagitty, LatentVariablesAndAncestralGraphsStaySuch) {
  const GraphDocument document =
      parse_dagitty("dag { u [latent, pos=\"1,2\"]; x [exposure]; u -> x; u -> y }", "t");
  EXPECT_EQ(document.hidden, std::set<int>{0});
  EXPECT_FALSE(document.ancestral);
  const GraphDocument again = parse_dagitty(format_dagitty(document), "t");
  EXPECT_EQ(again.hidden, document.hidden);
  EXPECT_EQ(again.edges.size(), 2u);
  const GraphDocument mag = parse_dagitty("mag { x -> y }", "t");
  EXPECT_TRUE(mag.ancestral);
  EXPECT_TRUE(parse_dagitty(format_dagitty(mag), "t").ancestral);
}

TEST(Dagitty, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("dag {\nA -> B\nA -> B\n}"), "g, line 3: edge A --> B was given before");
  EXPECT_EQ(error_of("dag {\nA -> A }"), "g, line 2: edge from 'A' to itself");
  EXPECT_EQ(error_of("dag {\nA -> B"), "g, line 1: the { here is not closed");
  EXPECT_EQ(error_of("dag {\nA -> \"B\n}"), "g, line 2: a quote is not closed");
  EXPECT_EQ(error_of("dag {\nA -> ]\n}"), "g, line 2: ']' where the name of a variable should stand");
  EXPECT_EQ(error_of("pdag {\nA -- B\nA -> B }"),
            "g, line 3: A --> B contradicts A --- B, which was given before");
  EXPECT_EQ(error_of("dag { A } more"), "g, line 1: 'more' after the end of the graph");
  EXPECT_NE(error_of("dag" + std::string(500, '{')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of("https://dagitty.net/mXYZ123").find("Model code"), std::string::npos);
}

TEST(Gml, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("graph [\n node [ id 0 ]\n edge [ source 0 target 1 ]\n]"),
            "g, line 3: there is no node with id 1");
  EXPECT_EQ(error_of("graph [\n node [ id 0 label \"a\" ]\n node [ id 1 label \"a\" ]\n]"),
            "g, line 3: a second node is called 'a'");
  EXPECT_EQ(error_of("graph [\n node [ id 0 label \"a ]\n"), "g, line 2: a quote is not closed");
  EXPECT_EQ(error_of("graph [\n node [ id 0\n"), "g, line 2: the [ here is not closed");
  EXPECT_EQ(error_of("graph [\n edge [ source 0 ]\n]"), "g, line 2: this edge has no target");
  EXPECT_EQ(
      read("graph [ node [ id 0 label \"a\" ] node [ id 1 label \"&#955;\" ] edge [ source 0 target 1 ] ]"),
      "{a \u03bb} a---\u03bb");
}

TEST(NodeLink, ErrorsNameTheEntry) {
  EXPECT_EQ(error_of("{\"nodes\": [\n{\"id\": 1},, ]}"), "g, line 2: this is no valid JSON");
  EXPECT_EQ(error_of("{\"nodes\": []}"), "g has no \"links\"");
  EXPECT_EQ(error_of("{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 2}]}"),
            "g: links[0]: '2' is none of the nodes");
  EXPECT_EQ(error_of("{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}], \"links\": []}"),
            "g: nodes[1]: a second node is called '1'");
  EXPECT_NE(error_of("{\"nodes\":" + std::string(3000, '[')).find("nested too deeply"), std::string::npos);
}

TEST(Tetrad, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("Graph Nodes:\nA;B\n\nGraph Edges:\n1. A --> C\n"),
            "g, line 5: 'C' is none of the variables under Graph Nodes");
  EXPECT_EQ(error_of("1. A --> B\n2. A ==> C\n"),
            "g, line 2: '2. A ==> C' is no edge such as 1. A --> B (--> --- <-> o-> o-o <-- are known)");
  EXPECT_EQ(error_of("Graph Nodes:\nA;A\n"), "g, line 2: variable 'A' is named twice");
  EXPECT_EQ(read("Graph Nodes:\nA,B\nGraph Edges:\n1. A o-> B dd nl\n\nGraph Attributes:\nBIC: -3\n"),
            "{A B} Ao->B");
  EXPECT_FALSE(parsed("1. A --> B\n").all_nodes);
}

TEST(Caugi, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("from,edge,to\nA,-->,B\nB,->,C\n"),
            "g, line 3, column 2: '->' is no edge (--> --- <-> o-> o-o --o <-- are known)");
  EXPECT_EQ(error_of("from,edge,to\nA,-->,\n"), "g, line 2, column 3: the name of a variable is missing");
  EXPECT_EQ(error_of("from,edge,to\nA,-->\n"), "g, line 2: 2 cells, the header has 3");
}

TEST(Bnlearn, StrengthTimesDirectionRanksAndAveragedNetworkSelects) {
  const GraphDocument document = parsed(
      "from,to,strength,direction\nA,B,0.9,0.75\nB,A,0.9,0.25\nB,C,0.8,0.5\nC,B,0.8,0.5\nA,C,0.4,1\nC,A,0.4,"
      "0\n");
  EXPECT_EQ(summary(document), "{A B C} A-->B B---C");
  const GraphFile ranking = to_graph_file(document, true);
  ASSERT_FALSE(ranking.is_edge_list);  // every pair is listed
  EXPECT_DOUBLE_EQ(ranking.matrix(0, 1), 0.9 * 0.75);
  EXPECT_DOUBLE_EQ(ranking.matrix(0, 2), 0.4);
  const GraphFile truth = to_graph_file(document, false);
  EXPECT_EQ(truth.matrix, Matrix<double>(3, 3, std::vector<double>{0, 1, 0, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(summary(parsed("from,to,strength,direction\nA,B,0.6,1\nB,C,0.9,1\n", {}, 0.7)), "{A B C} B-->C");
  const GraphDocument again = parsed(format_graph(document, GraphFormat::kBnlearnStrength));
  EXPECT_EQ(summary(again), summary(document));
  EXPECT_EQ(error_of("from,to,strength,direction\nA,B,0.6,1\nA,B,0.9,1\n"),
            "g, line 3: the pair A, B was given before");
  EXPECT_EQ(error_of("from,to,strength,direction\nA,B,-12.5,1\n"),
            "g, line 2, column 3: -12.5 is no probability");
}

TEST(Bnlearn, ModelStrings) {
  EXPECT_EQ(read("[A][C|A:B][B|A]"), "{A B C} A-->B A-->C B-->C");
  EXPECT_EQ(format_graph(parsed(kDag), GraphFormat::kBnlearnModel), "[A][D][B|A][C|A:B]\n");
  EXPECT_EQ(error_of("[A][B|Z]"), "g, line 1: 'Z' is a parent but has no [ ] of its own");
  EXPECT_EQ(error_of("[A|B]\n[B|A]"), "g: the model has a directed cycle");
  EXPECT_EQ(error_of("[A]\n[A]"), "g, line 2: variable 'A' is given twice");
  EXPECT_EQ(error_of("[A]\n[B|A"), "g, line 2: the end of the file where ] should end variable 'B'");
  EXPECT_EQ(writing_error(parsed(kCpdag), GraphFormat::kBnlearnModel),
            "g: a model string of bnlearn cannot hold A --- B; it has -->");
  EXPECT_NE(
      writing_error(parsed("dag { A -> B -> C -> A }"), GraphFormat::kBnlearnModel).find("directed cycle"),
      std::string::npos);
}

// pcalg's documentation: amat.cpdag[a,b] = 0 and [b,a] = 1 is a --> b; amat.pag[a,b] = 2 and [b,a] = 3 is.
TEST(Pcalg, ConventionsAreThoseOfItsDocumentation) {
  EXPECT_EQ(format_graph(parsed("dag { a -> b }"), GraphFormat::kPcalgCpdag), "\"\",a,b\na,0,0\nb,1,0\n");
  EXPECT_EQ(format_graph(parsed("dag { a -> b }"), GraphFormat::kPcalgPag), "\"\",a,b\na,0,2\nb,3,0\n");
  EXPECT_EQ(read("a,b\n0,0\n1,0\n", GraphFormat::kPcalgCpdag), "{a b} a-->b");
  EXPECT_EQ(read("a,b\n0,0\n1,0\n"), "{a b} b-->a");
  EXPECT_EQ(read("a,b\n0,1\n1,0\n", GraphFormat::kPcalgCpdag), "{a b} a---b");
  EXPECT_EQ(read("a,b\n0,2\n3,0\n", GraphFormat::kPcalgPag), "{a b} a-->b");
  EXPECT_EQ(read("a,b\n0,2\n1,0\n", GraphFormat::kPcalgPag), "{a b} ao->b");
  EXPECT_EQ(read("a,b\n0,2\n2,0\n", GraphFormat::kPcalgPag), "{a b} a<->b");
  EXPECT_NE(error_of("a,b\n0,2\n1,0\n").find("--from pcalg-pag or --from matrix"), std::string::npos);
  EXPECT_EQ(error_of("a,b\n0,2\n0,0\n", GraphFormat::kPcalgPag),
            "g: row 'a', column 'b': a mark at one end only");
  EXPECT_EQ(error_of("a,b\n0,4\n1,0\n", GraphFormat::kPcalgPag),
            "g: row 'a', column 'b': 4 where pcalg's amat.pag has 0, 1, 2 or 3");
  EXPECT_EQ(writing_error(parsed("digraph { a -> b; b -> a }"), GraphFormat::kPcalgCpdag),
            "g: pcalg's amat.cpdag cannot hold b --> a; it has one edge per pair of variables");
}

TEST(Exchange, AMatrixOfScoresNeedsAThreshold) {
  EXPECT_NE(error_of("a,b\n0,0.9\n0.2,0\n").find("--threshold"), std::string::npos);
  const GraphDocument document = parsed("a,b\n0,0.9\n0.2,0\n", {}, 0.5);
  EXPECT_EQ(summary(document), "{a b} a-->b");
  EXPECT_EQ(format_graph(document, GraphFormat::kBnlearnStrength),
            "from,to,strength,direction\na,b,1,0.818181818\nb,a,1,0.181818182\n");
}

TEST(Exchange, EvaluationTakesWhatTheMarksLeaveOpen) {
  const GraphFile file = to_graph_file(parsed("pag { A @-> B; B @-@ C; C <-> D; D -> A; D <-> A; E }"), true);
  EXPECT_EQ(file.names, (std::vector<std::string>{"A", "B", "C", "D", "E"}));
  EXPECT_FALSE(file.is_edge_list);
  Matrix<double> expected(5, 5);
  expected(0, 1) = expected(1, 2) = expected(2, 1) = expected(3, 0) = 1.0;
  EXPECT_EQ(file.matrix, expected);
  EXPECT_TRUE(to_graph_file(parsed("from,edge,to\nA,-->,B\n"), true).is_edge_list);
}

TEST(Exchange, AResultRanksAllPairsAndItsGraphIsATruth) {
  const GraphDocument document = parsed(
      "{\"format\": \"causcale.discover/1\", \"names\": [\"A\", \"B\"], \"edges\": [{\"source\": \"A\", "
      "\"target\": \"B\", \"probability\": 0.9}], \"probabilities\": [[0, 0.9], [0.1, 0]]}");
  EXPECT_EQ(to_graph_file(document, true).matrix, Matrix<double>(2, 2, std::vector<double>{0, 0.9, 0.1, 0}));
  EXPECT_EQ(to_graph_file(document, false).matrix, Matrix<double>(2, 2, std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(
      error_of("{\"format\": \"causcale.discover/1\", \"names\": [\"A\"], \"edges\": [{\"source\": \"A\"}]}"),
      "g: edges[0] has no \"target\" that is one of the names");
}

TEST(Exchange, ResultsOfOtherVersionsAndNamesThatAreNoneAreRefused) {
  const auto result = [](const char* format, const char* name) {
    return std::string("{\"format\": \"") + format + "\", \"names\": [\"" + name + "\"], \"edges\": []}";
  };
  EXPECT_EQ(error_of(result("causcale.discover/2", "A")),
            "g: it is no result of discover: format is not causcale.discover/1");
  EXPECT_NE(error_of(result("causcale.discover/1", "")).find("no name"), std::string::npos);
  EXPECT_NE(error_of(result("causcale.discover/1", "A\\u0000")).find("no name"), std::string::npos);
  EXPECT_EQ(error_of(result("causcale.discover/1", "A")), "read: {A}");
}

TEST(Exchange, AThresholdHoldsInEveryFormatWithScores) {
  const GraphDocument document = parsed("source,target,score\nA,B,0.9\nB,C,0.25\n");
  for (const GraphFormat format : {GraphFormat::kEdges, GraphFormat::kGml, GraphFormat::kNodeLink}) {
    const std::string text = format_graph(document, format);
    EXPECT_EQ(parsed(text, format).edges.size(), 2u) << format_name(format);
    EXPECT_EQ(parsed(text, format, 0.5).edges.size(), 1u) << format_name(format);
  }
  EXPECT_EQ(
      parsed("{\"format\": \"causcale.discover/1\", \"names\": [\"A\", \"B\"], \"edges\": [{\"source\": "
             "\"A\", \"target\": \"B\", \"probability\": 0.5}]}",
             {}, 0.5)
          .edges.size(),
      0u);
}

TEST(Exchange, LatinOneFilesGiveTheNamesOfATable) {
  const auto path = std::filesystem::temp_directory_path() / "causcale_exchange_latin.dagitty";
  write_file_atomically(path,
                        "dag { Gr\xF6\xDF"
                        "e -> B }");
  EXPECT_EQ(summary(read_graph_document(path)), "{B Größe} Größe-->B");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace causcale
