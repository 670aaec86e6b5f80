#include "benchmark/battery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "benchmark/study_parts.h"
#include "causcale/error.h"
#include "core/installed.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDiscreteValues = 20;

enum class ColumnClass { kConstant, kDiscrete, kContinuous };

ColumnClass column_class(const Table& table, std::size_t column) {
  const bool text = column < table.levels.size() && !table.levels[column].empty();
  std::set<double> values;
  bool whole = true;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double value = table.values(r, column);
    if (std::isnan(value)) continue;
    whole = whole && value == std::floor(value);
    if (values.size() <= kMostDiscreteValues) values.insert(value);
  }
  if (values.size() < 2) return ColumnClass::kConstant;
  return text || (whole && values.size() <= kMostDiscreteValues) ? ColumnClass::kDiscrete
                                                                 : ColumnClass::kContinuous;
}

// Folders with a part of a data set count, too, so that none is passed over without a word.
std::vector<fs::path> candidate_folders(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw InputError(fmt::format("{}: no such folder", folder.string()));
  const auto looks_like_one = [](const fs::path& place) {
    return std::ranges::any_of(std::array{"data.csv", "data.npy", "truth.csv"},
                               [&](const char* name) { return fs::exists(place / name); });
  };
  std::vector<fs::path> found;
  if (looks_like_one(folder)) found.push_back(folder);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory() && looks_like_one(entry.path())) found.push_back(entry.path());
  if (found.empty())
    throw InputError(fmt::format("{}: no data set in it (a folder with data.csv or data.npy and truth.csv)",
                                 folder.string()));
  std::ranges::sort(found);  // the order of the file system is not to be relied on
  return found;
}

BatterySet look_at(const fs::path& folder, const fs::path& below) {
  const fs::path relative = folder.lexically_relative(below);
  BatterySet set{
      relative == "." ? fs::absolute(folder).lexically_normal().filename().string() : relative.string(),
      folder,
      {},
      {}};
  try {
    if (!fs::exists(folder / "truth.csv")) throw InputError("there is no truth.csv");
    if (!fs::exists(folder / "data.csv") && !fs::exists(folder / "data.npy"))
      throw InputError("there is neither data.csv nor data.npy");
    set.kind = battery_class(read_known_dataset(folder).dataset);
  } catch (const std::exception& error) {
    set.failure = error.what();
  }
  return set;
}

std::vector<std::string> wanted_methods(const StudyRequest& request, const BatteryClass& kind) {
  if (request.methods.empty()) return battery_methods(kind);
  std::vector<std::string> names;
  const auto add = [&](const Method& method) {
    if (kind.interventional || !method.needs_interventions) names.push_back(method.name);
  };
  for (const std::string& name : request.methods) {
    if (name == "none") {
      if (request.methods.size() > 1) throw UsageError("--methods none: leave the other names out");
    } else if (name == "all") {
      for (const Method& method : methods()) add(method);
    } else {
      add(method_named(name));
    }
  }
  return names;
}

}  // namespace

std::string BatteryClass::name() const {
  const char* kinds = kind == TableKind::kContinuous ? "continuous"
                      : kind == TableKind::kDiscrete ? "discrete"
                                                     : "mixed";
  return fmt::format("{}, {}", kinds, interventional ? "interventional" : "observational");
}

BatteryClass battery_class(const Dataset& dataset) {
  bool discrete = false, continuous = false;
  for (std::size_t c = 0; c < dataset.table.cols(); ++c) {
    const ColumnClass of = column_class(dataset.table, c);
    discrete = discrete || of == ColumnClass::kDiscrete;
    continuous = continuous || of == ColumnClass::kContinuous;
  }
  BatteryClass result;
  if (discrete) result.kind = continuous ? TableKind::kMixed : TableKind::kDiscrete;
  result.interventional = !dataset.interventions.observational();
  return result;
}

bool is_yardstick(const std::string& method) {
  return method == inverse_covariance_method().name || method == mean_shift_method().name ||
         method == correlation_method().name;
}

std::vector<std::string> battery_methods(const BatteryClass& of) {
  std::vector<std::string> names = {inverse_covariance_method().name};
  if (of.interventional) names.push_back(mean_shift_method().name);
  names.push_back(pc_method().name);
  names.push_back(ges_method().name);
  names.push_back(boss_method().name);
  if (of.kind != TableKind::kContinuous) return names;  // the others know sums of numbers only
  if (of.interventional) names.push_back(gies_method().name);
  names.push_back(direct_lingam_method().name);
  names.push_back(dagma_method().name);
  names.push_back(notears_method().name);
  return names;
}

Battery make_battery(const StudyRequest& request) {
  Battery battery;
  Study& study = battery.study = new_study(request, "battery", "Data sets with known graphs");
  study.graphs = 1;
  study.headings = {"data", "class", "method"};
  study.columns = {{"nodes", "n", 0, 1.0},
                   {"rows", "rows", 0, 1.0},
                   {"edges", "edges", 0, 1.0},
                   {"map", "directed AP", 1, 100.0},
                   {"skeleton_map", "skeleton AP", 1, 100.0},
                   {"auc", "AUROC", 1, 100.0},
                   {"oa", "OA", 1, 100.0},
                   {"shd", "SHD", 0, 1.0},
                   {"f1", "F1", 1, 100.0},
                   {"ece", "ECE", 3, 1.0},
                   {"seconds", "time (s)", -1, 1.0}};
  study.picture.y_label = "directed AP (%)";
  StudyRequest chosen = request;
  if (chosen.model.empty()) chosen.model = default_model_name();
  std::size_t readable = 0;
  for (const fs::path& folder : candidate_folders(request.folder)) {
    const std::size_t number = battery.sets.size();
    const BatterySet& set = battery.sets.emplace_back(look_at(folder, request.folder));
    if (!set.failure.empty()) {
      study.rows.push_back({{set.name, "-", "unreadable"}, {}, {}, "", "", "", 0.0});
      battery.set_of_row.push_back(number);
      continue;
    }
    ++readable;
    chosen.methods = wanted_methods(request, set.kind);
    if (!request.network && chosen.methods.empty() && request.methods.front() != "none") continue;
    for (Contender contender : requested_contenders(chosen, false)) {
      contender.prior_units = request.prior_units.value_or(PriorUnits::kAuto);
      contender.one_pass = false;
      study.rows.push_back({{set.name, set.kind.name(), contender.label},
                            contender,
                            {FolderData{folder, 0}},
                            "",
                            contender.label,
                            set.name,
                            0.0});
      battery.set_of_row.push_back(number);
    }
  }
  if (readable == 0)
    throw InputError(fmt::format("{}: none of the {} data sets in it can be read; {}: {}",
                                 request.folder.string(), battery.sets.size(), battery.sets.front().name,
                                 battery.sets.front().failure));
  study.remarks = {"Rows and passes as causcale discover takes them, unless options said otherwise.",
                   "Skeleton AP: unordered pairs by the sum of both directions' scores. A symmetric answer "
                   "has no OA; only "
                   "probabilities have an ECE (10 bins)."};
  return battery;
}

StudyOutcome run_battery(const Battery& battery, const RunStudyOptions& options, RecordFile& records) {
  StudyOutcome outcome = run_study(battery.study, options, records);
  for (std::size_t r = 0; r < outcome.size(); ++r) {
    const BatterySet& set = battery.sets[battery.set_of_row[r]];
    if (set.failure.empty()) continue;
    outcome[r].failure = set.failure;
    outcome[r].failed = 1;
  }
  return outcome;
}

}  // namespace causcale
