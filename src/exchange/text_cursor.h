// Walks through a text and knows the line it is in, for the readers of this folder.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {

class TextCursor {
 public:
  TextCursor(std::string_view text, std::string path)
      : text_(without_byte_order_mark(text)), path_(std::move(path)) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }
  bool starts_with(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  // Blanks, and comments: // and # to the end of the line, /* to */.
  void skip_blanks() {
    while (!at_end()) {
      if (std::isspace(static_cast<unsigned char>(peek()))) {
        take();
      } else if (starts_with("//") || peek() == '#') {
        while (!at_end() && peek() != '\n') take();
      } else if (starts_with("/*")) {
        const std::string begin = where();
        while (!at_end() && !starts_with("*/")) take();
        if (at_end()) throw InputError(fmt::format("{}: this comment is not closed", begin));
        take();
        take();
      } else {
        return;
      }
    }
  }

  std::string where() const { return fmt::format("{}, line {}", path_, line_); }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", where(), what));
  }
  // What stands here, for messages.
  std::string found() const {
    if (at_end()) return "the end of the file";
    const std::string_view rest = text_.substr(at_);
    return fmt::format("'{}'", rest.substr(0, std::min<std::size_t>(rest.find_first_of(" \t\r\n"), 20)));
  }

 private:
  std::string_view text_;
  std::string path_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace causcale
