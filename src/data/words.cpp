#include "data/words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "data/date_format.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
// Beyond so many different words, of which most stand in a single row or two, a column is free text.
constexpr std::size_t kMostLevels = 20;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

class Reading {
 public:
  Reading(const WordColumn& cells, const ColumnType* told, const std::vector<std::string>& markers,
          DecimalMark preferred, bool dates_as_numbers, std::string place)
      : cells_(cells),
        told_(told),
        preferred_(preferred),
        dates_as_numbers_(dates_as_numbers),
        place_(std::move(place)),
        count_(cells.words.size(), 0) {
    for (const std::uint32_t code : cells.code) ++count_[code];
    for (std::size_t w = 0; w < cells.words.size(); ++w) {
      if (is_missing_word(cells.words[w], markers)) continue;
      words_.push_back(w);
      // Among numbers and dates "none" means that there is none.
      if (!is_missing(cells.words[w], markers)) values_.push_back(w);
    }
    result_.value.assign(cells.words.size(), kMissing);
  }

  WordReading run() {
    if (told_)
      as_told();
    else
      infer();
    return std::move(result_);
  }

 private:
  using Words = std::vector<std::size_t>;

  std::vector<std::string_view> views(const Words& which) const {
    std::vector<std::string_view> result;
    for (const std::size_t w : which) result.push_back(cells_.words[w]);
    return result;
  }

  std::size_t cells_with(const Words& which) const {
    std::size_t total = 0;
    for (const std::size_t w : which) total += count_[w];
    return total;
  }

  void infer() {
    if (words_.empty()) {
      result_.kind = ColumnKind::kConstant;
      result_.reason = "no value at all";
      result_.set_aside = true;
      return;
    }
    if (!values_.empty() && (numbers() || dates() || booleans())) return;
    if (mostly_numbers()) return;
    const std::size_t different = words_.size(), present = cells_with(words_);
    const bool long_texts = mean_length() > 40.0;
    if (different == present && present >= 3)
      return aside(long_texts ? "free text, different in every row" : "a different word in every row");
    if (different > kMostLevels && 2 * different > present)
      return aside(fmt::format("free text: {} different ones in {} cells", different, present));
    sorted_levels();
    result_.kind = different == 1   ? ColumnKind::kConstant
                   : different == 2 ? ColumnKind::kBinary
                                    : ColumnKind::kUnordered;
    result_.reason = different == 1 ? "a single word" : fmt::format("{} different words", different);
  }

  void as_told() {
    const ColumnKind kind = told_->kind;
    result_.kind = kind;
    result_.reason = "as told";
    if (kind == ColumnKind::kIdentifier) {
      result_.set_aside = true;
    } else if (kind == ColumnKind::kDate) {
      if (!dates()) refuse_unless([](std::string_view word) { return read_date_words({word}).has_value(); });
      result_.set_aside = !dates_as_numbers_;
    } else if (kind == ColumnKind::kUnordered) {
      sorted_levels();
    } else if (!told_->order.empty()) {
      levels_in_order();
    } else if (!numbers()) {
      if (kind == ColumnKind::kContinuous || kind == ColumnKind::kCount)
        numbers_with_faults();
      else if (!booleans())
        sorted_levels();
    }
    result_.kind = kind;
    result_.reason = "as told";
    if (kind == ColumnKind::kBinary && result_.levels.size() > 2)
      throw InputError(fmt::format(
          "{}: told to be binary, but it has {} different words, {} and {} among them", place_,
          result_.levels.size(), quoted_excerpt(result_.levels[0]), quoted_excerpt(result_.levels[1])));
  }

  void aside(std::string reason) {
    result_.kind = ColumnKind::kIdentifier;
    result_.reason = std::move(reason);
    result_.set_aside = true;
  }

  bool numbers() {
    const auto column = read_number_words(views(values_), preferred_);
    if (!column) return false;
    for (std::size_t k = 0; k < values_.size(); ++k) result_.value[values_[k]] = column->values[k];
    result_.writing = column->writing;
    if (column->either_mark)
      result_.assumption =
          fmt::format("{} is read as {:g}", quoted_excerpt(first_with_mark()), number_of(first_with_mark()));
    return true;
  }

  const std::string& first_with_mark() const {
    for (const std::size_t w : values_)
      if (cells_.words[w].find_first_of(".,") != std::string::npos) return cells_.words[w];
    return cells_.words[values_.front()];
  }
  double number_of(const std::string& word) const {
    const auto number = read_formatted_number(word, preferred_);
    return number ? number->value : kMissing;
  }

  bool dates() {
    const auto column = read_date_words(views(values_));
    if (!column) return false;
    for (std::size_t k = 0; k < values_.size(); ++k) result_.value[values_[k]] = column->days[k];
    result_.kind = ColumnKind::kDate;
    result_.reason = "dates, " + column->writing;
    if (column->writing == "time of day") result_.reason = "times of day";
    if (column->either_order)
      result_.assumption =
          fmt::format("{} has its {}", quoted_excerpt(cells_.words[values_.front()]), column->writing);
    result_.set_aside = !dates_as_numbers_;
    return true;
  }

  // yes and no in several spellings, of which the most frequent stays.
  bool booleans() {
    constexpr std::string_view kPairs[][2] = {
        {"no", "yes"},           {"n", "y"},     {"false", "true"}, {"f", "t"},
        {"off", "on"},           {"nein", "ja"}, {"non", "oui"},    {"absent", "present"},
        {"negative", "positive"}};
    for (const auto& [no, yes] : kPairs) {
      std::size_t most[2] = {words_.size(), words_.size()};
      bool fits = true;
      std::vector<std::size_t> side(cells_.words.size(), 0);
      for (const std::size_t w : words_) {
        const std::string lower = lower_case(cells_.words[w]);
        fits = fits && (lower == no || lower == yes);
        side[w] = lower == yes;
        std::size_t& spelling = most[side[w]];
        if (spelling == words_.size() || count_[w] > count_[spelling]) spelling = w;
      }
      if (!fits || most[0] == words_.size() || most[1] == words_.size()) continue;
      for (const std::size_t w : words_) result_.value[w] = static_cast<double>(side[w]);
      result_.levels = {cells_.words[most[0]], cells_.words[most[1]]};
      result_.kind = ColumnKind::kBinary;
      result_.reason = fmt::format("the words {} and {}", result_.levels[0], result_.levels[1]);
      return true;
    }
    return false;
  }

  // Many different numbers and some words among them: neither of the two can be meant.
  bool mostly_numbers() {
    std::size_t most = 0;
    DecimalMark best = preferred_;
    for (const DecimalMark mark : {DecimalMark::kPoint, DecimalMark::kComma}) {
      std::set<double> numbers;
      std::size_t cells = 0;
      for (const std::size_t w : values_)
        if (const auto number = read_formatted_number(cells_.words[w], mark)) {
          cells += count_[w];
          numbers.insert(number->value);
        }
      const bool enough = numbers.size() > kFewValues && 2 * cells >= cells_with(words_);
      if (enough && (cells > most || (cells == most && mark == preferred_))) {
        most = cells;
        best = mark;
      }
    }
    if (most == 0) return false;
    preferred_ = best;
    numbers_with_faults();
    return true;
  }

  // What stands around a number has to be the same in the whole column.
  static std::string dress(const FormattedNumber& number) {
    return number.percent ? "%" : number.unit + "|" + number.currency;
  }

  void numbers_with_faults() {
    std::map<std::string, std::size_t> dresses;
    for (const std::size_t w : values_)
      if (const auto number = read_formatted_number(cells_.words[w], preferred_))
        dresses[dress(*number)] += count_[w];
    const auto usual = std::max_element(dresses.begin(), dresses.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    refuse_unless([&](std::string_view word) {
      const auto number = read_formatted_number(word, preferred_);
      return number && dress(*number) == usual->first;
    });
    for (const std::size_t w : values_)
      if (!result_.unreadable[w]) result_.value[w] = number_of(cells_.words[w]);
    result_.kind = ColumnKind::kContinuous;
    result_.reason = "numbers, and text among them";
  }

  template <class Fits>
  void refuse_unless(const Fits& fits) {
    result_.unreadable.assign(cells_.words.size(), 0);
    for (const std::size_t w : values_) result_.unreadable[w] = !fits(cells_.words[w]);
  }

  void sorted_levels() {
    Words order = words_;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return natural_less(cells_.words[a], cells_.words[b]); });
    for (const std::size_t w : order) {
      result_.value[w] = static_cast<double>(result_.levels.size());
      result_.levels.push_back(cells_.words[w]);
    }
  }

  void levels_in_order() {
    result_.levels = told_->order;
    result_.unreadable.assign(cells_.words.size(), 0);
    for (const std::size_t w : words_) {
      const auto place = std::find(told_->order.begin(), told_->order.end(), cells_.words[w]);
      result_.unreadable[w] = place == told_->order.end();
      if (!result_.unreadable[w]) result_.value[w] = static_cast<double>(place - told_->order.begin());
    }
  }

  double mean_length() const {
    std::size_t total = 0;
    for (const std::size_t w : words_) total += cells_.words[w].size();
    return static_cast<double>(total) / static_cast<double>(words_.size());
  }

  const WordColumn& cells_;
  const ColumnType* told_;
  DecimalMark preferred_;
  const bool dates_as_numbers_;
  const std::string place_;
  std::vector<std::size_t> count_;  // cells per word
  Words words_, values_;            // words that are not missing, as words and as numbers
  WordReading result_;
};

}  // namespace

WordReading read_words(const WordColumn& cells, const ColumnType* told,
                       const std::vector<std::string>& missing_markers, DecimalMark preferred,
                       bool dates_as_numbers, const std::string& source, const std::string& name) {
  return Reading(cells, told, missing_markers, preferred, dates_as_numbers,
                 fmt::format("{}: column {}", source, quoted_excerpt(name)))
      .run();
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto take_number = [&](std::string_view& text) {
    std::size_t zeros = 0;
    while (zeros + 1 < text.size() && text[zeros] == '0' && is_digit(text[zeros + 1])) ++zeros;
    std::size_t stop = zeros;
    while (stop < text.size() && is_digit(text[stop])) ++stop;
    const std::string_view digits = text.substr(zeros, stop - zeros);
    text.remove_prefix(stop);
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      const auto x = static_cast<unsigned char>(a.front()), y = static_cast<unsigned char>(b.front());
      if (x != y) return x < y;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

}  // namespace causcale
