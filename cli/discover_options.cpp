#include "discover_options.h"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "base/byte_size.h"

namespace causcale::cli {
namespace {

const char* heading(OptionGroup group) {
  return group == OptionGroup::kOutput ? "Output" : "Model";
}

CLI::Option* add(CLI::App& command, const DiscoverOption& option, DiscoverOptions& options) {
  const OptionMember& member = option.member;
  const std::string flag = command_line_name(option);
  const auto put = [&option, &options, flag](const auto& value) {
    set_option(options, option, value, fmt::format("{} {}", flag, value));
  };
  const OptionValue usual = member.get(options);
  switch (member.kind) {
    case OptionKind::kText:
      return command.add_option_function<std::string>(flag, put, option.help);
    case OptionKind::kNumber:
      return command.add_option_function<double>(flag, put, option.help)
          ->check(CLI::NonNegativeNumber)
          ->default_str(fmt::format("{}", std::get<double>(usual)));
    case OptionKind::kWhole: {
      CLI::Option* added = command.add_option_function<std::uint64_t>(flag, put, option.help);
      // Of an option without a limit of its own, the help need not show that of its type.
      if (member.most < std::numeric_limits<std::int32_t>::max())
        added->check(CLI::Range(std::uint64_t{0}, member.most));
      return added->default_str(fmt::format("{}", std::get<std::uint64_t>(usual)));
    }
    case OptionKind::kBytes:
      return command.add_option_function<std::string>(
          flag,
          [put, flag](const std::string& text) {
            put(static_cast<std::uint64_t>(parse_byte_size(text, flag)));
          },
          option.help);
    case OptionKind::kChoice:
      break;
  }
  if (member.usual_word.empty())
    return command.add_option_function<std::string>(flag, put, option.help)
        ->check(CLI::IsMember(member.words))
        ->default_str(std::get<std::string>(usual));
  // The word may be left out.
  auto word = std::make_shared<std::string>();
  return command.add_flag(fmt::format("{}{{{}}}", flag, member.usual_word), *word, option.help)
      ->check(CLI::IsMember(member.words))
      ->each([word, put](const std::string& text) { put(text); });
}

}  // namespace

void add_discover_options(CLI::App& command, OptionGroup group, DiscoverOptions& options) {
  for (const DiscoverOption& option : discover_option_list()) {
    if (option.group != group) continue;
    CLI::Option* added = add(command, option, options)->group(heading(group));
    if (!option.value_name.empty()) added->type_name(option.value_name);
  }
}

}  // namespace causcale::cli
