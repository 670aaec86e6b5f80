#include "causcale/knowledge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "causcale/error.h"
#include "graph/knowledge_file.h"

namespace causcale {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c", "long name"};

std::filesystem::path file_with(const std::string& content) {
  const auto path =
      std::filesystem::temp_directory_path() / ("causcale_knowledge_" + std::to_string(getpid()));
  write_file_atomically(path, content);
  return path;
}

template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Knowledge, TiersForbidBackwardEdges) {
  Knowledge knowledge;
  knowledge.tier_of = {0, 1, 1, -1};
  EXPECT_TRUE(knowledge.forbids({1, 0}));
  EXPECT_FALSE(knowledge.forbids({0, 1}));
  EXPECT_FALSE(knowledge.forbids({1, 2}));
  EXPECT_FALSE(knowledge.forbids({3, 0}));
  knowledge.closed_tiers = {1};
  EXPECT_TRUE(knowledge.forbids({1, 2}));
}

TEST(Knowledge, ContradictionsAreNamed) {
  Knowledge both{.required = {{0, 1}}, .forbidden = {{0, 1}}, .tier_of = {}, .closed_tiers = {}};
  EXPECT_NE(error_of([&] { both.check(kNames); }).find("a -> b is both required and forbidden"),
            std::string::npos);
  Knowledge tiers{.required = {{0, 1}}, .forbidden = {}, .tier_of = {2, 1, 0, 0}, .closed_tiers = {}};
  EXPECT_NE(error_of([&] { tiers.check(kNames); }).find("against the tiers"), std::string::npos);
  Knowledge mutual{.required = {{0, 1}, {1, 0}}, .forbidden = {}, .tier_of = {}, .closed_tiers = {}};
  EXPECT_NE(error_of([&] { mutual.check(kNames); }).find("both directions"), std::string::npos);
  Knowledge cycle{.required = {{0, 1}, {1, 2}, {2, 0}}, .forbidden = {}, .tier_of = {}, .closed_tiers = {}};
  EXPECT_NE(error_of([&] { cycle.check(kNames); }).find("cycle"), std::string::npos);
  Knowledge repeated{.required = {{0, 1}, {0, 1}}, .forbidden = {{1, 0}}, .tier_of = {}, .closed_tiers = {}};
  EXPECT_NO_THROW(repeated.check(kNames));
}

TEST(KnowledgeFile, EdgesWithAndWithoutHeader) {
  const std::vector<Edge> expected = {{0, 1}, {3, 2}};
  EXPECT_EQ(read_edge_constraints(file_with("from,to\na,b\n\"long name\",c\n"), kNames), expected);
  EXPECT_EQ(read_edge_constraints(file_with("\xEF\xBB\xBF"
                                            "a,b\r\n\r\n# remark\nlong name , c"),
                                  kNames),
            expected);
}

TEST(KnowledgeFile, SemicolonsAndTabsSeparateWhereThereIsNoComma) {
  const std::vector<Edge> expected = {{0, 1}, {3, 2}};
  EXPECT_EQ(read_edge_constraints(file_with("from;to\na;b\n\"long name\" ; c\n"), kNames), expected);
  EXPECT_EQ(read_edge_constraints(file_with("source\ttarget\na\tb\nlong name\tc\n"), kNames), expected);
  const std::vector<std::string> names{"x;y", "u,v", "w"};
  EXPECT_EQ(read_edge_constraints(file_with("x;y,w\n\"u,v\";w\n"), names),
            (std::vector<Edge>{{0, 2}, {1, 2}}));
  Knowledge knowledge;
  read_tiers(file_with("variable;tier\na;0\nc;2\n"), kNames, knowledge);
  EXPECT_EQ(knowledge.tier_of[0], 0);
  EXPECT_EQ(knowledge.tier_of[2], 2);
}

TEST(KnowledgeFile, LatinOneIsReadAsTheTableIs) {
  const std::vector<std::string> names{"Größe", "Alter"};
  EXPECT_EQ(read_edge_constraints(file_with("Alter;Gr\xF6\xDF"
                                            "e\n"),
                                  names),
            (std::vector<Edge>{{1, 0}}));
  EXPECT_EQ(read_edge_constraints(file_with("Alter;Größe\n"), names), (std::vector<Edge>{{1, 0}}));
  Knowledge knowledge;
  read_tiers(file_with("Gr\xF6\xDF"
                       "e,1\n"),
             names, knowledge);
  EXPECT_EQ(knowledge.tier_of[0], 1);
}

TEST(KnowledgeFile, ANameMayBeginLikeAComment) {
  const std::vector<std::string> names{"# of cells", "b"};
  EXPECT_EQ(read_edge_constraints(file_with("# of what?\n# of cells,b\n"), names),
            (std::vector<Edge>{{0, 1}}));
}

TEST(KnowledgeFile, ErrorsHaveFileAndLine) {
  EXPECT_NE(error_of([] {
              read_edge_constraints(file_with("a,b\na,x\n"), kNames);
            }).find(":2: 'x' is not a variable"),
            std::string::npos);
  EXPECT_NE(
      error_of([] { read_edge_constraints(file_with("a,b,c\n"), kNames); }).find(":1: expected two names"),
      std::string::npos);
  EXPECT_NE(error_of([] { read_edge_constraints(file_with("a,a\n"), kNames); }).find("cannot cause itself"),
            std::string::npos);
  Knowledge knowledge;
  EXPECT_NE(
      error_of([&] { read_tiers(file_with("a,first\n"), kNames, knowledge); }).find("not a whole number"),
      std::string::npos);
}

TEST(KnowledgeFile, Tiers) {
  Knowledge knowledge;
  read_tiers(file_with("variable,tier\na,1\nb,2\nc,2\n"), kNames, knowledge);
  EXPECT_EQ(knowledge.tier_of, (std::vector<int>{1, 2, 2, -1}));
}

TEST(KnowledgeFile, Tetrad) {
  Knowledge knowledge;
  read_tetrad_knowledge(
      file_with("/knowledge\naddtemporal\n1 a\n2* b c\n\nforbiddirect\na c\n\nrequiredirect\na b\n"), kNames,
      knowledge);
  EXPECT_EQ(knowledge.tier_of, (std::vector<int>{1, 2, 2, -1}));
  EXPECT_EQ(knowledge.closed_tiers, (std::vector<int>{2}));
  EXPECT_EQ(knowledge.forbidden, (std::vector<Edge>{{0, 2}}));
  EXPECT_EQ(knowledge.required, (std::vector<Edge>{{0, 1}}));
  EXPECT_NE(
      error_of([&] { read_tetrad_knowledge(file_with("a b\n"), kNames, knowledge); }).find("/knowledge"),
      std::string::npos);
}

}  // namespace
}  // namespace causcale
