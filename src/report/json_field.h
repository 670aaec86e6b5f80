// A value in a JSON file, with its place: whatever is not as it should be is an InputError that names the
// file, the field, what was found and what is accepted.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

class JsonField {
 public:
  using Json = nlohmann::ordered_json;

  // The whole of a file. Looks at the value and does not own it.
  JsonField(const Json& value, const std::string& source) : JsonField(value, source, "") {}

  const Json& json() const { return *value_; }

  // Of an object; a member that must be there.
  JsonField member(const std::string& name) const;
  // Nothing where it is absent or null.
  std::optional<JsonField> find(const std::string& name) const;
  void for_each_member(const std::function<void(const std::string& name, const JsonField&)>& visit) const;
  // Of an array.
  std::vector<JsonField> items() const;

  std::string text() const;
  bool truth() const;
  double number() const;         // finite
  double number_or_nan() const;  // null is NaN
  double number_in(double low, double high) const;
  std::int64_t whole(std::int64_t low, std::int64_t high) const;
  std::size_t size() const;  // a whole number from 0 on
  // n rows of n numbers, each as `entry` reads it, with zeros on the diagonal.
  Matrix<double> square(std::size_t n, const std::function<double(const JsonField&)>& entry) const;

  // Throws InputError: "FILE: names[2]: PROBLEM".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  JsonField(const Json& value, const std::string& source, std::string path)
      : value_(&value), source_(&source), path_(std::move(path)) {}
  [[noreturn]] void fail_kind(const char* expected) const;

  const Json* value_;
  const std::string* source_;
  std::string path_;  // "edges[3].source"; empty for the whole
};

}  // namespace causcale
