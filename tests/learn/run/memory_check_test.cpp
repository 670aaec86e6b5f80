#include "learn/run/memory_check.h"

#include <gtest/gtest.h>

#include "causcale/error.h"
#include "learn/data/batches.h"

namespace causcale {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TrainConfig with_tokens(const std::string& tokens, const std::string& max_batch = "256") {
  return parse_train_config(R"({
    "model": {"blocks": 10, "embed_dim": 128, "heads": 16, "ffn_dim": 512},
    "stages": [{"name": "small", "steps": 1, "nodes": 4, "rows": 20, "tokens": 100},
               {"name": "large", "steps": 1, "nodes": "10-20", "rows": 500, "tokens": )" +
                                tokens + R"(, "max_batch": )" + max_batch + "}]}",
                            "test");
}

TEST(MemoryCheck, LargestBatchesAreThoseOfTheConfiguration) {
  EXPECT_EQ(largest_batch(with_tokens("40000").stages[0]), 4 * 20);  // a table at least
  EXPECT_EQ(largest_batch(with_tokens("40000").stages[1]), 40000);
  EXPECT_EQ(largest_batch(with_tokens("10000000", "8").stages[1]), 8 * 20 * 500);
}

// 40000 cells were seen to take 5.0 GiB, the program itself included.
TEST(MemoryCheck, RefusesWhatCannotFitAndSaysWhatWould) {
  EXPECT_NO_THROW(check_training_memory(with_tokens("40000"), 6 * kGiB));
  EXPECT_THROW(check_training_memory(with_tokens("40000"), 4 * kGiB), InputError);
  try {
    check_training_memory(with_tokens("800000"), 24 * kGiB);
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'large'"), std::string::npos) << text;
    const std::size_t place = text.find("at most ");
    ASSERT_NE(place, std::string::npos) << text;
    const std::string fitting = text.substr(place + 8, text.find(' ', place + 8) - place - 8);
    EXPECT_NO_THROW(check_training_memory(with_tokens(fitting), 24 * kGiB)) << text;
  }
}

}  // namespace
}  // namespace causcale
