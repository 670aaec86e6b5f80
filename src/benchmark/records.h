// Results on file: one record a data set and contender. A file gathers whatever benchmarks were run with it,
// and work that it holds is not done again, be it after an interruption or for another table.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmark/measures.h"

namespace causcale {

struct Record {
  nlohmann::json task;  // what was done: data and contender
  Measures measures;
  std::string error;           // not empty: it failed, and this is why
  double limit_seconds = 0.0;  // not 0: it failed because it had no more time than this
};

class RecordFile {
 public:
  // An empty path keeps everything in memory. An existing file is read; one that holds anything else than
  // benchmark results throws InputError, so that nothing is overwritten by mistake.
  explicit RecordFile(std::filesystem::path path);

  // The finished record of the task, null when there is none; failures are no results.
  const Record* find(const nlohmann::json& task) const;
  // The record of the task if it ran out of time with at least so many seconds; null otherwise, and without
  // a limit (0).
  const Record* find_out_of_time(const nlohmann::json& task, double seconds) const;
  // Takes the place of an earlier record of the same task. Written to disk at once, or with the next record
  // when the last writing was a moment ago.
  void add(Record record);
  // A table as text is made from, kept beside the records.
  void set_table(const std::string& name, nlohmann::ordered_json table);
  void save();

 private:
  std::filesystem::path path_;
  std::vector<Record> records_;
  std::map<std::string, std::size_t> place_;  // task -> index
  nlohmann::ordered_json tables_ = nlohmann::ordered_json::object();
  double last_saved_ = 0.0;
};

}  // namespace causcale
