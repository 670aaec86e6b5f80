#include "base/decimal.h"

#include <fast_float/fast_float.h>

#include <system_error>

namespace causcale {

std::optional<double> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  // std::from_chars leaves the value alone where it is out of range.
  if (error != std::errc() && error != std::errc::result_out_of_range) return std::nullopt;
  if (end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace causcale
