#include "discover/option_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>

#include "causcale/error.h"
#include "core/card.h"
#include "core/option_names.h"

namespace causcale {
namespace {

constexpr std::size_t kFewestBlockColumns = 20, kMostBlockColumns = 1'000'000;

OptionMember text(std::string DiscoverOptions::*member) {
  return {.kind = OptionKind::kText,
          .get = [=](const DiscoverOptions& options) { return OptionValue(options.*member); },
          .put = [=](DiscoverOptions& options,
                     const OptionValue& value) { options.*member = std::get<std::string>(value); }};
}

OptionMember number(double DiscoverOptions::*member) {
  return {.kind = OptionKind::kNumber,
          .get = [=](const DiscoverOptions& options) { return OptionValue(options.*member); },
          .put = [=](DiscoverOptions& options,
                     const OptionValue& value) { options.*member = std::get<double>(value); }};
}

template <class Whole>
OptionMember whole(Whole DiscoverOptions::*member, Whole most = std::numeric_limits<Whole>::max(),
                   OptionKind kind = OptionKind::kWhole) {
  return {.kind = kind,
          .most = static_cast<std::uint64_t>(most),
          .get =
              [=](const DiscoverOptions& options) {
                return OptionValue(static_cast<std::uint64_t>(options.*member));
              },
          .put =
              [=](DiscoverOptions& options, const OptionValue& value) {
                options.*member = static_cast<Whole>(std::get<std::uint64_t>(value));
              }};
}

OptionMember bytes(std::int64_t DiscoverOptions::*member) {
  return whole(member, std::numeric_limits<std::int64_t>::max(), OptionKind::kBytes);
}

template <class Choice, std::size_t N>
OptionMember choice(Choice DiscoverOptions::*member, const NameTable<Choice, N>& names) {
  return {.kind = OptionKind::kChoice,
          .words = all_names(names),
          .get = [=](const DiscoverOptions& options) { return OptionValue(name_of(names, options.*member)); },
          .put =
              [=](DiscoverOptions& options, const OptionValue& value) {
                options.*member = *find_choice(names, std::get<std::string>(value));
              }};
}

// Two members: whether the graph is made acyclic, and by which rule.
OptionMember acyclic() {
  return {.kind = OptionKind::kChoice,
          .words = all_names(kAcyclicRuleNames),
          .usual_word = name_of(kAcyclicRuleNames, AcyclicRule::kGreedy),
          .get =
              [](const DiscoverOptions& options) {
                return OptionValue(options.acyclic ? name_of(kAcyclicRuleNames, options.acyclic_rule)
                                                   : std::string());
              },
          .put =
              [](DiscoverOptions& options, const OptionValue& value) {
                const auto& word = std::get<std::string>(value);
                options.acyclic = !word.empty();
                if (options.acyclic) options.acyclic_rule = *find_choice(kAcyclicRuleNames, word);
              }};
}

// auto, off or a number.
std::optional<std::size_t> parse_blocks(const std::string& word) {
  if (word == "auto") return kAutoBlocks;
  if (word == "off") return kNoBlocks;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), columns);
  const bool is_whole = error == std::errc{} && end == word.data() + word.size();
  return is_whole && columns >= kFewestBlockColumns && columns <= kMostBlockColumns ? std::optional(columns)
                                                                                    : std::nullopt;
}

OptionMember blocks() {
  return {.kind = OptionKind::kText,
          .text_fault =
              [](const std::string& word) {
                return parse_blocks(word)
                           ? std::string()
                           : fmt::format("auto, off or a number of columns from {} to {} is expected",
                                         kFewestBlockColumns, kMostBlockColumns);
              },
          .get =
              [](const DiscoverOptions& options) {
                return OptionValue(options.block_columns == kAutoBlocks ? "auto"
                                   : options.block_columns == kNoBlocks
                                       ? "off"
                                       : fmt::format("{}", options.block_columns));
              },
          .put =
              [](DiscoverOptions& options, const OptionValue& value) {
                options.block_columns = *parse_blocks(std::get<std::string>(value));
              }};
}

constexpr int kMostEnsemble = 10000, kMostRepetitions = 1000000;

std::vector<DiscoverOption> make_list() {
  using enum OptionGroup;
  using Options = DiscoverOptions;
  return {
      {"threshold", kOutput, false, number(&Options::threshold),
       "An edge is in the graph when it is more probable than this (with --method: when its score is higher; "
       "by default the method's own graph)"},
      {"top", kOutput, false, whole(&Options::top), "Instead of a threshold: the K most probable edges"},
      {"min_probability", kOutput, false, number(&Options::min_probability),
       "Less probable pairs are no edges and are left out of the .json, --all-pairs and sparse matrices "
       "(0: files of more than 2000 variables and sparse ones leave out what is below 0.01). With --method "
       "only "
       "files leave out lower scores; the graph is the method's",
       "P"},
      {"dag", kOutput, false, acyclic(),
       "Make the graph acyclic. --dag or --dag greedy: the weakest edge of each cycle goes; --dag optimal: "
       "keep "
       "as much log-odds (with --method: score) as possible"},
      {"model", kModel, true, text(&Options::model),
       "Name of an installed model (see: causcale models) or a weight file"},
      {"device", kModel, false, choice(&Options::device, kDeviceNames), "auto, cpu or cuda"},
      {"precision", kModel, true, choice(&Options::precision, kPrecisionNames),
       "auto, fp32 or bf16; auto: bf16 where the hardware multiplies it"},
      {"prior_scale", kModel, true, choice(&Options::prior_units, kPriorUnitNames),
       "Prior from standardized data (free of units) or raw data (the paper's); auto: as the model's file "
       "says, "
       "else standardized"},
      {"evidence", kModel, true, choice(&Options::evidence, kEvidenceNames),
       "Test every edge on the data and strike out those without any dependence: on or off"},
      {"stacking", kModel, true, choice(&Options::stacking, kStackingNames),
       "Join the network's answer with statistics of every pair, where the model has a second stage for that "
       "and the table at most 150 columns: auto or off"},
      {"transform", kModel, false, choice(&Options::transform, kTransformNames),
       "Of the values, before anything else: none, log1p, or auto: logarithms where the model takes those "
       "and "
       "the values look like counts"},
      {"max_samples", kModel, true, whole(&Options::max_samples),
       "Most rows per pass, drawn evenly from every regime (0 = auto)"},
      {"ensemble", kModel, true, whole(&Options::ensemble, kMostEnsemble),
       "Average over K disjoint row subsets (0 = enough to use all rows, at most 8)"},
      {"views", kModel, true, whole(&Options::views, kMostViews),
       "Times that the network sees the rows, with different columns mirrored (x -> -x), averaged; 0 = what "
       "the "
       "model is used to"},
      {"blocks", kModel, true, blocks(),
       "Of a table of more columns the network sees overlapping blocks of so many, each variable with those "
       "that it is likeliest joined to: auto (where the table is far wider than those of the model's "
       "training), "
       "off or a number of columns",
       "COLUMNS"},
      {"bootstrap", kModel, false, whole(&Options::bootstrap, kMostRepetitions),
       "Repeat B times on rows drawn with replacement within every regime: mean, deviation and share of "
       "selections of each edge",
       "B"},
      {"samples", kModel, true, whole(&Options::samples, kMostRepetitions),
       "Draw K whole acyclic graphs in proportion to the probabilities: how probable it is that a variable "
       "causes another by any path (in the .json and with --ancestry)",
       "K"},
      {"max_memory", kModel, true, bytes(&Options::max_memory),
       "Limit of the network's working memory and of reading .npy, .npz and .h5ad, e.g. 4GiB"},
      {"threads", kCommon, false, whole(&Options::threads), "0: all cores; the result does not depend on it"},
      {"seed", kCommon, false, whole(&Options::seed), "Chooses the row subsets and the resampled rows"},
  };
}

// What is wrong with a value, in words; empty: nothing.
std::string fault_of(const OptionMember& member, const OptionValue& value) {
  switch (member.kind) {
    case OptionKind::kText:
      return member.text_fault ? member.text_fault(std::get<std::string>(value)) : std::string();
    case OptionKind::kNumber:
      return std::get<double>(value) >= 0 ? "" : "a number, 0 or more, is expected";
    case OptionKind::kWhole:
    case OptionKind::kBytes:
      if (std::get<std::uint64_t>(value) <= member.most) return {};
      return fmt::format("a whole number from 0 to {} is expected", member.most);
    case OptionKind::kChoice: {
      const auto& word = std::get<std::string>(value);
      const bool absent = word.empty() && !member.usual_word.empty();
      if (absent || std::ranges::find(member.words, word) != member.words.end()) return {};
      return fmt::format("accepted: {}", fmt::join(member.words, ", "));
    }
  }
  return {};
}

}  // namespace

std::span<const DiscoverOption> discover_option_list() {
  static const std::vector<DiscoverOption> list = make_list();
  return list;
}

const DiscoverOption& discover_option(std::string_view name) {
  const auto list = discover_option_list();
  const auto found = std::ranges::find(list, name, &DiscoverOption::name);
  if (found == list.end()) throw std::out_of_range(fmt::format("discover has no option {}", name));
  return *found;
}

std::string command_line_name(const DiscoverOption& option) {
  std::string name = "--" + option.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

void set_option(DiscoverOptions& options, const DiscoverOption& option, const OptionValue& value,
                const std::string& said) {
  const std::string fault = fault_of(option.member, value);
  if (!fault.empty()) throw UsageError(fmt::format("{}: {}", said, fault));
  option.member.put(options, value);
}

void check_options(const DiscoverOptions& options) {
  for (const DiscoverOption& option : discover_option_list()) {
    const OptionValue value = option.member.get(options);
    const std::string fault = fault_of(option.member, value);
    if (fault.empty()) continue;
    // What is too large here is a negative number of a signed member, or close to one.
    const auto* const whole_number = std::get_if<std::uint64_t>(&value);
    const std::string found =
        whole_number ? fmt::format("{}", static_cast<std::int64_t>(*whole_number))
                     : std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
    throw UsageError(fmt::format("{} {}: {}", command_line_name(option), found, fault));
  }
}

}  // namespace causcale
