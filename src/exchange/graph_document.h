// A graph as it stands in a file of any format: named variables, edges with a mark at either end, and scores
// where the file has them. Every format of this folder is read into it and written from it.
#pragma once

#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "graph/graph_file.h"
#include "graph/mixed_graph.h"

namespace causcale {

// a --> b has a tail at a and an arrow at b.
struct DocumentEdge {
  int a, b;
  Mark at_a, at_b;
  double score = std::numeric_limits<double>::quiet_NaN();  // NaN: the file gives none

  bool is_arrow() const { return at_a == Mark::kTail && at_b == Mark::kArrow; }
  bool is_undirected() const { return at_a == Mark::kTail && at_b == Mark::kTail; }
  bool is_bidirected() const { return at_a == Mark::kArrow && at_b == Mark::kArrow; }
};

struct GraphDocument {
  std::string path;  // for messages
  std::vector<std::string> names;
  bool all_nodes = true;  // the file names variables without edges, too
  std::set<int> hidden;   // variables that the file calls latent
  // A MAG or a PAG: arrows stand for ancestors, and only visible ones rule out common causes that were not
  // measured.
  bool ancestral = false;
  // No edge joins a variable with itself or stands here twice. Two variables may be joined by several edges
  // where all of these are --> or <->: opposite arrows, or an arrow beside a common cause.
  std::vector<DocumentEdge> edges;
  // Scores of ordered pairs, source -> target, where the file ranks more than its edges; they make no edge.
  std::vector<StoredEdge> pair_scores;
  bool others_score_zero = false;  // pairs without a score are those below a floor
};

// Collects names and edges while a file is read. Marks of kTail and kArrow at a and b are turned round so
// that the edge reads forwards (b --> a becomes the edge from b to a).
class DocumentBuilder {
 public:
  explicit DocumentBuilder(std::string path) { document_.path = std::move(path); }

  int node(const std::string& name);  // adds the name when it is new
  bool knows(const std::string& name) const { return index_.contains(name); }
  // Throws InputError that begins with `where` ("FILE, line N") for an edge of a variable to itself, an edge
  // that was given before and one that contradicts another between the same two variables. With `repeats`,
  // one that was given before is passed over.
  void edge(const DocumentEdge& edge, const std::string& where, bool repeats = false);
  GraphDocument& document() { return document_; }
  GraphDocument finish() { return std::move(document_); }

 private:
  GraphDocument document_;
  std::unordered_map<std::string, int> index_;
  std::set<std::tuple<int, int, Mark, Mark>> seen_;  // from the smaller number
};

// "-->", "o->", "<->", "---", ... read from a to b.
std::string edge_text(const DocumentEdge& edge);
// The marks of such a text, also of "<--" and "<-o"; false where it is none.
bool parse_edge_text(std::string_view text, Mark& at_left, Mark& at_right);

// The arrows alone; opposite ones are both there.
Digraph arrows_of(const GraphDocument& document);

// As evaluation takes graphs: every direction that the marks leave open is an edge and a common cause is
// none. With `ranking`, scores count, and those of ordered pairs stand for the edges where the file has any;
// without, every edge has score 1. A matrix where the file names all variables and scores no pairs or all,
// sparse where others_score_zero or so many variables say so, else a list.
GraphFile to_graph_file(const GraphDocument& document, bool ranking);

}  // namespace causcale
