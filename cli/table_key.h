// Whether a table, its options and its model are still those of a result that was noted before.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace causcale::cli {

// What decides the result of a table: text that names options and model, and the files that are read; empty
// paths among them count as absent ones.
struct TableInputs {
  std::string settings;
  std::vector<std::filesystem::path> files;
};

// Files are known again by size, times and number where they have not changed since the record was made, and
// by their SHA-256 otherwise, which is taken once at most: of thousands of tables that several processes look
// at, each is read by the one that works on it.
class TableKey {
 public:
  explicit TableKey(TableInputs inputs) : inputs_(std::move(inputs)) {}

  // What for_record() of an equal key gave. Throws InputError where a file cannot be read.
  bool fits(const nlohmann::json& record);
  nlohmann::ordered_json for_record();
  // The SHA-256 of everything.
  const std::string& content();

 private:
  std::string settings() const;

  TableInputs inputs_;
  std::string content_;  // empty: not looked at yet
  std::string stamp_;    // of the files before they were looked at
};

}  // namespace causcale::cli
