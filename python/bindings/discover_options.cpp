#include "discover_options.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "base/byte_size.h"
#include "base/name_table.h"
#include "causcale/error.h"
#include "discover/option_list.h"

namespace py = pybind11;

namespace causcale::python {
namespace {

constexpr NameTable<OptionKind, 5> kKindNames{{
    {OptionKind::kText, "text"},
    {OptionKind::kNumber, "number"},
    {OptionKind::kWhole, "whole"},
    {OptionKind::kBytes, "bytes"},
    {OptionKind::kChoice, "choice"},
}};

std::string said(const DiscoverOption& option, const py::handle& value) {
  return fmt::format("{}={}", option.name, py::cast<std::string>(py::repr(value)));
}

// Also numpy's own kinds of numbers.
std::uint64_t whole_from(const DiscoverOption& option, const py::handle& value) {
  const auto refuse = [&] {
    throw UsageError(said(option, value) + ": a whole number, 0 or more, is expected");
  };
  if (py::isinstance<py::bool_>(value) || !PyIndex_Check(value.ptr())) refuse();
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  const auto result = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse();
  }
  return result;
}

double number_from(const DiscoverOption& option, const py::handle& value) {
  const double result = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw UsageError(said(option, value) + ": a number is expected");
  }
  return result;
}

std::string text_from(const DiscoverOption& option, const py::handle& value) {
  if (value.is_none()) return {};
  if (py::isinstance<py::bool_>(value) && !option.member.usual_word.empty())
    return py::cast<bool>(value) ? option.member.usual_word : std::string();
  if (!py::isinstance<py::str>(value)) throw UsageError(said(option, value) + ": a text is expected");
  return py::cast<std::string>(value);
}

OptionValue value_from(const DiscoverOption& option, const py::handle& value) {
  switch (option.member.kind) {
    case OptionKind::kNumber:
      return number_from(option, value);
    case OptionKind::kWhole:
      return whole_from(option, value);
    case OptionKind::kBytes:
      if (py::isinstance<py::str>(value))
        return static_cast<std::uint64_t>(parse_byte_size(py::cast<std::string>(value), option.name));
      return whole_from(option, value);
    case OptionKind::kText:
    case OptionKind::kChoice:
      break;
  }
  return text_from(option, value);
}

py::object object_from(const OptionValue& value) {
  return std::visit([](const auto& held) -> py::object { return py::cast(held); }, value);
}

}  // namespace

DiscoverOptions options_from(const py::dict& given) {
  DiscoverOptions options;
  for (const DiscoverOption& option : discover_option_list()) {
    if (!given.contains(option.name.c_str())) continue;
    const py::object value = given[option.name.c_str()];
    set_option(options, option, value_from(option, value), said(option, value));
  }
  return options;
}

py::dict dict_from(const DiscoverOptions& options) {
  py::dict result;
  for (const DiscoverOption& option : discover_option_list())
    result[option.name.c_str()] = object_from(option.member.get(options));
  return result;
}

py::list option_list() {
  py::list list;
  for (const DiscoverOption& option : discover_option_list()) {
    py::dict entry;
    entry["name"] = option.name;
    entry["kind"] = name_of(kKindNames, option.member.kind);
    entry["default"] = object_from(option.member.get(DiscoverOptions{}));
    entry["most"] = option.member.most;
    entry["words"] = option.member.words;
    entry["usual_word"] = option.member.usual_word;
    entry["help"] = option.help;
    list.append(entry);
  }
  return list;
}

}  // namespace causcale::python
