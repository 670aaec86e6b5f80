#include "core/option_names.h"

#include <gtest/gtest.h>

#include <set>

#include "simulate/synthetic.h"

namespace causcale {
namespace {

// `all`: every value of the enumeration.
template <class Choice, std::size_t N>
void round_trip(const NameTable<Choice, N>& table, std::initializer_list<Choice> all) {
  EXPECT_EQ(all.size(), N);
  std::set<std::string> names;
  for (const Choice choice : all) {
    const std::string name = name_of(table, choice);
    EXPECT_EQ(choice_named(table, name, "choice"), choice) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), N);
}

TEST(OptionNames, EveryChoiceIsFoundByItsName) {
  round_trip(kDeviceNames, {Device::kAuto, Device::kCpu, Device::kCuda});
  round_trip(kPrecisionNames, {Precision::kAuto, Precision::kFloat32, Precision::kBfloat16});
  round_trip(kPriorUnitNames, {PriorUnits::kAuto, PriorUnits::kRaw, PriorUnits::kStandardized});
  round_trip(kTransformNames, {ValueTransform::kAuto, ValueTransform::kNone, ValueTransform::kLog1p});
  round_trip(kAcyclicRuleNames, {AcyclicRule::kGreedy, AcyclicRule::kOptimal});
}

TEST(OptionNames, AnUnknownWordIsNamedBesideThoseThatAreKnown) {
  EXPECT_EQ(find_choice(kPrecisionNames, "fp64"), std::nullopt);
  try {
    choice_named(kPrecisionNames, "fp64", "precision");
    FAIL() << "fp64 was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown precision 'fp64'; accepted: auto, fp32, bf16");
  }
}

// What a result says it did can be asked for by the same words.
TEST(OptionNames, ResultsUseThem) {
  SyntheticOptions simulation;
  simulation.nodes = 4;
  simulation.rows = 40;
  const Dataset dataset = simulate_synthetic(simulation, 1, 0).dataset;
  for (const PriorUnits units : {PriorUnits::kRaw, PriorUnits::kStandardized}) {
    DiscoverOptions options;
    options.model = "synthetic";
    options.device = Device::kCpu;
    options.precision = Precision::kFloat32;
    options.prior_units = units;
    const DiscoverResult result = discover(dataset, options);
    EXPECT_EQ(find_choice(kPriorUnitNames, result.prior_scale), units);
    EXPECT_EQ(find_choice(kDeviceNames, result.device), Device::kCpu);
    EXPECT_EQ(find_choice(kPrecisionNames, result.precision), Precision::kFloat32);
    EXPECT_EQ(find_choice(kTransformNames, result.transform), ValueTransform::kNone);
  }
}

}  // namespace
}  // namespace causcale
