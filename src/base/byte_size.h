// Sizes in bytes as people write and read them, and how much memory reading a file may take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace causcale {

// "4GiB", "500M", "1.5 g", "1e9" in bytes: a decimal number above zero and an optional unit B, K, M, G or T
// (also KB, KiB, ...; always powers of 1024). At least 1 byte and less than 2^63. Throws UsageError that
// begins with `option`.
std::int64_t parse_byte_size(std::string_view text, std::string_view option);

// "1.50 GiB", "2.00 KiB", "17 bytes".
std::string format_byte_size(std::uint64_t bytes);

// What reading one file may take: `asked`, or three quarters of the computer's memory where that is 0.
std::size_t reading_limit(std::size_t asked);

// Throws InputError that names both sizes where `needed` is above `limit`. `what` begins the message, e.g.
// "file.npz: array x".
void require_memory(std::string_view what, std::uint64_t needed, std::size_t limit);

}  // namespace causcale
