#include "service/table_job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "causcale/read.h"
#include "report/report.h"
#include "service/result_formats.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

struct Sample {
  std::string table, interventions;
};

Sample sample() {
  SyntheticOptions options;
  options.nodes = 6;
  options.rows = 60;
  options.edges_per_node = 1;
  const Simulation simulation = simulate_synthetic(options, 5, 0);
  Sample text;
  const Table& table = simulation.dataset.table;
  for (std::size_t c = 0; c < table.cols(); ++c) text.table += (c ? "," : "") + table.names[c];
  for (std::size_t r = 0; r < table.rows(); ++r) {
    text.table += "\n";
    for (std::size_t c = 0; c < table.cols(); ++c)
      text.table += fmt::format("{}{}", c ? "," : "", table.values(r, c));
  }
  text.interventions = format_intervention_lines(simulation.dataset.interventions, table.names);
  return text;
}

TableRequest sample_request() {
  TableRequest request;
  request.name = "sample.csv";
  request.table = sample().table + "\n";
  request.interventions = sample().interventions;
  return request;
}

TEST(TableJob, FindsTheSameGraphAsFromFiles) {
  const test::TempFolder folder;
  const TableRequest request = sample_request();
  const auto data = folder.write("data.csv", request.table);
  const auto targets = folder.write("targets.csv", request.interventions);
  const LoadedModel model = load_for_discover({});
  const DiscoverResult expected = discover(read_table(data, {.interventions = targets}), {}, model);
  std::vector<std::string> stages;
  const TableResult found =
      discover_table(request, model, {}, [&](const std::string& stage, double) { stages.push_back(stage); });
  EXPECT_EQ(found.result.probabilities, expected.probabilities);
  EXPECT_EQ(found.record.data_file, "sample.csv");
  EXPECT_FALSE(stages.empty());

  for (const ResultFormat& format : result_formats()) {
    // Formats that know no cycles or no common causes may refuse a graph, in words.
    try {
      EXPECT_FALSE(format_result(found.result, found.record, format.name).empty()) << format.name;
    } catch (const InputError& error) {
      EXPECT_STRNE(error.what(), "") << format.name;
    }
  }
  EXPECT_EQ(format_result(found.result, found.record, "csv"), format_edges_csv(expected));
  EXPECT_TRUE(
      contains(error_of([&] { format_result(found.result, found.record, "exe"); }), "accepted: html"));
}

TEST(TableJob, ProgressMayEndIt) {
  const LoadedModel model = load_for_discover({});
  struct Enough {};
  EXPECT_THROW(discover_table(sample_request(), model, {},
                              [](const std::string& stage, double) {
                                if (stage == "network") throw Enough();
                              }),
               Enough);
}

TEST(TableJob, KeepsKnowledge) {
  TableRequest request = sample_request();
  const LoadedModel model = load_for_discover({});
  const TableResult before = discover_table(request, model, {}, {});
  const auto edges = before.result.graph.edges();
  ASSERT_FALSE(edges.empty());
  const auto& names = before.result.names;
  request.knowledge.forbidden = {{names[edges[0].source], names[edges[0].target]}};
  const TableResult after = discover_table(request, model, {}, {});
  EXPECT_FALSE(after.result.graph.has_edge(edges[0].source, edges[0].target));
}

TEST(TableJob, MessagesCallTheTableByItsName) {
  TableRequest request;
  request.name = "mine.csv";
  request.table = "a,b\n1,2\n3\n";
  const std::string message = error_of([&] { examine_table(request, {}); });
  EXPECT_TRUE(contains(message, "mine.csv")) << message;
  EXPECT_EQ(message.find("/proc/"), message.npos) << message;

  request.table = "a,b\n1,2\n3,4\n";
  request.interventions = "nobody\n\n";
  const auto audit = nlohmann::json::parse(audit_json(request, {}));
  EXPECT_EQ(audit.dump().find("/proc/"), std::string::npos) << audit.dump();
  EXPECT_GT(audit["errors"], 0);
}

TEST(TableJob, ATableThatCannotBeReadIsAFinding) {
  TableRequest request;
  request.table = "a,b\n1,2\n3\n";
  const auto audit = nlohmann::json::parse(audit_json(request, {}));
  EXPECT_EQ(audit["errors"], 1);
  EXPECT_EQ(audit["findings"][0]["code"], "unreadable");
}

TEST(TableJob, RefusesMoreColumnsThanAllowed) {
  const std::string message = error_of([&] { examine_table(sample_request(), {.most_columns = 5}); });
  EXPECT_TRUE(contains(message, "6 columns are more than the 5"));
}

TEST(TableJob, RefusesWhatTheAuditCallsAnError) {
  TableRequest request;
  request.name = "gaps.csv";
  request.table = "a,b\n1,\n3,4\n5,6\n";
  EXPECT_TRUE(
      contains(error_of([&] { discover_table(request, load_for_discover({}), {}, {}); }), "gaps.csv"));
}

}  // namespace
}  // namespace causcale
