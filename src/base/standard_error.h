// Remarks and progress on standard error. Where that is closed or its disk is full they are lost, and the
// work goes on: fmt::print(stderr, ...) would throw, and end the program from within the handler of another
// error.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace causcale {

template <class... T>
void print_error(fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = fmt::format(format, std::forward<T>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace causcale
