// What the sources use of the standard library of C++20 and libc++ had not before version 15: the algorithms
// of std::ranges (whole ranges, comparisons and projections as in the standard), bit_cast, from_chars of
// floating-point numbers. Included before every source file of the WebAssembly module; does nothing where the
// library is complete.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
#include <fast_float/fast_float.h>

#include <charconv>
#include <ranges>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
requires(sizeof(To) == sizeof(From)) constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const auto [stop, failure] = fast_float::from_chars(first, last, value);
  return {stop, failure};
}

}  // namespace std

namespace std::ranges {
namespace missing {

template <class Less, class Projection>
auto projected(Less& less, Projection& projection) {
  return [&](const auto& a, const auto& b) -> bool {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  };
}

}  // namespace missing

template <class Range, class Predicate, class Projection = std::identity>
constexpr auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  auto at = ranges::begin(range);
  for (const auto end = ranges::end(range); at != end; ++at)
    if (std::invoke(predicate, std::invoke(projection, *at))) break;
  return at;
}
template <class Range, class Value, class Projection = std::identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::find_if(
      range, [&](const auto& other) { return other == value; }, projection);
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return ranges::find_if(range, std::ref(predicate), projection) != ranges::end(range);
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !ranges::any_of(range, std::ref(predicate), projection);
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return ranges::none_of(
      range, [&](const auto& value) { return !std::invoke(predicate, value); }, projection);
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr std::ptrdiff_t count_if(Range&& range, Predicate predicate, Projection projection = {}) {
  std::ptrdiff_t found = 0;
  for (const auto& value : range)
    if (std::invoke(predicate, std::invoke(projection, value))) ++found;
  return found;
}
template <class Range, class Value, class Projection = std::identity>
constexpr std::ptrdiff_t count(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::count_if(
      range, [&](const auto& other) { return other == value; }, projection);
}
template <class Range, class Function>
constexpr void for_each(Range&& range, Function function) {
  for (auto&& value : range) std::invoke(function, value);
}

template <class Range, class Less = ranges::less, class Projection = std::identity>
void sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::sort(ranges::begin(range), ranges::end(range), missing::projected(less, projection));
}
template <class Range, class Less = ranges::less, class Projection = std::identity>
void stable_sort(Range&& range, Less less = {}, Projection projection = {}) {
  std::stable_sort(ranges::begin(range), ranges::end(range), missing::projected(less, projection));
}
template <class Range, class Iterator, class Less = ranges::less, class Projection = std::identity>
void nth_element(Range&& range, Iterator nth, Less less = {}, Projection projection = {}) {
  std::nth_element(ranges::begin(range), nth, ranges::end(range), missing::projected(less, projection));
}
template <class Range, class Less = ranges::less>
void make_heap(Range&& range, Less less = {}) {
  std::make_heap(ranges::begin(range), ranges::end(range), less);
}
template <class Range, class Less = ranges::less>
void pop_heap(Range&& range, Less less = {}) {
  std::pop_heap(ranges::begin(range), ranges::end(range), less);
}

template <class Iterator, class Value, class Less = ranges::less, class Projection = std::identity>
requires std::input_or_output_iterator<Iterator>
auto lower_bound(Iterator first, Iterator last, const Value& value, Less less = {},
                 Projection projection = {}) {
  return std::partition_point(first, last, [&](const auto& other) -> bool {
    return std::invoke(less, std::invoke(projection, other), value);
  });
}
template <class Range, class Value, class Less = ranges::less, class Projection = std::identity>
requires ranges::range<Range>
auto lower_bound(Range&& range, const Value& value, Less less = {}, Projection projection = {}) {
  return ranges::lower_bound(ranges::begin(range), ranges::end(range), value, less, projection);
}
template <class Range, class Value, class Less = ranges::less, class Projection = std::identity>
auto upper_bound(Range&& range, const Value& value, Less less = {}, Projection projection = {}) {
  return std::partition_point(ranges::begin(range), ranges::end(range), [&](const auto& other) -> bool {
    return !std::invoke(less, value, std::invoke(projection, other));
  });
}
template <class Range, class Value, class Less = ranges::less, class Projection = std::identity>
bool binary_search(Range&& range, const Value& value, Less less = {}, Projection projection = {}) {
  const auto at = ranges::lower_bound(range, value, less, projection);
  return at != ranges::end(range) && !std::invoke(less, value, std::invoke(projection, *at));
}
template <class Range, class Other>
bool includes(Range&& range, Other&& other) {
  return std::includes(ranges::begin(range), ranges::end(range), ranges::begin(other), ranges::end(other));
}
template <class Range, class Other>
bool equal(Range&& range, Other&& other) {
  return std::equal(ranges::begin(range), ranges::end(range), ranges::begin(other), ranges::end(other));
}

template <class Range, class Less = ranges::less, class Projection = std::identity>
auto max_element(Range&& range, Less less = {}, Projection projection = {}) {
  return std::max_element(ranges::begin(range), ranges::end(range), missing::projected(less, projection));
}
template <class Range, class Less = ranges::less, class Projection = std::identity>
auto min_element(Range&& range, Less less = {}, Projection projection = {}) {
  return std::min_element(ranges::begin(range), ranges::end(range), missing::projected(less, projection));
}
template <class Range>
auto max(Range&& range) {
  return *ranges::max_element(range);
}
template <class Range>
auto min(Range&& range) {
  return *ranges::min_element(range);
}
template <class Range>
auto minmax(Range&& range) {
  const auto [least, most] = std::minmax_element(ranges::begin(range), ranges::end(range));
  return std::pair(*least, *most);
}

template <class Range>
auto adjacent_find(Range&& range) {
  return std::adjacent_find(ranges::begin(range), ranges::end(range));
}
template <class Range>
auto unique(Range&& range) {
  const auto end = ranges::end(range);
  return ranges::subrange(std::unique(ranges::begin(range), end), end);
}
template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  for (auto&& place : range) place = value;
}
template <class Range, class Iterator>
constexpr void copy(Range&& range, Iterator to) {
  for (auto&& value : range) *to++ = value;
}
template <class Range>
constexpr void reverse(Range&& range) {
  std::reverse(ranges::begin(range), ranges::end(range));
}
template <class Range, class Predicate, class Value>
void replace_if(Range&& range, Predicate predicate, const Value& value) {
  std::replace_if(ranges::begin(range), ranges::end(range), predicate, value);
}
template <class Range, class Value>
void replace(Range&& range, const Value& old, const Value& value) {
  std::replace(ranges::begin(range), ranges::end(range), old, value);
}
template <class Range, class Iterator, class Function>
void transform(Range&& range, Iterator to, Function function) {
  std::transform(ranges::begin(range), ranges::end(range), to, function);
}

}  // namespace std::ranges
#endif
