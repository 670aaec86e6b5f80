// dagitty's text: dag { A -> B; "C 1" <-> B }, types dag, pdag, mag, pag, digraph and graph. The subset of
// DOT that has the same shape is read as well: digraph { a -> b [dir=both, arrowtail=odot, arrowhead=normal]
// }.
#include <algorithm>
#include <optional>

#include "exchange/format_files.h"
#include "exchange/text_cursor.h"
#include "graph/order.h"

namespace causcale {
namespace {

constexpr int kMostNesting = 100;

struct Operator {
  Mark left, right;
};

using Attributes = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const Attributes& attributes, std::string_view key) {
  for (const auto& [name, value] : attributes)
    if (name == key) return value;
  return {};
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : at_(text, path), builder_(path) {}

  GraphDocument read() {
    at_.skip_blanks();
    std::string type = word();
    if (type == "strict") {
      at_.skip_blanks();
      type = word();
    }
    static const char* const types[] = {"dag", "pdag", "mag", "pag", "digraph", "graph"};
    if (std::ranges::find(types, type) == std::end(types))
      at_.fail(fmt::format("'{}' where dag, pdag, mag, pag, digraph or graph should begin the graph", type));
    dot_ = type == "digraph" || type == "graph";
    builder_.document().ancestral = type == "mag" || type == "pag";
    at_.skip_blanks();
    if (at_.peek() != '{') name();  // of the graph
    at_.skip_blanks();
    if (at_.peek() != '{') at_.fail(fmt::format("{} where {{ should open the graph", at_.found()));
    group(0);
    at_.skip_blanks();
    if (!at_.at_end()) at_.fail(fmt::format("{} after the end of the graph", at_.found()));
    return builder_.finish();
  }

 private:
  // Of an unquoted name: neither a blank nor what has a meaning of its own. A hyphen is part of it unless it
  // begins an edge.
  bool in_word() const {
    const char c = at_.peek();
    if (at_.at_end() || std::isspace(static_cast<unsigned char>(c))) return false;
    if (c == '-') return at_.peek(1) != '-' && at_.peek(1) != '>' && at_.peek(1) != '@';
    if (c == '@') return at_.peek(1) != '-';
    return std::string_view("{}[];,=<>\"'").find(c) == std::string_view::npos;
  }

  std::string word() {
    std::string text;
    while (in_word()) text += at_.take();
    return text;
  }

  std::string name() {
    const char quote = at_.peek();
    if (quote != '"' && quote != '\'') {
      const std::string text = word();
      if (text.empty()) at_.fail(fmt::format("{} where the name of a variable should stand", at_.found()));
      return text;
    }
    const std::string begin = at_.where();
    at_.take();
    std::string text;
    while (!at_.at_end() && at_.peek() != quote) {
      if (at_.peek() == '\\' && (at_.peek(1) == quote || at_.peek(1) == '\\'))
        at_.take();
      else if (at_.peek() == '\\' && at_.peek(1) == 'n' && dot_) {  // as DOT writes a line break
        at_.take();
        at_.take();
        text += '\n';
        continue;
      }
      text += at_.take();
    }
    if (at_.at_end()) throw InputError(fmt::format("{}: a quote is not closed", begin));
    at_.take();
    if (text.empty()) throw InputError(fmt::format("{}: the name of a variable is empty", begin));
    return text;
  }

  std::optional<Operator> edge_operator() {
    at_.skip_blanks();
    const char left = at_.peek();
    const bool has_left = left == '<' || left == '@';
    if (at_.peek(has_left) != '-') return std::nullopt;
    std::size_t length = has_left;
    while (at_.peek(length) == '-' && length < has_left + 2u) ++length;
    const char right = at_.peek(length);
    const bool has_right = right == '>' || right == '@';
    if (!has_left && !has_right && length < 2) return std::nullopt;
    for (std::size_t k = 0; k < length + has_right; ++k) at_.take();
    const auto mark = [](char c, char arrow) {
      return c == arrow ? Mark::kArrow : c == '@' ? Mark::kCircle : Mark::kTail;
    };
    return Operator{mark(left, '<'), mark(right, '>')};
  }

  Attributes attributes() {
    Attributes result;
    const std::string begin = at_.where();
    at_.take();  // [
    for (;;) {
      at_.skip_blanks();
      if (at_.at_end()) throw InputError(fmt::format("{}: the [ here is not closed", begin));
      if (at_.peek() == ']') break;
      if (at_.peek() == ',' || at_.peek() == ';') {
        at_.take();
        continue;
      }
      std::string key = name();
      std::string value;
      at_.skip_blanks();
      if (at_.peek() == '=') {
        at_.take();
        at_.skip_blanks();
        if (at_.starts_with("\"\"")) {
          at_.take();
          at_.take();
        } else {
          value = name();
        }
      }
      result.emplace_back(std::move(key), std::move(value));
    }
    at_.take();
    return result;
  }

  // A variable, or several in braces.
  std::vector<int> operand(int depth) {
    at_.skip_blanks();
    if (at_.peek() == '{') return group(depth);
    return {builder_.node(name())};
  }

  std::vector<int> group(int depth) {
    if (depth > kMostNesting) at_.fail("braces are nested too deeply");
    const std::string begin = at_.where();
    at_.take();  // {
    std::vector<int> members;
    for (;;) {
      at_.skip_blanks();
      if (at_.at_end()) throw InputError(fmt::format("{}: the {{ here is not closed", begin));
      if (at_.peek() == '}') break;
      if (at_.peek() == ';' || at_.peek() == ',') {
        at_.take();
        continue;
      }
      const std::vector<int> nodes = statement(depth + 1);
      members.insert(members.end(), nodes.begin(), nodes.end());
    }
    at_.take();
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }

  // A setting, variables, or a chain of edges; gives the variables in it.
  std::vector<int> statement(int depth) {
    if (at_.peek() != '{') {
      const bool quoted = at_.peek() == '"' || at_.peek() == '\'';
      const std::string first = name();
      at_.skip_blanks();
      if (at_.peek() == '=') {  // of the whole graph, as bb="0,0,1,1"
        at_.take();
        at_.skip_blanks();
        name();
        return {};
      }
      const bool keyword = first == "node" || first == "edge" || first == "graph";
      if (dot_ && !quoted && keyword && at_.peek() == '[') {
        attributes();
        return {};
      }
      return chain({builder_.node(first)}, depth);
    }
    return chain(group(depth), depth);
  }

  std::vector<int> chain(std::vector<int> left, int depth) {
    std::vector<int> members = left;
    struct Link {
      int a, b;
      Operator marks;
      std::string where;
    };
    std::vector<Link> links;
    while (const auto marks = edge_operator()) {
      const std::string where = at_.where();
      std::vector<int> right = operand(depth);
      constexpr std::size_t kMostLinks = 10'000'000;
      if (links.size() + left.size() * right.size() > kMostLinks) at_.fail("too many edges");
      for (const int a : left)
        for (const int b : right) links.push_back({a, b, *marks, where});
      members.insert(members.end(), right.begin(), right.end());
      left = std::move(right);
    }
    at_.skip_blanks();
    Attributes given;
    while (at_.peek() == '[') {
      const Attributes more = attributes();
      given.insert(given.end(), more.begin(), more.end());
      at_.skip_blanks();
    }
    const bool is_hidden = std::ranges::any_of(
        given, [](const auto& attribute) { return attribute.first == "latent" || attribute.first == "l"; });
    if (links.empty() && is_hidden) builder_.document().hidden.insert(members.begin(), members.end());
    for (const Link& link : links) {
      const Operator marks = dot_ ? with_dot_marks(link.marks, given) : link.marks;
      builder_.edge({link.a, link.b, marks.left, marks.right}, link.where);
    }
    return members;
  }

  static Operator with_dot_marks(Operator marks, const Attributes& given) {
    const std::string dir = value_of(given, "dir");
    if (dir == "none") return {Mark::kTail, Mark::kTail};
    if (dir == "back") return {Mark::kArrow, Mark::kTail};
    if (dir != "both") return marks;
    const auto mark = [&](std::string_view key) {
      const std::string value = value_of(given, key);
      return value == "none" ? Mark::kTail : value == "odot" ? Mark::kCircle : Mark::kArrow;
    };
    return {mark("arrowtail"), mark("arrowhead")};
  }

  TextCursor at_;
  DocumentBuilder builder_;
  bool dot_ = false;
};

// dagitty reads letters, digits, _ and . without quotes; a word that begins a graph is quoted to be sure.
std::string dagitty_name(const GraphDocument& document, int node) {
  const std::string& name = document.names[static_cast<std::size_t>(node)];
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  if (name.find('"') != std::string::npos || name.empty())
    throw InputError(fmt::format("{}: dagitty cannot write the name '{}'", document.path, name));
  static const char* const words[] = {"dag", "pdag", "mag", "pag", "digraph", "graph", "node", "edge"};
  if (std::ranges::all_of(name, plain) && std::ranges::find(words, name) == std::end(words)) return name;
  return '"' + name + '"';
}

}  // namespace

GraphDocument parse_dagitty(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

std::string format_dagitty(const GraphDocument& document) {
  bool circles = false, undirected = false;
  for (const DocumentEdge& edge : document.edges) {
    circles |= edge.at_a == Mark::kCircle || edge.at_b == Mark::kCircle;
    undirected |= edge.is_undirected();
  }
  const char* type = circles                           ? "pag"
                     : document.ancestral              ? "mag"
                     : undirected                      ? "pdag"
                     : is_acyclic(arrows_of(document)) ? "dag"
                                                       : "digraph";
  std::string out = fmt::format("{} {{\n", type);
  for (int i = 0; i < static_cast<int>(document.names.size()); ++i)
    out += dagitty_name(document, i) + (document.hidden.contains(i) ? " [latent]\n" : "\n");
  for (const DocumentEdge& edge : document.edges) {
    const char* left = edge.at_a == Mark::kArrow ? "<-" : edge.at_a == Mark::kCircle ? "@-" : "-";
    const char* right = edge.at_b == Mark::kArrow ? ">" : edge.at_b == Mark::kCircle ? "@" : "-";
    // A tail opposite a circle has a second hyphen: --@.
    const bool tail_and_circle = edge.at_a == Mark::kTail && edge.at_b == Mark::kCircle;
    out += fmt::format("{} {}{}{} {}\n", dagitty_name(document, edge.a), left, tail_and_circle ? "-" : "",
                       right, dagitty_name(document, edge.b));
  }
  return out + "}\n";
}

}  // namespace causcale
