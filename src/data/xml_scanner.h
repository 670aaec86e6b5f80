// A scanner for the XML that spreadsheets write: tags, attributes and text one after another, nothing kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace causcale {

class XmlScanner {
 public:
  explicit XmlScanner(std::string_view text) : rest_(text) {}

  // Goes to the next tag; false at the end. Comments, declarations and processing instructions are skipped.
  bool next();

  // Of the tag, without a namespace's prefix.
  std::string_view name() const { return name_; }
  bool closing() const { return closing_; }  // </name>
  bool empty() const { return empty_; }      // <name/>
  bool opens(std::string_view name) const { return !closing_ && name_ == name; }
  bool closes(std::string_view name) const { return (closing_ || empty_) && name_ == name; }
  // By its name without a prefix; absent where the tag has no such attribute.
  std::optional<std::string> attribute(std::string_view name) const;
  // What stands between this tag and the next one, entities resolved.
  std::string text() const;

 private:
  std::string_view rest_, name_, attributes_;
  bool closing_ = false, empty_ = false;
};

// &amp;, &#955; and such become what they stand for; what is none of them stays.
std::string without_entities(std::string_view text);

}  // namespace causcale
