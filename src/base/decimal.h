// Numbers in text files of graphs, read the same in every locale.
#pragma once

#include <optional>
#include <string_view>

namespace causcale {

// The number that the whole text is; a sign + may stand before it. What is too small for a double is 0
// (1e-400), what is too large infinite: to accept that is up to the caller, as it is with "inf" and "nan".
std::optional<double> parse_decimal(std::string_view text);

}  // namespace causcale
