// A column of cells as they stand in the file, each different word kept once.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace causcale {

struct WordColumn {
  std::vector<std::string> words;   // by first appearance; empty cells and other markers included
  std::vector<std::uint32_t> code;  // of every row: which word
};

class WordCollector {
 public:
  void add(std::string_view word) {
    const auto found = known_.find(word);
    if (found != known_.end()) {
      code_.push_back(found->second);
      return;
    }
    const auto number = static_cast<std::uint32_t>(words_.size());
    words_.emplace_back(word);  // a deque: earlier words stay where they are
    known_.emplace(words_.back(), number);
    code_.push_back(number);
  }

  WordColumn take() {
    return {{std::make_move_iterator(words_.begin()), std::make_move_iterator(words_.end())},
            std::move(code_)};
  }

 private:
  std::deque<std::string> words_;
  std::unordered_map<std::string_view, std::uint32_t> known_;
  std::vector<std::uint32_t> code_;
};

}  // namespace causcale
