#include "service/table_request.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

std::string refusal(const std::string& json) {
  return error_of([&] { parse_table_request(json); });
}

TEST(TableRequest, TakesEverythingThatIsSaid) {
  const TableRequest request = parse_table_request(R"({
    "name": "cells.tsv", "task": "audit", "table": "a\tb\n1\t2\n", "interventions": "a\n",
    "reading": {"header": false, "delimiter": "tab", "missing": "mean", "types": {"a=b": "ordered:low<high"},
                "select": ["a"], "control": ["none"], "unknown_targets": "drop"},
    "options": {"model": "synthetic", "threshold": 0.25, "dag": "optimal", "evidence": "off", "seed": 7},
    "knowledge": {"required": [["a", "b"]], "tiers": [["a"], ["b"]]}})");
  EXPECT_EQ(request.name, "cells.tsv");
  EXPECT_TRUE(request.audit_only);
  EXPECT_FALSE(request.read.header);
  EXPECT_EQ(request.read.delimiter, '\t');
  EXPECT_EQ(request.read.missing, MissingPolicy::kMean);
  ASSERT_EQ(request.read.types.size(), 1u);
  EXPECT_EQ(request.read.types[0].column, "a=b");
  EXPECT_EQ(request.read.types[0].order, (std::vector<std::string>{"low", "high"}));
  EXPECT_EQ(request.discover.threshold, 0.25);
  EXPECT_TRUE(request.discover.acyclic);
  EXPECT_EQ(request.discover.acyclic_rule, AcyclicRule::kOptimal);
  EXPECT_EQ(request.discover.evidence, EvidenceRule::kOff);
  EXPECT_EQ(request.discover.seed, 7u);
  EXPECT_EQ(request.knowledge.required.size(), 1u);
}

TEST(TableRequest, WithoutOptionsEverythingIsAsUsual) {
  const TableRequest request = parse_table_request(R"({"table": "a,b\n"})");
  EXPECT_FALSE(request.audit_only);
  EXPECT_FALSE(request.discover.acyclic);
  EXPECT_EQ(equivalent_command(request), "causcale discover table.csv -o report.html");
}

TEST(TableRequest, RefusesWhatItDoesNotKnowAndNamesIt) {
  EXPECT_TRUE(contains(refusal("{"), "the request, line 1: this is no valid JSON"));
  // Neither takes the server's time or its stack.
  EXPECT_TRUE(contains(refusal(std::string(400'000, '[')), "nested too deeply"));
  std::string many = "{\"table\": \"a\", \"options\": {";
  for (int k = 0; k < 50'000; ++k) many += "\"k" + std::to_string(k) + "\": 1,";
  EXPECT_TRUE(contains(refusal(many + "\"z\": 1}}"), "more members"));
  EXPECT_TRUE(contains(refusal("[1]"), "must be a JSON object"));
  EXPECT_TRUE(contains(refusal(R"({"tabel": ""})"), "unknown key \"tabel\""));
  EXPECT_TRUE(contains(refusal(R"({"options": {"tresh": 1}})"), "\"options\" has an unknown key \"tresh\""));
  EXPECT_TRUE(
      contains(refusal(R"({"options": {"threshold": 2}})"), "\"threshold\" takes a number from 0 to 1"));
  EXPECT_TRUE(contains(refusal(R"({"options": {"threshold": null}})"), "\"threshold\""));
  EXPECT_TRUE(contains(refusal(R"({"options": {"bootstrap": 1.5}})"), "whole number from 0 to 1000"));
  EXPECT_TRUE(contains(refusal(R"({"options": {"dag": "yes"}})"), "accepted: greedy, optimal"));
  EXPECT_TRUE(contains(refusal(R"({"reading": {"types": {"a": "strange"}}})"), "strange"));
  EXPECT_TRUE(contains(refusal(R"({"knowledge": {"required": [["a"]]}})"), "pairs [source, target]"));
}

TEST(TableRequest, CannotNameAFile) {
  for (const char* model : {"/etc/passwd", "../general", "general.safetensors", "a\\\\b"})
    EXPECT_TRUE(contains(refusal(std::string(R"({"options": {"model": ")") + model + "\"}}"),
                         "the name of an installed model"))
        << model;
  EXPECT_TRUE(contains(refusal(R"({"reading": {"interventions": "x"}})"), "unknown key"));
  // "@FILE" names a file on the command line only.
  EXPECT_FALSE(refusal(R"({"reading": {"types": {"a": "@/etc/passwd"}}})").empty());
}

TEST(TableRequest, ResolvesKnowledgeByName) {
  NamedKnowledge named;
  named.required = {{"b", "c"}};
  named.tiers = {{"c", "b"}, {"a"}};
  const Knowledge knowledge = resolve_knowledge(named, {"a", "b", "c"});
  EXPECT_EQ(knowledge.required, (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(knowledge.tier_of, (std::vector<int>{1, 0, 0}));
  named.forbidden = {{"a", "nobody"}};
  EXPECT_TRUE(contains(error_of([&] {
                         resolve_knowledge(named, {"a", "b", "c"});
                       }),
                       "'nobody' is no variable"));
  named.forbidden = {{"b", "c"}};
  EXPECT_FALSE(error_of([&] { resolve_knowledge(named, {"a", "b", "c"}); }).empty());
  named.forbidden.clear();
  named.tiers.push_back({"a"});
  EXPECT_TRUE(contains(error_of([&] { resolve_knowledge(named, {"a", "b", "c"}); }), "two tiers"));
}

TEST(TableRequest, SaysWhichCommandDoesTheSame) {
  const TableRequest request = parse_table_request(R"({
    "name": "my data.csv", "table": "x", "interventions": "y",
    "reading": {"types": {"it's": "binary"}, "missing": "drop"},
    "options": {"dag": "greedy", "threshold": 0.25}, "knowledge": {"forbidden": [["a", "b"]]}})");
  EXPECT_EQ(equivalent_command(request),
            "causcale discover 'my data.csv' --missing drop --types 'it'\\''s=binary' --interventions "
            "interventions.csv --threshold 0.25 --dag greedy --forbidden forbidden.csv -o report.html");
}

}  // namespace
}  // namespace causcale
