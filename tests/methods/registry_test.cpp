#include <gtest/gtest.h>

#include <set>

#include "causcale/error.h"
#include "methods/method.h"

namespace causcale {
namespace {

TEST(Registry, EveryMethodSaysWhatItIs) {
  std::set<std::string> names;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    EXPECT_TRUE(names.insert(method.name).second);
    EXPECT_FALSE(method.summary.empty() || method.assumptions.empty() || method.cost.empty() ||
                 method.citation.empty());
    EXPECT_TRUE(method.interventions == "used" || method.interventions == "ignored");
    EXPECT_NE(method.run, nullptr);
    std::set<std::string> settings;
    for (const MethodSetting& setting : method.settings) {
      EXPECT_TRUE(settings.insert(setting.name).second);
      EXPECT_FALSE(setting.meaning.empty() || setting.fallback.empty());
    }
    EXPECT_EQ(method_named(method.name).name, method.name);
  }
  for (const char* name : {"corr", "invcov", "var-sort-n-regress", "r2-sort-n-regress", "pc", "fci", "rfci"})
    EXPECT_TRUE(names.contains(name));
}

TEST(Registry, AnUnknownNameListsWhatThereIs) {
  try {
    method_named("pcc");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("rfci"), std::string::npos);
  }
}

}  // namespace
}  // namespace causcale
