#include "simulate/worlds/world_draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "causcale/error.h"
#include "simulate/names.h"

namespace causcale {
namespace {

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

double log_odds(double share) {
  const double inside = std::clamp(share, 1e-6, 1 - 1e-6);
  return std::log(inside / (1 - inside));
}

std::string join(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

}  // namespace

double SettingRange::draw(RandomStream& random) const {
  const double u = random.uniform();
  if (low == high) return low;
  switch (kind) {
    case SettingKind::kFactor:
      // A range from 0 has no smallest factor: a thousandth of its upper end stands for it.
      return std::exp(std::lerp(std::log(low > 0 ? low : high * 1e-3), std::log(high), u));
    case SettingKind::kOdds: {
      const double odds = std::exp(std::lerp(log_odds(low), log_odds(high), u));
      return std::clamp(odds / (1 + odds), low, high);
    }
    case SettingKind::kWhole: {
      const double start = std::max(low, 0.0) + 0.5, end = high + 1.5;
      return std::clamp(std::floor(start * std::pow(end / start, u) - 0.5 + 1e-12), low, high);
    }
    default:
      return std::lerp(low, high, u);
  }
}

SettingRange parse_setting_range(const WorldSetting& setting, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view view = text;
  const auto low = to_number(view.substr(0, colon));
  const auto high = colon == std::string::npos ? low : to_number(view.substr(colon + 1));
  if (!low || !high || *low > *high || *low < setting.least || *high > setting.most)
    throw UsageError(
        fmt::format("setting {} is '{}', but must be a number, or a range such as {}, within [{}, {}]",
                    setting.name, text, setting.fallback, setting.least, setting.most));
  if (setting.kind == SettingKind::kWhole && (std::floor(*low) != *low || std::floor(*high) != *high))
    throw UsageError(fmt::format("setting {} is '{}', but must be whole numbers", setting.name, text));
  return {*low, *high, setting.kind};
}

std::vector<std::string> parse_setting_words(const WorldSetting& setting, const std::string& text) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text.find(',', start);
    words.push_back(text.substr(start, comma - start));
    if (std::ranges::find(setting.words, words.back()) == setting.words.end())
      throw UsageError(fmt::format("setting {} has '{}'; accepted, alone or several with commas: {}",
                                   setting.name, words.back(), join(setting.words)));
    if (comma == std::string::npos) return words;
    start = comma + 1;
  }
}

std::size_t WorldDraw::position(const std::string& setting) const {
  for (std::size_t i = 0; i < world_.settings.size(); ++i)
    if (world_.settings[i].name == setting) return i;
  throw Error(fmt::format("world {} has no setting {}", world_.name, setting));
}

const std::string& WorldDraw::text(std::size_t position) const {
  const WorldSetting& setting = world_.settings[position];
  const auto given = options_.settings.find(setting.name);
  return given == options_.settings.end() ? setting.fallback : given->second;
}

SettingRange WorldDraw::range(const std::string& setting) const {
  const std::size_t at = position(setting);
  return parse_setting_range(world_.settings[at], text(at));
}

std::vector<std::string> WorldDraw::words(const std::string& setting) const {
  const std::size_t at = position(setting);
  return parse_setting_words(world_.settings[at], text(at));
}

double WorldDraw::number(const std::string& setting) {
  for (const auto& [key, value] : drawn_)
    if (key == setting) return std::get<double>(value);
  RandomStream random = stream(Purpose::kWorldSetting, static_cast<std::uint32_t>(position(setting)));
  const double value = range(setting).draw(random);
  note(setting, value);
  return value;
}

int WorldDraw::whole(const std::string& setting) {
  return static_cast<int>(std::lround(number(setting)));
}

std::string WorldDraw::word(const std::string& setting) {
  for (const auto& [key, value] : drawn_)
    if (key == setting) return std::get<std::string>(value);
  RandomStream random = stream(Purpose::kWorldSetting, static_cast<std::uint32_t>(position(setting)));
  const std::vector<std::string> accepted = words(setting);
  const std::string chosen = accepted[random.below(static_cast<std::uint32_t>(accepted.size()))];
  note(setting, chosen);
  return chosen;
}

WorldSetting number_setting_of(std::string name, SettingKind kind, std::string fallback, double least,
                               double most, std::string meaning) {
  return {std::move(name), kind, std::move(fallback), least, most, {}, std::move(meaning)};
}

WorldSetting word_setting_of(std::string name, std::string fallback, std::vector<std::string> words,
                             std::string meaning) {
  return {std::move(name),  SettingKind::kWord, std::move(fallback), 0, 0,
          std::move(words), std::move(meaning)};
}

std::vector<WorldSetting> graph_settings() {
  return {
      word_setting_of("graph", "er,er,sf,sbm,ws,geometric", all_names(kGraphModelNames), "graph model"),
      number_setting_of("edges_per_node", SettingKind::kFactor, "0.5:3", 0, 1000,
                        "expected number of edges per variable, hidden ones included"),
      number_setting_of("hubs", SettingKind::kNumber, "0.5:1.5", 0, 5,
                        "sf: exponent of preferential attachment; large: few variables with many effects"),
      word_setting_of("reversed", "yes,no", {"yes", "no"},
                      "yes: every edge turned round, so that hubs collect")};
}

std::vector<WorldSetting> hidden_settings() {
  return {
      number_setting_of("hidden", SettingKind::kNumber, "0", 0, 1, "hidden variables per measured variable")};
}

std::vector<WorldSetting> treatment_settings() {
  return {
      word_setting_of("interventions", "none,none,hard,hard,soft,incomplete,off_target,unknown,drug,mixed",
                      {"none", "hard", "soft", "incomplete", "off_target", "unknown", "drug", "mixed"},
                      "hard: the target is set; soft: damped and shifted, its causes still act; incomplete: "
                      "hard in a part of the rows; off_target: others are moved, too, and not named; "
                      "unknown: some targets are not named; drug: what the target does is changed, it is "
                      "measured as ever; mixed: each intervention its own"),
      number_setting_of("treated", SettingKind::kNumber, "0.1:1", 0, 1,
                        "share of the variables intervened on"),
      number_setting_of("targets", SettingKind::kWhole, "1:2", 1, 100, "targets of one intervention"),
      number_setting_of("rows_per_target", SettingKind::kWhole, "1:100", 1, 1e9,
                        "rows per intervention; at least a tenth of the rows is observational")};
}

std::vector<WorldSetting> unit_settings() {
  return {
      number_setting_of("units", SettingKind::kFactor, "1000", 1, 1e6,
                        "numbers are given in units between 1/S and S of the system's own, shifted, and half "
                        "of them downwards; 1: as they are")};
}

std::vector<WorldSetting> missing_settings() {
  return {
      number_setting_of("missing", SettingKind::kNumber, "0", 0, 0.9, "share of the cells that is missing"),
      word_setting_of("missing_kind", "random,others,itself,blocks", {"random", "others", "itself", "blocks"},
                      "random: any cell; others: by the value of another column; itself: by its own "
                      "value; blocks: of rows and columns")};
}

std::vector<WorldSetting> join_settings(std::vector<WorldSetting> own,
                                        const std::vector<std::vector<WorldSetting>>& groups) {
  for (const std::vector<WorldSetting>& group : groups)
    for (const WorldSetting& setting : group)
      if (std::ranges::find(own, setting.name, &WorldSetting::name) == own.end()) own.push_back(setting);
  return own;
}

SampledGraph draw_world_graph(WorldDraw& draw, int nodes) {
  GraphOptions options;
  options.model = choice_named(kGraphModelNames, draw.word("graph"), "graph model");
  options.nodes = nodes;
  options.edges_per_node = std::min(draw.number("edges_per_node"), 0.5 * (nodes - 1));
  RandomStream random = draw.stream(Purpose::kWorldGraph);
  options.attachment_power = draw.number("hubs");
  options.reverse_edges = draw.word("reversed") == "yes";
  options.blocks = std::min(nodes, 2 + static_cast<int>(random.below(5)));
  options.rewiring = random.uniform(0.05, 0.5);
  return sample_graph(options, random);
}

}  // namespace causcale
