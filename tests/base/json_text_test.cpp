#include "base/json_text.h"

#include <gtest/gtest.h>

#include "causcale/error.h"

namespace causcale {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_json(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

TEST(JsonText, ReadsWithByteOrderMark) {
  EXPECT_EQ(parse_json("\xEF\xBB\xBF{\"a\": [1, \"]{\\\"\"]}", "f.json")["a"][1], "]{\"");
}

TEST(JsonText, MistakesNameFileAndLine) {
  EXPECT_EQ(message_of("{\n\"a\": }"), "f.json, line 2: this is no valid JSON");
  EXPECT_EQ(message_of(""), "f.json, line 1: this is no valid JSON");
  EXPECT_NE(message_of("[1, 1e999]").find("f.json: "), std::string::npos);  // a number that no double holds
  EXPECT_NE(message_of("[\"\xFF\"]"), "");
}

TEST(JsonText, RefusesWhatWouldTakeTheStackOrForEver) {
  EXPECT_EQ(message_of(repeated("[", 200) + repeated("]", 200)), "");
  EXPECT_EQ(message_of("\n" + repeated("[", 1'000'000)), "f.json, line 2: JSON that is nested too deeply");
  std::string many = "{";
  for (int k = 0; k < 300'000; ++k) many += "\"" + std::to_string(k) + "\":0,";
  EXPECT_NE(message_of(many + "\"z\":0}").find("more members"), std::string::npos);
  const std::string deep = repeated("[", 300);
  EXPECT_THROW(require_tame_json("// a \"quote\n" + deep, "f.json", true), InputError);
  EXPECT_THROW(require_tame_json("/* \" */" + deep, "f.json", true), InputError);
  EXPECT_NO_THROW(require_tame_json("// " + deep + "\n{} /* " + deep + "*/", "f.json", true));
  EXPECT_NO_THROW(require_tame_json("/", "f.json", true));
  EXPECT_NO_THROW(require_tame_json("/* " + deep, "f.json", true));
  // Lists may be long, and objects small but many.
  EXPECT_EQ(message_of("[" + repeated("{\"a\":\":\"},", 100'000) + "0]"), "");
}

}  // namespace
}  // namespace causcale
