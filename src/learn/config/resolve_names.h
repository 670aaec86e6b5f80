// The words of a training configuration as the choices they stand for.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/name_table.h"
#include "base/weighted.h"
#include "causcale/error.h"

namespace causcale {

// Throws InputError that lists what is accepted.
template <class Choice, std::size_t N>
Weighted<Choice> resolve_names(const Weighted<std::string>& chosen, const NameTable<Choice, N>& names,
                               const char* what) {
  try {
    return chosen.template map<Choice>(
        [&](const std::string& name) { return choice_named(names, name, what); });
  } catch (const UsageError& error) {
    throw InputError(fmt::format("training configuration: {}", error.what()));
  }
}

}  // namespace causcale
