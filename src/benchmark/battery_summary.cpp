#include "benchmark/battery_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "benchmark/tables.h"

namespace causcale {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kAllSets = "all sets";
constexpr const char* kBestClassical = "best classical";

Summary alone(double value) {
  return {value, kNone, 1};
}

// The classes that have a readable set, in order, each with its sets' numbers; then all of them.
struct Group {
  std::string name;
  std::set<std::size_t> sets;
};

std::vector<Group> groups_of(const Battery& battery) {
  std::map<BatteryClass, std::set<std::size_t>> classes;
  Group all{kAllSets, {}};
  for (std::size_t s = 0; s < battery.sets.size(); ++s) {
    if (!battery.sets[s].failure.empty()) continue;
    classes[battery.sets[s].kind].insert(s);
    all.sets.insert(s);
  }
  std::vector<Group> groups;
  for (auto& [kind, sets] : classes) groups.push_back({kind.name(), std::move(sets)});
  groups.push_back(std::move(all));
  return groups;
}

bool is_measured(const Battery& battery, std::size_t row) {
  return !battery.study.rows[row].sources.empty();
}

// Labels of the contenders in the order in which they come up.
std::vector<std::string> contenders_of(const Battery& battery) {
  std::vector<std::string> labels;
  for (std::size_t r = 0; r < battery.study.rows.size(); ++r) {
    const std::string& label = battery.study.rows[r].contender.label;
    if (is_measured(battery, r) && std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

bool is_network(const StudyRow& row) {
  return row.contender.method.empty();
}

RowOutcome mean_of(const Study& table, const std::vector<const RowOutcome*>& rows) {
  RowOutcome mean;
  mean.finished = static_cast<int>(rows.size());
  mean.metrics["sets"] = alone(static_cast<double>(rows.size()));
  for (const StudyColumn& column : table.columns) {
    double sum = 0.0;
    int count = 0;
    for (const RowOutcome* row : rows)
      if (const auto found = row->metrics.find(column.metric); found != row->metrics.end()) {
        sum += found->second.mean;
        ++count;
      }
    if (count > 0) mean.metrics[column.metric] = {sum / count, kNone, count};
  }
  std::vector<Measures> bins;
  for (const RowOutcome* row : rows) {
    Measures& measures = bins.emplace_back();
    for (const auto& [name, summary] : row->metrics) measures[name] = summary.mean;
  }
  mean.metrics.erase("ece");
  if (const double pooled = pooled_calibration_error(bins); std::isfinite(pooled))
    mean.metrics["ece"] = alone(pooled);
  return mean;
}

StudyRow derived_row(const std::string& group, const std::string& label) {
  return {{group, label}, {}, {}, "", label, group, 0.0};
}

using Ap = std::optional<double>;

// Directed AP in points: the best of the set's contenders that `counts` takes.
Ap best_ap(const Battery& battery, const StudyOutcome& outcome, std::size_t set,
           const std::function<bool(const StudyRow&)>& counts) {
  Ap best;
  for (std::size_t r = 0; r < outcome.size(); ++r) {
    if (battery.set_of_row[r] != set || !is_measured(battery, r) || !counts(battery.study.rows[r])) continue;
    if (const auto found = outcome[r].metrics.find("map"); found != outcome[r].metrics.end())
      best = std::max(best.value_or(0.0), 100.0 * found->second.mean);
  }
  return best;
}

struct Opponent {
  std::string label;
  std::function<bool(const StudyRow&)> is_it;
};

std::vector<Opponent> opponents_of(const Battery& battery) {
  std::vector<Opponent> opponents = {{kBestClassical, [](const StudyRow& row) {
                                        return !is_network(row) && !is_yardstick(row.contender.method);
                                      }}};
  for (const std::string& label : contenders_of(battery))
    if (is_yardstick(label))
      opponents.push_back({label, [label](const StudyRow& row) { return row.contender.method == label; }});
  return opponents;
}

std::vector<DerivedTable> summaries(const Battery& battery, const StudyOutcome& outcome) {
  std::vector<DerivedTable> tables;
  tables.push_back(class_means(battery, outcome));
  if (DerivedTable table = duels(battery, outcome); !table.study.rows.empty())
    tables.push_back(std::move(table));
  return tables;
}

}  // namespace

DerivedTable class_means(const Battery& battery, const StudyOutcome& outcome) {
  DerivedTable table;
  Study& study = table.study;
  study.name = "battery_classes";
  study.title = "Means per class";
  study.seed = battery.study.seed;
  study.graphs = 1;
  study.headings = {"class", "method"};
  study.columns = {
      {"sets", "sets", 0, 1.0},   {"map", "directed AP", 1, 100.0}, {"skeleton_map", "skeleton AP", 1, 100.0},
      {"auc", "AUROC", 1, 100.0}, {"oa", "OA", 1, 100.0},           {"shd", "SHD", 1, 1.0},
      {"f1", "F1", 1, 100.0},     {"ece", "pooled ECE", 3, 1.0}};
  study.remarks = {
      "Every set counts once. Methods without a result on some sets have fewer of them in their means."};
  study.picture = battery.study.picture;

  const std::vector<Group> groups = groups_of(battery);
  std::vector<RowOutcome> of_network;  // one per class
  std::string network_label;
  for (const Group& group : groups)
    for (const std::string& label : contenders_of(battery)) {
      std::vector<const RowOutcome*> rows;
      bool network = false;
      for (std::size_t r = 0; r < outcome.size(); ++r) {
        const StudyRow& row = battery.study.rows[r];
        if (!is_measured(battery, r) || row.contender.label != label ||
            !group.sets.contains(battery.set_of_row[r]))
          continue;
        network = is_network(row);
        if (outcome[r].finished > 0) rows.push_back(&outcome[r]);
      }
      if (rows.empty()) continue;
      study.rows.push_back(derived_row(group.name, label));
      table.outcome.push_back(mean_of(study, rows));
      if (!network || group.name == kAllSets) continue;
      network_label = label;
      of_network.push_back(table.outcome.back());
    }
  if (of_network.empty()) return table;
  std::vector<const RowOutcome*> classes;
  for (const RowOutcome& row : of_network) classes.push_back(&row);
  study.rows.push_back(derived_row("mean of classes", network_label));
  RowOutcome mean = mean_of(study, classes);
  double sets = 0.0, errors = 0.0;
  for (const RowOutcome& row : of_network) {
    sets += row.metrics.at("sets").mean;
    errors += row.metrics.at("ece").mean / static_cast<double>(of_network.size());
  }
  mean.metrics["sets"] = alone(sets);
  mean.metrics["ece"] = alone(errors);
  table.outcome.push_back(std::move(mean));
  return table;
}

DerivedTable duels(const Battery& battery, const StudyOutcome& outcome) {
  DerivedTable table;
  Study& study = table.study;
  study.name = "battery_duels";
  study.title = "The network against others, by directed AP";
  study.seed = battery.study.seed;
  study.graphs = 1;
  study.headings = {"class", "against"};
  study.columns = {{"sets", "sets", 0, 1.0},
                   {"wins", "wins", 0, 1.0},
                   {"ties", "ties", 0, 1.0},
                   {"losses", "losses", 0, 1.0},
                   {"difference", "mean difference", 1, 1.0}};
  study.remarks = {
      fmt::format("Ties: within {:g} point. Best classical: the best of each set, which only the "
                  "truth can tell.",
                  kTiePoints)};
  for (const Group& group : groups_of(battery))
    for (const Opponent& opponent : opponents_of(battery)) {
      double sets = 0.0, wins = 0.0, losses = 0.0, sum = 0.0;
      for (const std::size_t set : group.sets) {
        const Ap ours = best_ap(battery, outcome, set, is_network);
        const Ap theirs = best_ap(battery, outcome, set, opponent.is_it);
        if (!ours || !theirs) continue;
        const double difference = *ours - *theirs;
        sets += 1.0;
        sum += difference;
        if (difference > kTiePoints) wins += 1.0;
        if (difference < -kTiePoints) losses += 1.0;
      }
      if (sets == 0.0) continue;
      study.rows.push_back(derived_row(group.name, opponent.label));
      RowOutcome row;
      row.finished = static_cast<int>(sets);
      row.metrics = {{"sets", alone(sets)},
                     {"wins", alone(wins)},
                     {"ties", alone(sets - wins - losses)},
                     {"losses", alone(losses)},
                     {"difference", alone(sum / sets)}};
      table.outcome.push_back(std::move(row));
    }
  return table;
}

std::string format_battery_text(const Battery& battery, const StudyOutcome& outcome) {
  std::string text = format_study_text(battery.study, outcome);
  for (const DerivedTable& table : summaries(battery, outcome))
    text += "\n" + format_study_text(table.study, table.outcome);
  return text;
}

std::string format_battery_markdown(const Battery& battery, const StudyOutcome& outcome) {
  std::string text;
  for (const DerivedTable& table : summaries(battery, outcome))
    text += format_study_markdown(table.study, table.outcome) + "\n";
  return text + format_study_markdown(battery.study, outcome);
}

nlohmann::ordered_json battery_to_json(const Battery& battery, const StudyOutcome& outcome) {
  nlohmann::ordered_json json{{"sets", study_to_json(battery.study, outcome)}};
  const DerivedTable classes = class_means(battery, outcome);
  json["classes"] = study_to_json(classes.study, classes.outcome);
  const DerivedTable wins = duels(battery, outcome);
  json["duels"] = study_to_json(wins.study, wins.outcome);
  auto& unreadable = json["unreadable"] = nlohmann::ordered_json::array();
  for (const BatterySet& set : battery.sets)
    if (!set.failure.empty()) unreadable.push_back({{"data", set.name}, {"reason", set.failure}});
  return json;
}

std::string format_battery_picture(const Battery& battery, const StudyOutcome& outcome) {
  const DerivedTable classes = class_means(battery, outcome);
  return format_study_picture(classes.study, classes.outcome);
}

}  // namespace causcale
