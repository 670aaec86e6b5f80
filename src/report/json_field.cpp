#include "report/json_field.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/excerpt.h"
#include "causcale/error.h"

namespace causcale {

void JsonField::fail(const std::string& problem) const {
  throw InputError(fmt::format("{}: {}: {}", *source_, path_.empty() ? "the whole file" : path_, problem));
}

void JsonField::fail_kind(const char* expected) const {
  const std::string shown =
      value_->is_structured() ? (value_->is_array() ? "a list" : "an object")
                              : quoted_excerpt(value_->dump(-1, ' ', false, Json::error_handler_t::replace));
  fail(fmt::format("{} is expected, found {}", expected, shown));
}

JsonField JsonField::member(const std::string& name) const {
  if (!value_->is_object()) fail_kind("an object");
  const auto found = value_->find(name);
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (found == value_->end()) throw InputError(fmt::format("{}: {} is missing", *source_, path));
  return {*found, *source_, path};
}

std::optional<JsonField> JsonField::find(const std::string& name) const {
  if (!value_->is_object()) fail_kind("an object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return member(name);
}

void JsonField::for_each_member(
    const std::function<void(const std::string& name, const JsonField&)>& visit) const {
  if (!value_->is_object()) fail_kind("an object");
  for (const auto& item : value_->items())
    visit(item.key(), {item.value(), *source_, path_.empty() ? item.key() : path_ + "." + item.key()});
}

std::vector<JsonField> JsonField::items() const {
  if (!value_->is_array()) fail_kind("a list");
  std::vector<JsonField> result;
  result.reserve(value_->size());
  for (std::size_t k = 0; k < value_->size(); ++k)
    result.push_back({(*value_)[k], *source_, fmt::format("{}[{}]", path_, k)});
  return result;
}

std::string JsonField::text() const {
  if (!value_->is_string()) fail_kind("text");
  return value_->get<std::string>();
}

bool JsonField::truth() const {
  if (!value_->is_boolean()) fail_kind("true or false");
  return value_->get<bool>();
}

double JsonField::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) fail_kind("a number");
  return value_->get<double>();
}

double JsonField::number_or_nan() const {
  return value_->is_null() ? std::numeric_limits<double>::quiet_NaN() : number();
}

double JsonField::number_in(double low, double high) const {
  const double value = number();
  if (!(value >= low && value <= high))
    fail(fmt::format("a number between {} and {} is expected, found {}", low, high, value));
  return value;
}

std::int64_t JsonField::whole(std::int64_t low, std::int64_t high) const {
  const bool fits =
      value_->is_number_integer() &&
      (!value_->is_number_unsigned() ||
       value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits || value_->get<std::int64_t>() < low || value_->get<std::int64_t>() > high)
    fail_kind(fmt::format("a whole number between {} and {}", low, high).c_str());
  return value_->get<std::int64_t>();
}

std::size_t JsonField::size() const {
  return static_cast<std::size_t>(whole(0, std::numeric_limits<std::int64_t>::max()));
}

Matrix<double> JsonField::square(std::size_t n, const std::function<double(const JsonField&)>& entry) const {
  if (!value_->is_array()) fail_kind("a list of rows");
  if (value_->size() != n) fail(fmt::format("{} rows for {} variables", value_->size(), n));
  Matrix<double> matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    const JsonField row{(*value_)[i], *source_, fmt::format("{}[{}]", path_, i)};
    if (!row.value_->is_array()) row.fail_kind("a list of numbers");
    if (row.value_->size() != n) row.fail(fmt::format("{} numbers for {} variables", row.value_->size(), n));
    for (std::size_t j = 0; j < n; ++j) {
      const Json& cell = (*row.value_)[j];
      // A path is made only where it is needed: there are n * n of these.
      JsonField place{cell, *source_, ""};
      try {
        matrix(i, j) = entry(place);
      } catch (const InputError&) {
        place.path_ = fmt::format("{}[{}]", row.path_, j);
        matrix(i, j) = entry(place);
      }
      if (i == j && matrix(i, j) != 0.0) {
        place.path_ = fmt::format("{}[{}]", row.path_, j);
        place.fail(fmt::format("the diagonal is 0, found {}", matrix(i, j)));
      }
    }
  }
  return matrix;
}

}  // namespace causcale
