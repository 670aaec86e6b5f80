// What a mistyped word was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace causcale::cli {

// Equal but for upper and lower case.
bool same_word(std::string_view a, std::string_view b);

// Letters to insert, delete, replace or exchange with their neighbour to get from one word to the other;
// upper and lower case count as the same.
std::size_t typing_distance(std::string_view a, std::string_view b);

// The candidate that is nearest to the word, the first of several; empty when none is near enough to be
// meant: a third of the letters may be wrong.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace causcale::cli
