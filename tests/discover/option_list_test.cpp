#include "discover/option_list.h"

#include <gtest/gtest.h>

#include <set>

#include "causcale/error.h"

namespace causcale {
namespace {

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(OptionList, NamesAreDistinctAndFound) {
  std::set<std::string> names;
  for (const DiscoverOption& option : discover_option_list()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_EQ(&discover_option(option.name), &option);
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
  EXPECT_GE(names.size(), 17u);
  EXPECT_THROW(discover_option("nonsense"), std::out_of_range);
  EXPECT_EQ(command_line_name(discover_option("max_samples")), "--max-samples");
}

// Each entry leads to a member of its own: putting one value changes what that entry gives and nothing else.
TEST(OptionList, EveryEntryHasItsOwnMember) {
  for (const DiscoverOption& option : discover_option_list()) {
    DiscoverOptions options;
    const OptionValue before = option.member.get(options);
    OptionValue other;
    switch (option.member.kind) {
      case OptionKind::kText:
        other = std::string(option.member.text_fault ? "700" : "other");
        break;
      case OptionKind::kNumber:
        other = 0.25;
        break;
      case OptionKind::kWhole:
      case OptionKind::kBytes:
        other = std::uint64_t{7};
        break;
      case OptionKind::kChoice:
        other = option.member.words.back();
    }
    ASSERT_NE(before, other) << option.name;
    set_option(options, option, other, option.name);
    for (const DiscoverOption& any : discover_option_list())
      EXPECT_EQ(any.member.get(options), &any == &option ? other : any.member.get(DiscoverOptions{}))
          << option.name << " and " << any.name;
  }
}

TEST(OptionList, ValuesOutsideAreRefusedInTheUsersWords) {
  DiscoverOptions options;
  const auto put = [&](const char* name, const OptionValue& value, const std::string& said) {
    return message_of([&] { set_option(options, discover_option(name), value, said); });
  };
  EXPECT_EQ(put("device", std::string("tpu"), "device='tpu'"), "device='tpu': accepted: auto, cpu, cuda");
  EXPECT_EQ(put("views", std::uint64_t{1001}, "--views 1001"),
            "--views 1001: a whole number from 0 to 1000 is expected");
  EXPECT_NE(put("threshold", -0.5, "--threshold -0.5"), "");
  EXPECT_NE(put("threshold", std::numeric_limits<double>::quiet_NaN(), "--threshold nan"), "");
  EXPECT_EQ(put("dag", std::string("best"), "--dag best"), "--dag best: accepted: greedy, optimal");
  EXPECT_EQ(put("device", std::string(), "device=''"), "device='': accepted: auto, cpu, cuda");
  EXPECT_EQ(options.views, 0);
}

TEST(OptionList, BlocksAreAWordOrANumberOfColumns) {
  DiscoverOptions options;
  const DiscoverOption& blocks = discover_option("blocks");
  EXPECT_EQ(std::get<std::string>(blocks.member.get(options)), "auto");
  for (const auto& [word, columns] :
       {std::pair("off", kNoBlocks), std::pair("300", std::size_t{300}), std::pair("auto", kAutoBlocks)}) {
    set_option(options, blocks, std::string(word), "--blocks");
    EXPECT_EQ(options.block_columns, columns);
    EXPECT_EQ(std::get<std::string>(blocks.member.get(options)), word);
  }
  for (const char* word : {"", "on", "19", "-300", "300x", "1e3", "99999999999999999999"})
    EXPECT_EQ(message_of([&] { set_option(options, blocks, std::string(word), "--blocks X"); }),
              "--blocks X: auto, off or a number of columns from 20 to 1000000 is expected")
        << word;
  EXPECT_EQ(options.block_columns, kAutoBlocks);
  EXPECT_EQ(message_of([] { check_options({.block_columns = 7}); }),
            "--blocks 7: auto, off or a number of columns from 20 to 1000000 is expected");
}

TEST(OptionList, MakingAcyclicIsOneWord) {
  DiscoverOptions options;
  const DiscoverOption& dag = discover_option("dag");
  EXPECT_EQ(std::get<std::string>(dag.member.get(options)), "");
  set_option(options, dag, std::string("optimal"), "--dag");
  EXPECT_TRUE(options.acyclic);
  EXPECT_EQ(options.acyclic_rule, AcyclicRule::kOptimal);
  set_option(options, dag, std::string(), "--dag");
  EXPECT_FALSE(options.acyclic);
}

TEST(OptionList, FilledInOptionsAreChecked) {
  EXPECT_NO_THROW(check_options({}));
  EXPECT_EQ(message_of([] { check_options({.ensemble = -1}); }),
            "--ensemble -1: a whole number from 0 to 10000 is expected");
  EXPECT_NE(message_of([] { check_options({.max_memory = -5}); }).find("--max-memory -5"), std::string::npos);
  EXPECT_NE(message_of([] { check_options({.threshold = -1.0}); }).find("--threshold -1"), std::string::npos);
  EXPECT_NE(message_of([] { check_options({.threads = -2}); }), "");
}

}  // namespace
}  // namespace causcale
