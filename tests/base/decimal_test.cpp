#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace causcale {
namespace {

TEST(Decimal, WholeTextsAreNumbers) {
  const struct {
    const char* text;
    double value;
  } cases[] = {{"0", 0.0},         {"-1.5", -1.5}, {"+2", 2.0},     {"1e-3", 1e-3},  {"1E5", 1e5},
               {"5e-324", 5e-324}, {".5", 0.5},    {"1e-400", 0.0}, {"-1e-400", 0.0}};
  for (const auto& one : cases) EXPECT_EQ(parse_decimal(one.text), one.value) << one.text;
  EXPECT_EQ(parse_decimal("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_decimal("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_decimal("nan").value()));
}

TEST(Decimal, OtherTextsAreNot) {
  for (const char* text : {"", "+", "-", "+-1", "++1", " 1", "1 ", "1,5", "1e", "x", "0x10", "1.5.2"})
    EXPECT_FALSE(parse_decimal(text).has_value()) << text;
}

}  // namespace
}  // namespace causcale
