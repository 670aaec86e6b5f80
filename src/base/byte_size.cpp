#include "base/byte_size.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/peak_memory.h"
#include "causcale/error.h"

namespace causcale {
namespace {

constexpr std::string_view kUnits = "KMGT";

// Bytes of one unit; 0: not a unit.
double unit_bytes(std::string_view unit) {
  std::string upper(unit);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (upper.empty() || upper == "B") return 1.0;
  const std::size_t power = kUnits.find(upper.front());
  const std::string_view rest = std::string_view(upper).substr(1);
  if (power == kUnits.npos || !(rest.empty() || rest == "B" || rest == "IB")) return 0.0;
  return std::ldexp(1.0, static_cast<int>(10 * (power + 1)));
}

}  // namespace

std::int64_t parse_byte_size(std::string_view text, std::string_view option) {
  const auto fail = [&](std::string_view what) {
    throw UsageError(fmt::format("{} {}: {}; write a size such as 4GiB or 800M", option, text, what));
  };
  // from_chars takes "inf" and "nan" for numbers and reads the same in every locale.
  if (text.empty() || !((text.front() >= '0' && text.front() <= '9') || text.front() == '.'))
    fail(text.starts_with('-') ? "a size cannot be negative" : "not a size");
  double value = 0.0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc::result_out_of_range) fail("out of range");
  if (failure != std::errc()) fail("not a size");
  std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double factor = unit_bytes(unit);
  if (factor == 0.0) fail(fmt::format("'{}' is not a unit (B, K, M, G or T)", unit));
  const double bytes = value * factor;
  if (!(bytes >= 1.0)) fail("less than one byte");
  if (!(bytes < 0x1p63)) fail("more than any computer has");
  return static_cast<std::int64_t>(bytes);
}

std::string format_byte_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t power = 0;
  for (; value >= 1024 && power + 1 < kUnits.size(); ++power) value /= 1024;
  return fmt::format("{:.2f} {}iB", value, kUnits[power]);
}

std::size_t reading_limit(std::size_t asked) {
  return asked > 0 ? asked : static_cast<std::size_t>(physical_memory()) / 4 * 3;
}

void require_memory(std::string_view what, std::uint64_t needed, std::size_t limit) {
  if (needed > limit)
    throw InputError(fmt::format("{} would need {} of memory, more than the limit of {}", what,
                                 format_byte_size(needed), format_byte_size(limit)));
}

}  // namespace causcale
