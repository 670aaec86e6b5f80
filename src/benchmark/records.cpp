#include "benchmark/records.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "base/file.h"
#include "base/json_text.h"
#include "causcale/error.h"
#include "causcale/version.h"

namespace causcale {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "causcale benchmark results";
constexpr double kSecondsBetweenSaves = 1.0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Record parse_record(const json& entry) {
  Record record;
  record.task = entry.at("task");
  record.error = entry.value("error", "");
  record.limit_seconds = entry.value("limit_seconds", 0.0);
  if (entry.contains("measures"))
    for (const auto& [name, value] : entry.at("measures").items())
      record.measures[name] =
          value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  return record;
}

ordered_json format_record(const Record& record) {
  ordered_json entry{{"task", record.task}};
  if (!record.error.empty()) {
    entry["error"] = record.error;
    if (record.limit_seconds > 0.0) entry["limit_seconds"] = record.limit_seconds;
    return entry;
  }
  ordered_json& measures = entry["measures"] = ordered_json::object();
  for (const auto& [name, value] : record.measures)
    measures[name] = std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
  return entry;
}

}  // namespace

RecordFile::RecordFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  try {
    const std::string text(MappedFile(path_).text());
    require_tame_json(text, path_.string());
    const json document = json::parse(text);
    if (document.value("format", "") != kFormat)
      throw InputError(fmt::format("{}: key 'format' is not '{}'", path_.string(), kFormat));
    for (const json& entry : document.at("records")) {
      records_.push_back(parse_record(entry));
      place_[records_.back().task.dump()] = records_.size() - 1;
    }
    tables_ = ordered_json::parse(text).at("tables");
  } catch (const json::exception& error) {
    throw InputError(
        fmt::format("{} exists and holds no benchmark results ({}); name another file or remove it",
                    path_.string(), error.what()));
  }
}

const Record* RecordFile::find(const json& task) const {
  const auto found = place_.find(task.dump());
  if (found == place_.end() || !records_[found->second].error.empty()) return nullptr;
  return &records_[found->second];
}

const Record* RecordFile::find_out_of_time(const json& task, double seconds) const {
  const auto found = place_.find(task.dump());
  if (found == place_.end() || seconds <= 0.0) return nullptr;
  const Record& record = records_[found->second];
  return !record.error.empty() && record.limit_seconds >= seconds ? &record : nullptr;
}

void RecordFile::add(Record record) {
  const auto [found, is_new] = place_.try_emplace(record.task.dump(), records_.size());
  if (is_new)
    records_.push_back(std::move(record));
  else
    records_[found->second] = std::move(record);
  if (now() - last_saved_ > kSecondsBetweenSaves) save();
}

void RecordFile::set_table(const std::string& name, ordered_json table) {
  tables_[name] = std::move(table);
}

void RecordFile::save() {
  last_saved_ = now();
  if (path_.empty()) return;
  ordered_json document{{"format", kFormat}, {"version", CAUSCALE_VERSION}, {"tables", tables_}};
  ordered_json& records = document["records"] = ordered_json::array();
  for (const Record& record : records_) records.push_back(format_record(record));
  write_file_atomically(path_, document.dump(1) + "\n");
}

}  // namespace causcale
