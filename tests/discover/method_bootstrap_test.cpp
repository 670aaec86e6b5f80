#include "discover/method_bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "causcale/error.h"
#include "data/standardize.h"

namespace causcale {
namespace {

// a -> c <- b, d apart; every tenth d is missing.
Dataset collider_table() {
  Dataset data;
  data.table.names = {"a", "b", "c", "d"};
  data.table.values = Matrix<double>(300, 4);
  RandomStream random(8, 0, 0);
  for (std::size_t r = 0; r < 300; ++r) {
    auto row = data.table.values.row(r);
    row[0] = random.normal();
    row[1] = random.normal();
    row[2] = row[0] + row[1] + 0.5 * random.normal();
    row[3] = r % 10 == 0 ? std::numeric_limits<double>::quiet_NaN() : random.normal();
  }
  return data;
}

MethodRun runner(const std::string& name) {
  return [&method = method_named(name)](const Dataset& dataset, const MethodOptions& options) {
    return run_method(method, dataset, options);
  };
}

MethodOutcome bootstrapped(const std::string& name, const Dataset& data, int repetitions,
                           const MethodOptions& options = {}) {
  MethodOutcome outcome = to_outcome(name, data, runner(name)(data, options), {}, {});
  bootstrap_method(runner(name), data, options, {}, repetitions, outcome);
  return outcome;
}

TEST(DirectionVotes, ArrowsCountOnceOpenDirectionsHalf) {
  MixedGraph graph(5);
  graph.set(0, 1, Mark::kTail, Mark::kArrow);
  graph.set(1, 2, Mark::kTail, Mark::kTail);
  graph.set(2, 3, Mark::kArrow, Mark::kCircle);
  graph.set(3, 4, Mark::kArrow, Mark::kArrow);
  const Matrix<double> votes = direction_votes(graph);
  EXPECT_EQ(votes(0, 1), 1.0);
  EXPECT_EQ(votes(1, 0), 0.0);
  EXPECT_EQ(votes(1, 2), 0.5);
  EXPECT_EQ(votes(2, 1), 0.5);
  EXPECT_EQ(votes(3, 2), 1.0);
  EXPECT_EQ(votes(4, 3), 0.5);
  EXPECT_EQ(votes(0, 4), 0.0);
}

TEST(MethodBootstrap, FindsWhatIsStable) {
  const Dataset data = collider_table();
  for (const char* name : {"pc", "ges", "boss", "direct-lingam", "corr"}) {
    SCOPED_TRACE(name);
    const MethodOutcome outcome = bootstrapped(name, data, 8);
    const DiscoverResult& result = outcome.result;
    EXPECT_EQ(result.bootstrap, 8);
    EXPECT_EQ(result.selection_frequency(0, 2) + result.selection_frequency(2, 0), 1.0);
    EXPECT_LE(result.selection_frequency(0, 3) + result.selection_frequency(3, 0), 0.5);
    EXPECT_GT(result.bootstrap_mean(0, 2), result.bootstrap_mean(0, 3));
    EXPECT_TRUE(
        std::ranges::all_of(result.bootstrap_deviation.values(), [](double value) { return value >= 0.0; }));
    EXPECT_NE(outcome.log.back().find("8 repetitions"), std::string::npos);
  }
  const MethodOutcome pc = bootstrapped("pc", data, 8);
  EXPECT_GT(pc.result.selection_frequency(0, 2), 0.7);  // the collider gives the direction
}

TEST(MethodBootstrap, IsAFunctionOfTheSeedAndNotOfTheOrderOfRows) {
  const Dataset data = collider_table();
  std::vector<std::size_t> order;
  for (std::size_t r = 300; r-- > 0;) order.push_back(r);
  const MethodOutcome once = bootstrapped("pc", data, 4),
                      again = bootstrapped("pc", take_rows(data, order), 4);
  EXPECT_EQ(once.result.selection_frequency, again.result.selection_frequency);
  MethodOptions other;
  other.seed = 5;
  EXPECT_NE(bootstrapped("pc", data, 4, other).result.bootstrap_mean, once.result.bootstrap_mean);
}

TEST(MethodBootstrap, FailuresAndTime) {
  const Dataset data = collider_table();
  MethodOutcome outcome = to_outcome("pc", data, runner("pc")(data, {}), {}, {});
  int calls = 0;
  const MethodRun failing = [&](const Dataset& dataset, const MethodOptions& options) {
    if (++calls % 3 == 0) throw InputError("not this one");
    return runner("pc")(dataset, options);
  };
  bootstrap_method(failing, data, {}, {}, 6, outcome);
  EXPECT_EQ(outcome.result.bootstrap, 4);
  EXPECT_NE(outcome.log.back().find("2 repetitions failed"), std::string::npos);
  calls = 0;
  const MethodRun slow = [&](const Dataset& dataset, const MethodOptions& options) {
    if (++calls > 3) throw OutOfTime("too long");
    return runner("pc")(dataset, options);
  };
  bootstrap_method(slow, data, {}, {}, 6, outcome);
  EXPECT_EQ(outcome.result.bootstrap, 3);
  EXPECT_NE(outcome.log.back().find("after 3 of 6"), std::string::npos);
  EXPECT_THROW(bootstrap_method(slow, data, {}, {}, 6, outcome), OutOfTime);
  EXPECT_THROW(bootstrap_method(slow, data, {}, {}, 1, outcome), UsageError);
}

}  // namespace
}  // namespace causcale
