#include "methods/method.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "causcale/error.h"

namespace causcale {
namespace {

std::vector<Method> classical_methods() {
  return {correlation_method(),
          inverse_covariance_method(),
          var_sort_regress_method(),
          r2_sort_regress_method(),
          pc_method(),
          fci_method(),
          rfci_method()};
}

Dataset normal_table(std::size_t rows, std::size_t columns) {
  Dataset result;
  result.table.values = Matrix<double>(rows, columns);
  RandomStream random(1, 2, 3);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      result.table.values(r, c) = random.normal() + (c > 0 ? 0.7 * result.table.values(r, c - 1) : 0.0);
  for (std::size_t c = 0; c < columns; ++c) result.table.names.push_back("v" + std::to_string(c));
  return result;
}

void expect_well_formed(const MethodResult& result, int n) {
  ASSERT_EQ(result.graph.nodes(), n);
  ASSERT_EQ(result.scores.rows(), static_cast<std::size_t>(n));
  for (int a = 0; a < n; ++a) {
    EXPECT_EQ(result.scores(a, a), 0.0);
    EXPECT_FALSE(result.graph.adjacent(a, a));
    for (int b = 0; b < n; ++b) {
      EXPECT_TRUE(std::isfinite(result.scores(a, b)));
      EXPECT_GE(result.scores(a, b), 0.0);
      EXPECT_EQ(result.graph.adjacent(a, b), result.graph.adjacent(b, a));
    }
  }
}

template <class Kind, class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const Kind& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of the kind was thrown";
  return {};
}

TEST(RunMethod, ChecksEverythingFirst) {
  const Dataset good = normal_table(50, 3);
  const Method method = pc_method();
  MethodOptions options;
  options.settings["alhpa"] = "0.1";
  const std::string unknown = message_of<UsageError>([&] { run_method(method, good, options); });
  EXPECT_NE(unknown.find("alhpa"), std::string::npos);
  EXPECT_NE(unknown.find("max-conditioning"), std::string::npos);
  for (const char* bad : {"2", "0", "-1", "nan", "x", ""}) {
    options.settings = {{"alpha", bad}};
    EXPECT_NE(message_of<UsageError>([&] { run_method(method, good, options); }).find("alpha"),
              std::string::npos);
  }
  options.settings = {{"colliders", "random"}};
  EXPECT_NE(message_of<UsageError>([&] { run_method(method, good, options); }).find("conservative"),
            std::string::npos);
  options.settings.clear();

  Dataset missing = good;
  missing.table.values(6, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(
      run_method(direct_lingam_method(), missing, options).log.front().find("1 missing cell: filled in"),
      std::string::npos);
  EXPECT_NO_THROW(run_method(method, missing, options));
  for (std::size_t r = 0; r < 50; ++r) missing.table.values(r, 1) = missing.table.values(6, 1);
  EXPECT_NE(message_of<InputError>([&] { run_method(method, missing, options); }).find("v1"),
            std::string::npos);
  missing = good;
  missing.table.values(6, 1) = HUGE_VAL;
  EXPECT_THROW(run_method(method, missing, options), InputError);
  EXPECT_THROW(run_method(method, normal_table(50, 1), options), InputError);
  EXPECT_THROW(run_method(method, normal_table(1, 3), options), InputError);
  EXPECT_THROW(run_method(method, normal_table(3, 3), options), InputError);  // Fisher's z

  options.knowledge.required = {{0, 1}};
  options.knowledge.forbidden = {{0, 1}};
  EXPECT_THROW(run_method(method, good, options), InputError);
  options.knowledge.forbidden = {{0, 3}};
  EXPECT_THROW(run_method(method, good, options), InputError);
  options.knowledge = {};
  options.knowledge.tier_of = {0, 1};
  EXPECT_THROW(run_method(method, good, options), InputError);
}

TEST(RunMethod, ReportsProgressAndCanBeCancelled) {
  const Dataset data = normal_table(50, 6);
  for (const Method& method : classical_methods()) {
    SCOPED_TRACE(method.name);
    MethodOptions options;
    double last = -1.0;
    options.progress = [&](const std::string&, double share) {
      EXPECT_GE(share, last);
      last = share;
    };
    const MethodResult result = run_method(method, data, options);
    EXPECT_EQ(last, 1.0);
    EXPECT_EQ(result.seconds.back().first, "total");
    EXPECT_EQ(result.graph_class, method.graph_class);
    options.cancelled = [] { return true; };
    EXPECT_THROW(run_method(method, data, options), Error);
  }
}

TEST(RunMethod, EndsWhenItsTimeIsOver) {
  const Dataset data = normal_table(50, 6);
  MethodOptions options;
  options.seconds = 1e-9;
  EXPECT_NE(message_of<OutOfTime>([&] { run_method(notears_method(), data, options); }).find("1e-09 s"),
            std::string::npos);
  bool asked = false;
  options.cancelled = [&] { return asked = true; };
  options.seconds = 3600.0;
  EXPECT_THROW(run_method(notears_method(), data, options), Error);
  EXPECT_TRUE(asked);
  options.cancelled = nullptr;
  EXPECT_EQ(run_method(notears_method(), data, options).graph.nodes(), 6);
}

TEST(ClassicalMethods, SurviveDegenerateTables) {
  Dataset constant = normal_table(60, 6);
  Dataset collinear = constant, copies = constant, all_constant = constant;
  for (std::size_t r = 0; r < 60; ++r) {
    constant.table.values(r, 2) = 5.0;
    collinear.table.values(r, 3) = collinear.table.values(r, 0) - 2 * collinear.table.values(r, 1);
    copies.table.values(r, 4) = -3.0 * copies.table.values(r, 0);
    copies.table.values(r, 5) = copies.table.values(r, 0);
    for (std::size_t c = 0; c < 6; ++c) all_constant.table.values(r, c) = 1.0;
  }
  const std::pair<const char*, Dataset> cases[] = {{"constant", constant},
                                                   {"collinear", collinear},
                                                   {"copies", copies},
                                                   {"all constant", all_constant},
                                                   {"more columns than rows", normal_table(12, 30)},
                                                   {"few rows", normal_table(4, 5)}};
  for (const Method& method : classical_methods())
    for (const auto& [name, dataset] : cases) {
      SCOPED_TRACE(method.name + ", " + name);
      const MethodResult result = run_method(method, dataset, {});
      expect_well_formed(result, static_cast<int>(dataset.table.cols()));
      if (std::string(name) == "constant") {
        for (int v = 0; v < 6; ++v) EXPECT_FALSE(result.graph.adjacent(2, v));
        ASSERT_FALSE(result.log.empty());
        EXPECT_NE(result.log[0].find("v2"), std::string::npos);
      }
      if (std::string(name) == "copies" && result.graph_class != GraphClass::kDag) {
        EXPECT_TRUE(result.graph.adjacent(0, 5) || method.name == "invcov");
      }
    }
}

TEST(ClassicalMethods, RespectKnowledge) {
  const Dataset data = normal_table(80, 7);
  MethodOptions options;
  options.knowledge.required = {{6, 0}};
  options.knowledge.forbidden = {{1, 2}, {2, 1}, {3, 4}};
  options.knowledge.tier_of = {1, 0, 0, 0, 0, -1, -1};
  for (const Method& method : classical_methods()) {
    SCOPED_TRACE(method.name);
    const MethodResult result = run_method(method, data, options);
    expect_well_formed(result, 7);
    for (int a = 0; a < 7; ++a)
      for (int b = 0; b < 7; ++b) {
        if (a == b || !options.knowledge.forbids({a, b})) continue;
        EXPECT_EQ(result.scores(a, b), 0.0);
        EXPECT_FALSE(result.graph.directed(a, b));
        if (method.graph_class == GraphClass::kPag && result.graph.adjacent(a, b)) {
          EXPECT_EQ(result.graph.mark(b, a), Mark::kArrow);
        }
      }
    EXPECT_FALSE(result.graph.adjacent(1, 2));
    EXPECT_TRUE(method.graph_class == GraphClass::kUndirected ? result.graph.adjacent(6, 0)
                                                              : result.graph.directed(6, 0));
    EXPECT_GT(result.scores(6, 0), 0.0);
    EXPECT_EQ(result.scores(0, 6), 0.0);
  }
}

// Equivalent graphs score differently where a column is the sum of others, and knowledge upsets what an
// operator promises: a search that trusts its gains goes round in circles.
TEST(ClassicalMethods, ScoreSearchesEnd) {
  MethodOptions options;
  options.seconds = 20.0;
  const auto table = [](std::uint32_t seed, int n, bool sum) {
    Dataset data = normal_table(500, static_cast<std::size_t>(n));
    RandomStream random(seed, 0, 0);
    for (int c = 1; c < n; ++c)
      for (int p = 0; p < c; ++p) {
        const double weight = random.coin(sum ? 0.5 : 1.0) ? random.uniform(0.3, 1.0) : 0.0;
        for (std::size_t r = 0; r < data.table.rows(); ++r)
          data.table.values(r, c) += weight * data.table.values(r, p);
      }
    for (std::size_t r = 0; r < data.table.rows(); ++r) {
      if (sum) data.table.values(r, n - 1) = data.table.values(r, 0) + data.table.values(r, 1);
      for (double& value : data.table.values.row(r)) value = std::round(1e6 * value) / 1e6;
    }
    return data;
  };
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_NO_THROW(run_method(gies_method(), table(seed, 6, true), options));
    MethodOptions informed = options;
    informed.knowledge.forbidden = {{1, 0}};
    EXPECT_NO_THROW(run_method(gies_method(), table(seed, 4 + seed % 5, false), informed));
    informed.settings["turning"] = "yes";
    EXPECT_NO_THROW(run_method(ges_method(), table(seed, 4, false), informed));
  }
}

// Within a level of conditioning sets, not only between them.
TEST(RunMethod, AsksForTheTimeAgainAndAgain) {
  Dataset data = normal_table(200, 40);  // with a common cause of all, which is not in the table
  RandomStream random(5, 0, 0);
  for (std::size_t r = 0; r < data.table.rows(); ++r) {
    const double shift = random.normal();
    for (double& value : data.table.values.row(r)) value += shift;
  }
  for (const char* name : {"pc", "fci", "rfci", "r2-sort-n-regress", "var-sort-n-regress"}) {
    std::atomic<int> asked = 0;
    MethodOptions options;
    options.cancelled = [&] { return ++asked, false; };
    run_method(method_named(name), data, options);
    EXPECT_GT(asked, 30) << name;
  }
}

}  // namespace
}  // namespace causcale
