// GML, as networkx writes and DoWhy reads it: directed 1, node [ id 0 label "a" ], edge [ source 0 target 1
// ]. It knows arrows only: an edge with open marks stands there in every direction, with its marks as the
// attribute `edge`, read from source to target; <-> stands there both ways.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "base/decimal.h"
#include "exchange/escape.h"
#include "exchange/format_files.h"
#include "exchange/text_cursor.h"

namespace causcale {
namespace {

constexpr int kMostNesting = 100;

// &#955; &quot; &amp; ... become characters; what is no such entity stays as it is.
std::string without_entities(std::string_view text) {
  static const std::pair<std::string_view, std::string_view> named[] = {
      {"quot", "\""}, {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"apos", "'"}};
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : text.npos;
    if (end == text.npos || end - at > 12) {
      out += text[at];
      continue;
    }
    std::string_view entity = text.substr(at + 1, end - at - 1);
    std::string character;
    if (entity.starts_with('#')) {
      entity.remove_prefix(1);
      const bool hexadecimal = entity.starts_with('x') || entity.starts_with('X');
      if (hexadecimal) entity.remove_prefix(1);
      std::uint32_t code = 0;
      const auto [stop, error] =
          std::from_chars(entity.data(), entity.data() + entity.size(), code, hexadecimal ? 16 : 10);
      if (error == std::errc() && stop == entity.data() + entity.size() && code > 0 && code <= 0x10FFFF &&
          (code < 0xD800 || code > 0xDFFF))
        character = encode_utf8(std::u32string(1, static_cast<char32_t>(code)));
    }
    for (const auto& [name, meaning] : named)
      if (entity == name) character = meaning;
    if (character.empty()) {
      out += text[at];
      continue;
    }
    out += character;
    at = end;
  }
  return out;
}

// What the attributes of a node or an edge are; lists within are passed over.
using Attributes = std::map<std::string, std::string>;

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : at_(text, path), builder_(path) {}

  GraphDocument read() {
    bool found = false;
    for (at_.skip_blanks(); !at_.at_end(); at_.skip_blanks()) {
      const std::string key = word("a keyword");
      at_.skip_blanks();
      if (key == "graph" && at_.peek() == '[') {
        if (found) at_.fail("a second graph; one is read");
        found = true;
        graph();
      } else {
        pass_over(0);
      }
    }
    if (!found) at_.fail("there is no graph [ ... ]");
    return finish();
  }

 private:
  struct Arrow {
    std::string source, target, marks;
    double score;
    std::string where;
  };

  std::string word(const char* expected) {
    std::string text;
    while (!at_.at_end() && !std::isspace(static_cast<unsigned char>(at_.peek())) &&
           std::string_view("[]\"").find(at_.peek()) == std::string_view::npos)
      text += at_.take();
    if (text.empty()) at_.fail(fmt::format("{} where {} should stand", at_.found(), expected));
    return text;
  }

  std::string value() {
    if (at_.peek() != '"') return word("a value");
    const std::string begin = at_.where();
    at_.take();
    std::string text;
    while (!at_.at_end() && at_.peek() != '"') text += at_.take();
    if (at_.at_end()) throw InputError(fmt::format("{}: a quote is not closed", begin));
    at_.take();
    return without_entities(text);
  }

  void pass_over(int depth) {
    if (depth > kMostNesting) at_.fail("brackets are nested too deeply");
    at_.skip_blanks();
    if (at_.peek() != '[') {
      value();
      return;
    }
    list([&](const std::string&) { pass_over(depth + 1); });
  }

  template <class Entry>
  void list(const Entry& entry) {
    const std::string begin = at_.where();
    at_.take();  // [
    for (;;) {
      at_.skip_blanks();
      if (at_.at_end()) throw InputError(fmt::format("{}: the [ here is not closed", begin));
      if (at_.peek() == ']') break;
      const std::string key = word("a keyword");
      at_.skip_blanks();
      entry(key);
    }
    at_.take();
  }

  Attributes attributes() {
    Attributes result;
    if (at_.peek() != '[') at_.fail(fmt::format("{} where [ should stand", at_.found()));
    list([&](const std::string& key) {
      if (at_.peek() == '[')
        pass_over(0);
      else
        result[key] = value();
    });
    return result;
  }

  std::string required(const Attributes& attributes, const char* key, const char* of,
                       const std::string& where) {
    const auto found = attributes.find(key);
    if (found == attributes.end()) throw InputError(fmt::format("{}: this {} has no {}", where, of, key));
    return found->second;
  }

  void graph() {
    list([&](const std::string& key) {
      const std::string where = at_.where();
      if (key == "directed") {
        const std::string text = value();
        if (text != "0" && text != "1") at_.fail(fmt::format("directed is '{}', not 0 or 1", text));
        directed_ = text == "1";
      } else if (key == "node") {
        const Attributes node = attributes();
        const std::string id = required(node, "id", "node", where);
        const auto label = node.find("label");
        const std::string name = label == node.end() ? id : label->second;
        if (name.empty()) throw InputError(fmt::format("{}: the label of this node is empty", where));
        if (builder_.knows(name))
          throw InputError(fmt::format("{}: a second node is called '{}'", where, name));
        if (!nodes_.emplace(id, builder_.node(name)).second)
          throw InputError(fmt::format("{}: a second node has id {}", where, id));
      } else if (key == "edge") {
        const Attributes edge = attributes();
        Arrow arrow{required(edge, "source", "edge", where), required(edge, "target", "edge", where), "",
                    std::numeric_limits<double>::quiet_NaN(), where};
        if (const auto marks = edge.find("edge"); marks != edge.end()) arrow.marks = marks->second;
        for (const char* name : {"probability", "score"})
          if (const auto score = edge.find(name); score != edge.end()) {
            const std::string& text = score->second;
            const auto value = parse_decimal(text);
            if (!value || !std::isfinite(*value))
              throw InputError(fmt::format("{}: {} is '{}', not a finite number", where, name, text));
            arrow.score = *value;
          }
        arrows_.push_back(std::move(arrow));
      } else {
        pass_over(0);
      }
    });
  }

  GraphDocument finish() {
    for (const Arrow& arrow : arrows_) {
      const auto source = nodes_.find(arrow.source), target = nodes_.find(arrow.target);
      if (source == nodes_.end() || target == nodes_.end())
        throw InputError(fmt::format("{}: there is no node with id {}", arrow.where,
                                     source == nodes_.end() ? arrow.source : arrow.target));
      Mark left = Mark::kTail, right = directed_ ? Mark::kArrow : Mark::kTail;
      if (!arrow.marks.empty() && !parse_edge_text(arrow.marks, left, right))
        throw InputError(
            fmt::format("{}: edge is '{}', not marks such as --> or o->", arrow.where, arrow.marks));
      builder_.edge({source->second, target->second, left, right, arrow.score}, arrow.where,
                    !arrow.marks.empty() || !directed_);
    }
    return builder_.finish();
  }

  TextCursor at_;
  DocumentBuilder builder_;
  bool directed_ = false;
  std::map<std::string, int> nodes_;
  std::vector<Arrow> arrows_;
};

}  // namespace

GraphDocument parse_gml(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

std::string gml_escaped(std::string_view text) {
  std::string out;
  for (const char32_t code : decode_utf8(text)) {
    if (code == '"')
      out += "&quot;";
    else if (code == '&')
      out += "&amp;";
    else if (code >= 32 && code < 127)
      out += static_cast<char>(code);
    else
      out += fmt::format("&#{};", static_cast<std::uint32_t>(code));
  }
  return out;
}

std::string format_gml(const GraphDocument& document) {
  const bool has_marks = !std::all_of(document.edges.begin(), document.edges.end(),
                                      [](const DocumentEdge& e) { return e.is_arrow(); });
  std::string out = "graph [\n  directed 1\n";
  for (std::size_t i = 0; i < document.names.size(); ++i)
    out += fmt::format("  node [\n    id {}\n    label \"{}\"\n  ]\n", i, gml_escaped(document.names[i]));
  std::set<std::pair<int, int>>
      written;  // readers refuse a second edge from the same source to the same target
  const auto arrow = [&](const DocumentEdge& edge) {
    if (!written.insert({edge.a, edge.b}).second)
      refuse_edge(document, edge, "GML", "one edge per direction");
    out += fmt::format("  edge [\n    source {}\n    target {}\n", edge.a, edge.b);
    if (!std::isnan(edge.score)) out += fmt::format("    score {:.9f}\n", edge.score);
    if (has_marks) out += fmt::format("    edge \"{}\"\n", gml_escaped(edge_text(edge)));
    out += "  ]\n";
  };
  for (const DocumentEdge& edge : document.edges) {
    arrow(edge);
    // An arrowhead at b alone is the one thing that rules b -> a out.
    if (edge.at_b != Mark::kArrow || edge.at_a == Mark::kArrow)
      arrow({edge.b, edge.a, edge.at_b, edge.at_a, edge.score});
  }
  return out + "]\n";
}

}  // namespace causcale
