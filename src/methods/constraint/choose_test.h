// Which independence test a constraint-based method uses for a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "methods/constraint/independence_test.h"
#include "methods/method.h"

namespace causcale {

struct ChosenTest {
  std::unique_ptr<IndependenceTest> test;
  std::vector<std::string> log;  // which test and why, and what happened to missing values
};

// By the setting "test", or, where that is auto, by the kinds of the columns: fisher-z for continuous tables,
// chi-square for discrete ones, conditional-gaussian for mixed ones. Settings used: test, alpha, missing.
// Throws InputError when the table does not suit the test that was asked for, or has too few rows.
ChosenTest choose_test(const Table& table, const MethodOptions& options);

// Its settings, for Method::settings.
std::vector<MethodSetting> test_settings();

}  // namespace causcale
