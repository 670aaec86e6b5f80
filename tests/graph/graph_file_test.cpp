#include "graph/graph_file.h"

#include <gtest/gtest.h>

#include <string>

#include "causcale/error.h"

namespace causcale {
namespace {

const Matrix<double> kTwo(2, 2, std::vector<double>{0.0, 0.75, 0.25, 0.0});

std::string error_of(const std::string& text) {
  try {
    parse_graph_text(text, "g.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(GraphFile, MatrixInEveryDress) {
  for (const char* text : {"0,0.75\n0.25,0\n", "0;0.75\r\n0.25;0",
                           "\xEF\xBB\xBF# remark\n\n0\t0.75\n0.25\t0\n", "0.0 7.5e-1\n  0.25   0\n"}) {
    const GraphFile file = parse_graph_text(text, "g");
    EXPECT_FALSE(file.is_edge_list);
    EXPECT_FALSE(file.named);
    EXPECT_EQ(file.names, (std::vector<std::string>{"0", "1"})) << text;
    EXPECT_EQ(file.matrix, kTwo) << text;
  }
  for (const char* text : {"a,b\n0,0.75\n0.25,0\n", ",a,b\na,0,0.75\nb,0.25,0\n", "a,b\na,0,0.75\nb,0.25,0\n",
                           "\"a\",\"b\"\n0,0.75\n0.25,0\n", "variable;a;b\na;0;0.75\nb;0.25;0\n"}) {
    const GraphFile file = parse_graph_text(text, "g");
    EXPECT_TRUE(file.named);
    EXPECT_EQ(file.names, (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(file.matrix, kTwo) << text;
  }
  const GraphFile numbered = parse_graph_text(",0,1\n0,0,0.75\n1,0.25,0\n", "g");
  EXPECT_FALSE(numbered.named);
  EXPECT_EQ(numbered.matrix, kTwo);
  EXPECT_EQ(parse_graph_text("0,1\n0,0.75\n0.25,0\n", "g").matrix, kTwo);
}

// A character of a name separates nothing where another one cuts every line alike.
TEST(GraphFile, NamesWithSeparators) {
  for (const char* text :
       {"source\\target,a;b,c\na;b,0,0.75\nc,0.25,0\n", "a;b,c\n0,0.75\n0.25,0\n",
        "\"a;b\";c\n0;0.75\n0.25;0\n", ",a;b,c\na;b,0,0.75\nc,0.25,0\n", "a;b\tc\n0\t0.75\n0.25\t0\n"}) {
    const GraphFile file = parse_graph_text(text, "g");
    EXPECT_EQ(file.names, (std::vector<std::string>{"a;b", "c"})) << text;
    EXPECT_EQ(file.matrix, kTwo) << text;
  }
  const GraphFile list = parse_graph_text("source,target,note\na;b,c d,\" x \"\n\"l\n2\",a;b,\n", "g");
  EXPECT_EQ(list.names, (std::vector<std::string>{"a;b", "c d", "l\n2"}));
}

TEST(GraphFile, QuotesThatDoNotEnd) {
  EXPECT_EQ(error_of("a,b\n\"a,0,1\nb,0,0\n"), "g.csv, line 2: a quote is not closed");
  EXPECT_EQ(parse_graph_text("5\" pipe,b\n0,0.75\n0.25,0\n", "g").names[0], "5\" pipe");
  std::string endless = "\"";
  for (int i = 0; i < 2000; ++i) endless += "a,b\n";
  EXPECT_EQ(error_of(endless + "\""), "g.csv, line 1: a quote is not closed");
}

TEST(GraphFile, EdgeList) {
  const GraphFile file =
      parse_graph_text("source,target,remark,probability\nx,y,good,0.9\n\"z, w\",x,,0.1\n", "g");
  EXPECT_TRUE(file.is_edge_list);
  EXPECT_TRUE(file.named);
  EXPECT_EQ(file.names, (std::vector<std::string>{"x", "y", "z, w"}));
  EXPECT_EQ(file.edges, (std::vector<StoredEdge>{{0, 1, 0.9}, {2, 0, 0.1}}));
  EXPECT_EQ(parse_graph_text("From;To\n3;1\n", "g").edges, (std::vector<StoredEdge>{{0, 1, 1.0}}));
  EXPECT_FALSE(parse_graph_text("from,to\n3,1\n", "g").named);
  EXPECT_TRUE(parse_graph_text("source,target\n", "g").edges.empty());
}

TEST(GraphFile, PairsWithACommonCauseAreNotJoined) {
  const GraphFile file = parse_graph_text("source,target,score,edge\na,b,0.9,o->\nb,c,0.8,<->\n", "g");
  EXPECT_EQ(file.names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(file.edges, (std::vector<StoredEdge>{{0, 1, 0.9}}));
}

TEST(GraphFile, ScoresTooSmallForADoubleAreZero) {
  EXPECT_EQ(parse_graph_text("source,target,score\na,b,1e-400\n", "g.csv").edges.at(0).score, 0.0);
  EXPECT_EQ(parse_graph_text("a,b\n0,1e-400\n+0.5,0\n", "g.csv").matrix(1, 0), 0.5);
}

TEST(GraphFile, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_of("source,target\na,b\na,b\n"), "g.csv, line 3: edge a -> b was given before");
  EXPECT_EQ(error_of("source,target\n\na,a\n"), "g.csv, line 3: edge from 'a' to itself");
  EXPECT_EQ(error_of("source,target,score\na,b,high\n"),
            "g.csv, line 2, column 3: 'high' is not a finite number");
  EXPECT_EQ(error_of("source,target\na\n"), "g.csv, line 2: 1 cells, the header has 2");
  EXPECT_EQ(error_of("source,target\n,b\n"), "g.csv, line 2, column 1: the name of a variable is missing");
  EXPECT_EQ(error_of("a,b\n0,nan\n0,0\n"), "g.csv, line 2, column 2: 'nan' is not a finite number");
  EXPECT_EQ(error_of("source,target,score\na,b,1e400\n"),
            "g.csv, line 2, column 3: '1e400' is not a finite number");
  EXPECT_EQ(error_of("a,a\n0,1\n0,0\n"), "g.csv, line 1: name 'a' occurs twice");
  EXPECT_EQ(error_of(",a,b\nb,0,1\na,0,0\n"),
            "g.csv, line 2: row 'b' where column 1 is 'a'; both have to be in the same order");
  EXPECT_EQ(error_of("0,1,0\n0,1\n0,1,1\n"), "g.csv, line 2: 2 cells, other lines have 3");
  EXPECT_NE(error_of("0,1,0\n0,0,1\n").find("no square matrix"), std::string::npos);
  EXPECT_NE(error_of("a,b\nc,d\ne,f\n").find("not a finite number"), std::string::npos);
  EXPECT_NE(error_of("a,b\nc,d\ne,f\ng,h\n").find("source,target"), std::string::npos);
  EXPECT_EQ(error_of(""), "g.csv: the file is empty");
  EXPECT_EQ(error_of("# nothing\n \n"), "g.csv: the file is empty");
  EXPECT_EQ(error_of(std::string("a\0b", 3)), "g.csv: neither text nor a .npy file");
  EXPECT_THROW(read_graph_file("no/such/file.csv"), InputError);
}

GraphPair match(const char* prediction, const char* truth, int nodes = 0) {
  return match_graphs(parse_graph_text(prediction, "pred"), parse_graph_text(truth, "true"), nodes);
}

std::string match_error(const char* prediction, const char* truth, int nodes = 0) {
  try {
    match(prediction, truth, nodes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MatchGraphs, ByNameWhateverTheOrder) {
  const GraphPair pair = match("a,b\n0,0.75\n0.25,0\n", "b,a\n0,1\n0,0\n");
  EXPECT_EQ(pair.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(pair.prediction, kTwo);
  EXPECT_EQ(pair.truth, Matrix<double>(2, 2, std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(match("a,b\n0,0.75\n0.25,0\n", "source,target\nb,a\n").truth, pair.truth);
  EXPECT_EQ(match("source,target,score\na,b,0.75\nb,a,0.25\n", "a,b\n0,0\n1,0\n").prediction, kTwo);
}

TEST(MatchGraphs, ByNumberWhereNamesAreMissing) {
  const GraphPair pair = match("a,b\n0,0.75\n0.25,0\n", "0,0\n1,0\n");
  EXPECT_EQ(pair.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(pair.truth(1, 0), 1.0);
  EXPECT_EQ(match("a,b\n0,0.75\n0.25,0\n", "source,target\n1,0\n").truth, pair.truth);
  EXPECT_EQ(match("0,0.75\n0.25,0\n", "source,target\n1,0\n").truth, pair.truth);
  EXPECT_EQ(match("source,target\n1,0\n", "a,b\n0,0.75\n0.25,0\n").prediction, pair.truth);
}

TEST(MatchGraphs, NumbersThatAreNames) {
  const GraphPair pair = match("source,target,score\n1,2,0.9\n2,3,0.8\n", "1,2,3\n0,1,0\n0,0,1\n0,0,0\n");
  EXPECT_EQ(pair.prediction, Matrix<double>(3, 3, std::vector<double>{0, 0.9, 0, 0, 0, 0.8, 0, 0, 0}));
}

TEST(MatchGraphs, TwoEdgeLists) {
  EXPECT_EQ(match("source,target\na,b\n", "source,target\nb,c\n").names,
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(match("source,target\na,b\n", "source,target\nb,c\n", 10).names.size(), 10u);
  EXPECT_EQ(match("source,target\n0,4\n", "source,target\n2,1\n").truth.rows(), 5u);
  EXPECT_EQ(match("source,target\n0,4\n", "source,target\n2,1\n").truth(2, 1), 1.0);
  EXPECT_EQ(match("source,target\n0,4\n", "source,target\n", 8).truth.rows(), 8u);
  EXPECT_NE(match_error("source,target\na,b\n", "source,target\nb,c\n", 2).find("--nodes"),
            std::string::npos);
}

TEST(MatchGraphs, MissingVariablesAreListed) {
  EXPECT_EQ(match_error("a,b\n0,1\n0,0\n", "source,target\na,z\ny,a\n"),
            "true has 2 variables that pred does not have: z, y");
  EXPECT_EQ(match_error("a,b\n0,1\n0,0\n", "a,c\n0,1\n0,0\n"),
            "pred has 1 variable that true does not have: b");
  EXPECT_EQ(match_error("0,1\n0,0\n", "source,target\na,b\n"),
            "true has 2 variables that pred does not have: a, b (pred has no names; its variables are the "
            "numbers 0 "
            "to 1)");
  EXPECT_EQ(match_error("a,b\n0,1\n0,0\n", "source,target\n0,2\n"),
            "true has a variable number 2, but pred has 2 variables only (0 to 1)");
  EXPECT_EQ(match_error("0,1\n0,0\n", "0,1,0\n0,0,0\n0,0,0\n"), "pred has 2 variables, true has 3");
  EXPECT_EQ(match_error("0,1\n0,0\n", "0,1\n0,0\n", 5), "the matrix has 2 variables, --nodes says 5");
}

TEST(MatchGraphs, AnEdgeListThatNamesALargeNumberTakesNoMemory) {
  const GraphFile list = parse_graph_text("source,target\n0,99999\n", "list.csv");
  const std::size_t limit = std::size_t{1} << 20;
  std::string message;
  try {
    match_graphs(list, list, 0, limit);
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(message,
            "list.csv and list.csv have 100000 variables, whose matrices would need 149.01 GiB of memory, "
            "more than the limit of 1.00 MiB");
  const GraphFile named = parse_graph_text("source,target\na,b\n", "list.csv");
  EXPECT_THROW(match_graphs(named, named, 1000000000, limit), InputError);
  EXPECT_EQ(match_graphs(named, named, 200, limit).names.size(), 200u);
}

}  // namespace
}  // namespace causcale
