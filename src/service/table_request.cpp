#include "service/table_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/json_text.h"
#include "base/name_table.h"
#include "causcale/error.h"
#include "data/option_names.h"
#include "discover/option_list.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

// Work that one client may ask for.
constexpr int kMostBootstrap = 1000, kMostSamples = 10'000, kMostPasses = 1000;
constexpr double kMostWhole = 9007199254740991.0;  // beyond it JSON's numbers are no longer whole

[[noreturn]] void wrong(const std::string& key, const std::string& wanted) {
  throw UsageError(fmt::format("\"{}\" takes {}", key, wanted));
}

std::string text_of(const Json& value, const std::string& key) {
  if (!value.is_string()) wrong(key, "text");
  return value.get<std::string>();
}

bool flag_of(const Json& value, const std::string& key) {
  if (!value.is_boolean()) wrong(key, "true or false");
  return value.get<bool>();
}

double number_of(const Json& value, const std::string& key, double least, double most) {
  if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
    wrong(key, fmt::format("a number from {} to {}", least, most));
  return value.get<double>();
}

template <class Integer>
Integer whole_of(const Json& value, const std::string& key, double most) {
  const double number = value.is_number() ? value.get<double>() : -1.0;
  if (!(number >= 0 && number <= most && std::floor(number) == number))
    wrong(key, fmt::format("a whole number from 0 to {:.0f}", most));
  return static_cast<Integer>(number);
}

std::vector<std::string> texts_of(const Json& value, const std::string& key) {
  if (!value.is_array()) wrong(key, "a list of texts");
  std::vector<std::string> list;
  for (const Json& entry : value) list.push_back(text_of(entry, key));
  return list;
}

template <class Choice, std::size_t N>
Choice choice_of(const Json& value, const std::string& key, const NameTable<Choice, N>& table) {
  return choice_named(table, text_of(value, key), "value of \"" + key + "\":");
}

using Taker = std::function<void(const Json& value, const std::string& key)>;

// Every key must be known: a misspelt option must not be an option that is silently left out.
void take_keys(const Json& object, const std::string& what, const std::map<std::string, Taker>& known) {
  if (!object.is_object()) throw UsageError(fmt::format("{} must be a JSON object", what));
  for (const auto& [key, value] : object.items()) {
    const auto found = known.find(key);
    if (found == known.end()) {
      std::string accepted;
      for (const auto& [name, taker] : known) accepted += (accepted.empty() ? "" : ", ") + name;
      throw UsageError(fmt::format("{} has an unknown key \"{}\"; accepted: {}", what, key, accepted));
    }
    found->second(value, key);
  }
}

char delimiter_of(const Json& value, const std::string& key) {
  const std::string text = text_of(value, key);
  if (text.empty()) return '\0';
  if (text == "tab") return '\t';
  if (text == "space") return ' ';
  if (text.size() != 1 || text[0] == '\n' || text[0] == '"') wrong(key, "one character, tab or space");
  return text[0];
}

std::vector<ColumnType> types_of(const Json& value, const std::string& key) {
  if (!value.is_object()) wrong(key, "an object: names of columns and their kinds");
  std::vector<ColumnType> types;
  for (const auto& [column, kind] : value.items()) {
    ColumnType type = parse_column_types("x=" + text_of(kind, key)).front();
    type.column = column;
    types.push_back(std::move(type));
  }
  return types;
}

void take_reading(const Json& object, ReadOptions& read) {
  take_keys(object, "\"reading\"",
            {{"header", [&](auto& v, auto& k) { read.header = flag_of(v, k); }},
             {"delimiter", [&](auto& v, auto& k) { read.delimiter = delimiter_of(v, k); }},
             {"row_names", [&](auto& v, auto& k) { read.row_names = choice_of(v, k, kRowNameNames); }},
             {"missing_markers", [&](auto& v, auto& k) { read.missing_markers = texts_of(v, k); }},
             {"missing", [&](auto& v, auto& k) { read.missing = choice_of(v, k, kMissingNames); }},
             {"dates", [&](auto& v, auto& k) { read.dates_as_numbers = choice_of(v, k, kDateNames); }},
             {"types", [&](auto& v, auto& k) { read.types = types_of(v, k); }},
             {"select", [&](auto& v, auto& k) { read.select = texts_of(v, k); }},
             {"exclude", [&](auto& v, auto& k) { read.exclude = texts_of(v, k); }},
             {"transpose", [&](auto& v, auto& k) { read.transpose = flag_of(v, k); }},
             {"label_column", [&](auto& v, auto& k) { read.label_column = text_of(v, k); }},
             {"control",
              [&](auto& v, auto& k) {
                if (const auto labels = texts_of(v, k); !labels.empty())
                  read.interventions.control_labels = labels;
              }},
             {"interventions_kind",
              [&](auto& v, auto& k) { read.interventions.kind = choice_of(v, k, kInterventionKindNames); }},
             {"mask_inverted", [&](auto& v, auto& k) { read.interventions.inverted = flag_of(v, k); }},
             {"unknown_targets",
              [&](auto& v, auto& k) { read.interventions.unknown = choice_of(v, k, kUnknownTargetNames); }}});
}

std::string model_of(const Json& value, const std::string& key) {
  const std::string name = text_of(value, key);
  if (name.find_first_of("/\\.") != name.npos) wrong(key, "the name of an installed model");
  return name;
}

// How much of an option one client may ask for, where that is less than a user of the program may.
double most_of(const DiscoverOption& option) {
  if (option.name == "bootstrap") return kMostBootstrap;
  if (option.name == "samples") return kMostSamples;
  if (option.name == "ensemble" || option.name == "views") return kMostPasses;
  return std::min(kMostWhole, static_cast<double>(option.member.most));
}

OptionValue value_of(const Json& value, const std::string& key, const DiscoverOption& option) {
  if (option.name == "model") return model_of(value, key);
  switch (option.member.kind) {
    case OptionKind::kNumber:
      return number_of(value, key, 0, 1);
    case OptionKind::kWhole:
    case OptionKind::kBytes:
      return whole_of<std::uint64_t>(value, key, most_of(option));
    case OptionKind::kText:
    case OptionKind::kChoice:
      break;
  }
  return text_of(value, key);
}

// Device, memory and threads are the server's to choose.
bool for_clients(const DiscoverOption& option) {
  return option.name != "device" && option.name != "max_memory" && option.name != "threads";
}

void take_options(const Json& object, DiscoverOptions& options) {
  std::map<std::string, Taker> known;
  for (const DiscoverOption& option : discover_option_list())
    if (for_clients(option))
      known[option.name] = [&options, &option](const Json& value, const std::string& key) {
        set_option(options, option, value_of(value, key, option), fmt::format("\"{}\"", key));
      };
  take_keys(object, "\"options\"", known);
}

std::vector<std::pair<std::string, std::string>> pairs_of(const Json& value, const std::string& key) {
  if (!value.is_array()) wrong(key, "a list of pairs [source, target]");
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Json& entry : value) {
    if (!entry.is_array() || entry.size() != 2) wrong(key, "a list of pairs [source, target]");
    pairs.emplace_back(text_of(entry[0], key), text_of(entry[1], key));
  }
  return pairs;
}

void take_knowledge(const Json& object, NamedKnowledge& knowledge) {
  take_keys(object, "\"knowledge\"",
            {{"required", [&](auto& v, auto& k) { knowledge.required = pairs_of(v, k); }},
             {"forbidden", [&](auto& v, auto& k) { knowledge.forbidden = pairs_of(v, k); }},
             {"tiers", [&](auto& v, auto& k) {
                if (!v.is_array()) wrong(k, "a list of lists of names, earliest first");
                for (const Json& tier : v) knowledge.tiers.push_back(texts_of(tier, k));
              }}});
}

// For a shell.
std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("._-/=,:+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& entry : list) text += (text.empty() ? "" : ",") + entry;
  return text;
}

}  // namespace

TableRequest parse_table_request(std::string_view json) {
  Json document;
  try {
    document = parse_json(json, "the request");
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
  TableRequest request;
  take_keys(document, "the request",
            {{"name",
              [&](auto& v, auto& k) {
                request.name = text_of(v, k);
                if (request.name.empty() || request.name.size() > 200) wrong(k, "1 to 200 bytes of text");
              }},
             {"task",
              [&](auto& v, auto& k) {
                const std::string task = text_of(v, k);
                if (task != "audit" && task != "discover") wrong(k, "audit or discover");
                request.audit_only = task == "audit";
              }},
             {"table", [&](auto& v, auto& k) { request.table = text_of(v, k); }},
             {"interventions", [&](auto& v, auto& k) { request.interventions = text_of(v, k); }},
             {"reading", [&](auto& v, auto&) { take_reading(v, request.read); }},
             {"options", [&](auto& v, auto&) { take_options(v, request.discover); }},
             {"knowledge", [&](auto& v, auto&) { take_knowledge(v, request.knowledge); }}});
  return request;
}

Knowledge resolve_knowledge(const NamedKnowledge& named, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, int> index;
  for (std::size_t k = 0; k < names.size(); ++k) index.emplace(names[k], static_cast<int>(k));
  const auto find = [&](const std::string& name) {
    const auto found = index.find(name);
    if (found == index.end())
      throw InputError(fmt::format("knowledge: '{}' is no variable of the table", name));
    return found->second;
  };
  Knowledge knowledge;
  for (const auto& [source, target] : named.required)
    knowledge.required.push_back({find(source), find(target)});
  for (const auto& [source, target] : named.forbidden)
    knowledge.forbidden.push_back({find(source), find(target)});
  for (std::size_t tier = 0; tier < named.tiers.size(); ++tier)
    for (const std::string& name : named.tiers[tier]) {
      if (knowledge.tier_of.empty()) knowledge.tier_of.assign(names.size(), -1);
      int& place = knowledge.tier_of[static_cast<std::size_t>(find(name))];
      if (place >= 0) throw InputError(fmt::format("knowledge: '{}' stands in two tiers", name));
      place = static_cast<int>(tier);
    }
  knowledge.check(names);
  return knowledge;
}

std::string equivalent_command(const TableRequest& request) {
  const ReadOptions& read = request.read;
  const DiscoverOptions& options = request.discover;
  const ReadOptions usual_reading;
  const DiscoverOptions usual;
  std::string line = "causcale discover " + quoted(request.name);
  const auto add = [&](const std::string& option, const std::string& value) {
    line += " " + option + " " + quoted(value);
  };
  if (!read.header) line += " --no-header";
  if (read.delimiter)
    add("--delimiter", read.delimiter == '\t'  ? "tab"
                       : read.delimiter == ' ' ? "space"
                                               : std::string(1, read.delimiter));
  if (read.row_names != usual_reading.row_names) add("--row-names", name_of(kRowNameNames, read.row_names));
  for (const std::string& marker : read.missing_markers) add("--missing-marker", marker);
  if (read.missing != usual_reading.missing) add("--missing", name_of(kMissingNames, read.missing));
  if (read.dates_as_numbers) add("--dates", "number");
  for (const ColumnType& type : read.types) {
    std::string order;
    for (const std::string& word : type.order) order += (order.empty() ? ":" : "<") + word;
    add("--types", type.column + "=" + name_of(kColumnKindNames, type.kind) + order);
  }
  if (!read.select.empty()) add("--select", joined(read.select));
  if (!read.exclude.empty()) add("--exclude", joined(read.exclude));
  if (read.transpose) line += " --transpose";
  if (!request.interventions.empty()) add("--interventions", "interventions.csv");
  if (!read.label_column.empty()) add("--label-column", read.label_column);
  if (read.interventions.control_labels != usual_reading.interventions.control_labels)
    for (const std::string& label : read.interventions.control_labels) add("--control", label);
  if (read.interventions.kind != InterventionKind::kAuto)
    add("--interventions-kind", name_of(kInterventionKindNames, read.interventions.kind));
  if (read.interventions.inverted) line += " --mask-inverted";
  if (read.interventions.unknown != UnknownTargets::kError)
    add("--unknown-targets", name_of(kUnknownTargetNames, read.interventions.unknown));
  for (const DiscoverOption& option : discover_option_list()) {
    const OptionValue value = option.member.get(options);
    if (for_clients(option) && value != option.member.get(usual))
      std::visit([&](const auto& said) { add(command_line_name(option), fmt::format("{}", said)); }, value);
  }
  if (!request.knowledge.required.empty()) add("--required", "required.csv");
  if (!request.knowledge.forbidden.empty()) add("--forbidden", "forbidden.csv");
  if (!request.knowledge.tiers.empty()) add("--tiers", "tiers.csv");
  return line + " -o report.html";
}

}  // namespace causcale
