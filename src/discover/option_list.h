// Every option of discover once: name, kind, range, words, help and member. The command line with its help,
// completions and manual page, the Python package and the record in results are made from this list.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "causcale/discover.h"

namespace causcale {

enum class OptionKind {
  kText,
  kNumber,  // not negative
  kWhole,   // not negative
  kBytes,   // a size; people may write 4GiB
  kChoice,  // one of some words
};

// Of a choice its word; whole numbers and sizes as std::uint64_t.
using OptionValue = std::variant<std::string, double, std::uint64_t>;

struct OptionMember {
  OptionKind kind;
  std::uint64_t most = 0;               // of whole numbers and sizes
  std::vector<std::string> words = {};  // of a choice
  // Of a choice that may be absent, whose word is then empty: what the option without a word stands for.
  std::string usual_word = {};
  std::function<std::string(const std::string&)> text_fault =
      {};  // of a text, in words; empty: any text does
  std::function<OptionValue(const DiscoverOptions&)> get;
  std::function<void(DiscoverOptions&, const OptionValue&)> put;  // of an accepted value
};

enum class OptionGroup {
  kOutput,  // which edges the graph has
  kModel,   // how the probabilities are made
  kCommon,  // means the same in every subcommand
};

struct DiscoverOption {
  std::string name;  // in Python and in records, such as max_samples; the command line has --max-samples
  OptionGroup group;
  bool network_only;  // has no meaning for other methods
  OptionMember member;
  std::string help;
  std::string value_name = {};  // in the help of the command line; empty: by kind
};

std::span<const DiscoverOption> discover_option_list();
const DiscoverOption& discover_option(std::string_view name);  // throws std::out_of_range

std::string command_line_name(const DiscoverOption& option);

// Throws UsageError that begins with `said`, the option and value as the user wrote them.
void set_option(DiscoverOptions& options, const DiscoverOption& option, const OptionValue& value,
                const std::string& said);

// The same check for options that a program filled in: every value is one that the list accepts.
void check_options(const DiscoverOptions& options);

}  // namespace causcale
