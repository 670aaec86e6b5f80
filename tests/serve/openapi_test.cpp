// docs/openapi.yaml says what requests take: no key and no word more or less.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "causcale/error.h"
#include "discover/option_list.h"
#include "serve/api.h"
#include "service/table_request.h"

namespace causcale::serve {
namespace {

// What follows "accepted: " in the message about a request.
std::set<std::string> accepted(const std::string& request) {
  std::string message;
  try {
    parse_table_request(request);
  } catch (const UsageError& error) {
    message = error.what();
  }
  std::set<std::string> words;
  const std::string mark = "accepted: ";
  const std::size_t begin = message.find(mark);
  EXPECT_NE(begin, message.npos) << request << ": " << message;
  if (begin == message.npos) return words;
  std::string_view rest = std::string_view(message).substr(begin + mark.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    words.emplace(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return words;
}

// The lines of a schema between its name and the next one.
std::string schema(const std::string& name) {
  const std::string text(openapi_text());
  const std::size_t begin = text.find("\n    " + name + ":\n");
  EXPECT_NE(begin, text.npos) << name;
  std::size_t end = begin + 1;
  do end = text.find('\n', end) + 1;
  while (end != 0 && end < text.size() && text.compare(end, 5, "     ") == 0);
  return text.substr(begin, end - begin);
}

std::set<std::string> keys(const std::string& schema) {
  std::set<std::string> names;
  const std::string margin = "\n        ";
  for (std::size_t at = 0; (at = schema.find(margin, at)) != schema.npos; ++at) {
    const std::size_t begin = at + margin.size();
    if (schema[begin] != ' ') names.insert(schema.substr(begin, schema.find(':', begin) - begin));
  }
  return names;
}

// The words of the enumeration that a key's line lists, without quotation marks.
std::set<std::string> listed(const std::string& schema, const std::string& key) {
  std::set<std::string> words;
  const std::size_t line = schema.find("\n        " + key + ":");
  const std::size_t begin = schema.find("enum: [", line), end = schema.find(']', begin);
  if (line == schema.npos || begin > schema.find('\n', line + 1)) return words;
  std::string word;
  for (std::size_t at = begin + 7; at <= end; ++at) {
    const char letter = schema[at];
    if (letter == ',' || letter == ']') {
      if (!word.empty()) words.insert(word);
      word.clear();
    } else if (letter != ' ' && letter != '"') {
      word += letter;
    }
  }
  return words;
}

TEST(Openapi, ListsTheKeysOfRequests) {
  EXPECT_EQ(keys(schema("Request")), accepted(R"({"?": 1})"));
  EXPECT_EQ(keys(schema("Reading")), accepted(R"({"reading": {"?": 1}})"));
  EXPECT_EQ(keys(schema("Options")), accepted(R"({"options": {"?": 1}})"));
  EXPECT_EQ(keys(schema("Knowledge")), accepted(R"({"knowledge": {"?": 1}})"));
}

TEST(Openapi, ListsTheWordsOfChoices) {
  const std::string options = schema("Options"), reading = schema("Reading");
  const std::set<std::string> taken = accepted(R"({"options": {"?": 1}})");
  for (const DiscoverOption& option : discover_option_list())
    if (option.member.kind == OptionKind::kChoice && taken.contains(option.name))
      EXPECT_EQ(listed(options, option.name),
                std::set<std::string>(option.member.words.begin(), option.member.words.end()))
          << option.name;
  for (const char* key : {"missing", "row_names", "dates", "interventions_kind", "unknown_targets"})
    EXPECT_EQ(listed(reading, key), accepted(R"({"reading": {")" + std::string(key) + R"(": "?"}})")) << key;
}

}  // namespace
}  // namespace causcale::serve
