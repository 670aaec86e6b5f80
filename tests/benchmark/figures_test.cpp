// The paper's figures are there, and the studies put each of them beside a measurement.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "benchmark/paper_figures.h"
#include "benchmark/studies.h"
#include "causcale/error.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

double figure(std::string_view table, std::string_view setting, std::string_view method,
              std::string_view metric) {
  const PaperFigure* found = paper_figure(table, setting, method, metric);
  return found ? found->mean : -1.0;
}

TEST(PaperFigures, AreThoseOfThePaper) {
  EXPECT_EQ(figure("table1", "linear_n100_e400", "CauScale", "map"), 99.6);
  EXPECT_EQ(figure("table1", "polynomial_n1000_e2000", "CauScale", "shd"), 3985.0);
  EXPECT_EQ(figure("table1", "nn_n1000_e2000", "SEA-gies", "auc"), 73.9);
  EXPECT_EQ(figure("table1", "sergio_n200_e400", "CauScale", "seconds"), 2.5195);
  EXPECT_EQ(figure("aid", "sergio_n100_e400", "SDCD", "parent_aid"), 0.907);
  EXPECT_EQ(figure("cyclicity", "polynomial_n1000_e2000", "CauScale", "removed_edges"), 103.0);
  EXPECT_EQ(figure("observational", "nn_n1000_e2000", "CauScale", "map"), 71.8);
  EXPECT_EQ(figure("prior", "n1000_e2000_p200", "CauScale", "map"), 58.1);
  EXPECT_EQ(figure("ablation", "n20_e80", "strided_pooling", "map"), 84.6);
  EXPECT_EQ(paper_figure("table1", "sigmoid_add_n100_e400", "CauScale", "shd")->deviation, 23.9);
  // "-" in the paper, and a method that it left out.
  EXPECT_EQ(paper_figure("table1", "linear_n100_e400", "CORR", "oa"), nullptr);
  EXPECT_EQ(paper_figure("table1", "linear_n1000_e2000", "DiffAN", "map"), nullptr);
  EXPECT_TRUE(contains(std::string(paper_remark("hidden")), "97"));
}

TEST(PaperFigures, NoneIsThereTwice) {
  std::set<std::string> seen;
  for (const PaperFigure& f : paper_figures())
    EXPECT_TRUE(seen.insert(std::string(f.table) + "/" + std::string(f.setting) + "/" +
                            std::string(f.method) + "/" + std::string(f.metric))
                    .second)
        << f.table << " " << f.setting << " " << f.method << " " << f.metric;
}

// A typing error in a setting's name on either side would leave a figure without its place.
TEST(PaperFigures, EveryOneHasItsPlaceInAStudy) {
  StudyRequest request;
  request.paper_methods = true;
  for (const char* name : {"full", "max_pooling", "strided_pooling"})
    request.variants.emplace_back(name, "x");
  std::set<const PaperFigure*> placed;
  for (const StudyEntry& entry : study_entries()) {
    if (entry.name == "real") continue;
    const Study study = entry.make(request);
    for (const StudyRow& row : study.rows)
      for (const StudyColumn& column : study.columns)
        placed.insert(paper_figure(study.name, row.paper_setting, row.contender.paper_name, column.metric));
  }
  for (const PaperFigure& f : paper_figures())
    EXPECT_TRUE(placed.contains(&f)) << f.table << " " << f.setting << " " << f.method << " " << f.metric;
}

TEST(Studies, SizesAreChosen) {
  StudyRequest request;
  request.mechanisms = {"linear", "sergio"};
  // 1000 is a size of the synthetic part only, 20 of neither.
  request.sizes = {"1000", "20", "30:45"};
  const Study study = table1_study(request);
  std::vector<std::string> labels;
  for (const StudyRow& row : study.rows) labels.push_back(row.labels[0] + " " + row.labels[1]);
  EXPECT_EQ(labels, (std::vector<std::string>{"n=1000 E=2000 linear", "n=20 E=40 linear", "n=30 E=45 linear",
                                              "n=20 E=40 SERGIO", "n=30 E=45 SERGIO"}));
  EXPECT_EQ(std::get<SyntheticOptions>(study.rows[2].sources[0]).edges_per_node, 1.5);
}

TEST(Studies, OtherRowsThanThePapersHaveNoFigureOfThePaper) {
  StudyRequest request;
  EXPECT_FALSE(table1_study(request).rows[0].paper_setting.empty());
  request.rows = {500};
  EXPECT_TRUE(table1_study(request).rows[0].paper_setting.empty());
}

TEST(Studies, DataAreThePapers) {
  const Study table = table1_study({});
  EXPECT_EQ(table.graphs, 5);
  const auto& sergio = std::get<SergioOptions>(table.rows.back().sources[0]);
  EXPECT_EQ(sergio.rows, 20000);
  EXPECT_EQ(sergio.graph.nodes, 200);
  EXPECT_EQ(sergio.graph.edges_per_node, 2.0);
  EXPECT_EQ(table.rows[0].contender.prior_units, PriorUnits::kRaw);
  const Study observed = observational_study({});
  for (const StudyRow& row : observed.rows)
    EXPECT_EQ(std::get<SyntheticOptions>(row.sources[0]).interventions.effect, InterventionEffect::kNone);
  EXPECT_EQ(std::get<SyntheticOptions>(hidden_study({}).rows.back().sources[0]).hidden, 64);
}

TEST(Studies, MistakesAreExplained) {
  StudyRequest request;
  request.sizes = {"many"};
  EXPECT_TRUE(contains(error_of([&] { table1_study(request); }), "--nodes many"));
  request.sizes.clear();
  request.mechanisms = {"magic"};
  EXPECT_TRUE(contains(error_of([&] { table1_study(request); }), "sigmoid_add"));
  request.mechanisms = {"sergio"};
  EXPECT_TRUE(contains(error_of([&] { observational_study(request); }), "no SERGIO part"));
  request.mechanisms.clear();
  request.rows = {100, 200};
  EXPECT_TRUE(contains(error_of([&] { table1_study(request); }), "samples"));
  EXPECT_TRUE(contains(error_of([&] { ablation_study({}); }), "--write-configs"));
  StudyRequest hiding;
  hiding.sizes = {"10"};
  hiding.hidden = {9};
  EXPECT_TRUE(contains(error_of([&] { hidden_study(hiding); }), "--hidden 9"));
  StudyRequest nothing;
  nothing.network = false;
  EXPECT_TRUE(contains(error_of([&] { table1_study(nothing); }), "nothing to measure"));
  for (const auto make : {cost_study, prior_study})
    EXPECT_TRUE(contains(error_of([&] { make(nothing); }), "network only"));
}

}  // namespace
}  // namespace causcale
