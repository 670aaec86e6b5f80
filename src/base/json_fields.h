// Reads one JSON object field by field: wrong types, values out of range and unknown keys become errors that
// name the file, the key and what is accepted.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "base/weighted.h"
#include "causcale/error.h"

namespace causcale {

class JsonFields {
 public:
  // `where` is the file and the path of keys that led here.
  JsonFields(nlohmann::json object, std::string where)
      : object_(std::move(object)), where_(std::move(where)) {
    if (!object_.is_object()) throw InputError(fmt::format("{}: expected an object {{...}}", where_));
  }

  bool has(const std::string& key) {
    known_.insert(key);
    return object_.contains(key);
  }

  void read(const std::string& key, bool& value) {
    if (!has(key)) return;
    if (!object_[key].is_boolean()) fail(key, "true or false");
    value = object_[key].get<bool>();
  }
  void read(const std::string& key, std::string& value) {
    if (!has(key)) return;
    if (!object_[key].is_string()) fail(key, "a text in quotes");
    value = object_[key].get<std::string>();
  }
  // One of the words of a table.
  template <class Choice, std::size_t N>
  void read_choice(const std::string& key, const NameTable<Choice, N>& names, Choice& value) {
    std::string word;
    read(key, word);
    if (!has(key)) return;
    const std::optional<Choice> found = find_choice(names, word);
    if (!found) fail(key, "one of " + list_names(names));
    value = *found;
  }
  void read(const std::string& key, double& value, double low = 0.0,
            double high = std::numeric_limits<double>::max()) {
    if (!has(key)) return;
    if (!object_[key].is_number() || object_[key].get<double>() < low || object_[key].get<double>() > high)
      fail(key, fmt::format("a number of {} to {}", low, high));
    value = object_[key].get<double>();
  }
  template <class Integer>
  requires std::is_integral_v<Integer> &&
      (!std::is_same_v<Integer, bool>)void read(const std::string& key, Integer& value, long long low = 0,
                                                long long high = 1LL << 40) {
    if (!has(key)) return;
    if (!object_[key].is_number_integer() || object_[key].get<long long>() < low ||
        object_[key].get<long long>() > high)
      fail(key, fmt::format("a whole number of {} to {}", low, high));
    value = static_cast<Integer>(object_[key].get<long long>());
  }

  // A single value, a list of equally likely ones, or an object value -> weight. Keys are turned into values
  // by `parse`, which throws InputError on what it does not know.
  template <class T, class Parse>
  void read_weighted(const std::string& key, Weighted<T>& weighted, const Parse& parse) {
    if (!has(key)) return;
    const nlohmann::json& field = object_[key];
    Weighted<T> result;
    const auto add = [&](const std::string& text, double weight) {
      if (!(weight >= 0.0)) fail(key, "weights that are not negative");
      try {
        result.add(parse(text), weight);
      } catch (const std::exception& error) {
        throw InputError(fmt::format("{}, key \"{}\": {}", where_, key, error.what()));
      }
    };
    if (field.is_object()) {
      for (const auto& [text, weight] : field.items()) {
        if (!weight.is_number()) fail(key, "a number as weight of each choice");
        add(text, weight.template get<double>());
      }
    } else if (field.is_array()) {
      for (const auto& item : field) add(item.is_string() ? item.get<std::string>() : item.dump(), 1.0);
    } else {
      add(field.is_string() ? field.get<std::string>() : field.dump(), 1.0);
    }
    if (result.empty()) fail(key, "at least one choice of positive weight");
    weighted = std::move(result);
  }

  JsonFields object(const std::string& key) {
    has(key);
    return JsonFields(object_[key], fmt::format("{}, key \"{}\"", where_, key));
  }
  const nlohmann::json& raw(const std::string& key) {
    has(key);
    return object_[key];
  }
  const std::string& where() const { return where_; }

  // Every key must have been asked for by now.
  void finish() const {
    for (const auto& [key, value] : object_.items())
      if (!known_.contains(key))
        throw InputError(
            fmt::format("{}: unknown key \"{}\"; accepted: {}", where_, key, fmt::join(known_, ", ")));
  }

  [[noreturn]] void fail(const std::string& key, const std::string& accepted) const {
    throw InputError(fmt::format("{}, key \"{}\": found {}, expected {}", where_, key,
                                 object_.contains(key) ? object_[key].dump() : "nothing", accepted));
  }

 private:
  nlohmann::json object_;
  std::string where_;
  std::set<std::string> known_;
};

}  // namespace causcale
