// Stored results: whatever is accepted has edges between its variables and matrices of their number.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "causcale/error.h"
#include "report/read_result.h"
#include "target.h"

namespace {

using namespace causcale;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_edge(const Edge& edge, std::size_t n) {
  require(edge.source >= 0 && edge.target >= 0 && edge.source != edge.target &&
          static_cast<std::size_t>(edge.source) < n && static_cast<std::size_t>(edge.target) < n);
}

void check_square(const Matrix<double>& matrix, std::size_t n) {
  require((matrix.rows() == n && matrix.cols() == n) || matrix.rows() == 0);
}

void check(const StoredResult& stored) {
  const DiscoverResult& result = stored.result;
  const std::size_t n = result.names.size();
  check_square(result.probabilities, n);
  require(result.probabilities.rows() == n);
  for (const double value : result.probabilities.values())
    require(std::isfinite(value) && (result.score_kind == "ranking" || (value >= 0.0 && value <= 1.0)));
  for (const Matrix<double>* matrix :
       {&result.bootstrap_mean, &result.bootstrap_deviation, &result.selection_frequency, &result.ancestry})
    check_square(*matrix, n);
  for (const Edge& edge : result.graph.edges()) check_edge(edge, n);
  for (const EdgeEffect& effect : result.effects) check_edge(effect.edge, n);
  for (const EdgeEvidence& evidence : result.evidence) check_edge(evidence.edge, n);
  for (const ScoredEdge& removed : result.removed_edges) check_edge(removed.edge, n);
  for (const ScoredEdge& struck : result.struck_edges) check_edge(struck.edge, n);
  const Knowledge& knowledge = stored.record.knowledge;
  for (const Edge& edge : knowledge.required) check_edge(edge, n);
  for (const Edge& edge : knowledge.forbidden) check_edge(edge, n);
  require(knowledge.tier_of.empty() || knowledge.tier_of.size() == n);
  if (stored.by_method) require(stored.outcome().marks.nodes() == static_cast<int>(n));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(parse_result({reinterpret_cast<const char*>(data), size}, "fuzz.json"));
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  const std::string manifest =
      R"("manifest": {"command": "discover a.csv", "data": {"file": "a.csv", "sha256": "0", "rows": 9, "columns": 2},
"model": {"name": "m", "sha256": "0"}, "device": "cpu", "precision": "fp32", "prior_scale": "raw",
"transform": "none", "rows_per_pass": 9, "passes": 1, "views": 1, "temperature": 1, "offset": 0,
"seconds": {"read": 0.5}, "audit": [], "options": {"knowledge": {"required": [[0, 1]], "forbidden": [],
"tiers": [0, -1], "closed_tiers": [0]}}})";
  return {R"({"format": "causcale.discover/1", "names": ["a", "b"], "probabilities": [[0, 0.75], [0.25, 0]],
"edges": [{"source": "a", "target": "b", "probability": 0.75, "evidence": {"rows": 9, "p": 0.5, "q": null,
"shift_p": null, "shift_q": null}, "effect": {"kind": "standardized_coefficient", "rows": 9, "size": 1, "low": 0,
"high": 2, "nonlinear_p": null, "shift": null, "shift_low": null, "shift_high": null}}], "struck_out":
[{"source": "b", "target": "a", "probability": 0.25}], "bootstrap": {"repetitions": 2, "bootstrap_mean":
[[0, 1], [1, 0]], "bootstrap_deviation": [[0, null], [1, 0]], "selection_frequency": [[0, 1], [1, 0]]},
"samples": {"count": 3, "exact": true, "ancestry": [[0, 1], [0, 0]]}, "removed_to_break_cycles": [],
"applicability": {"traits": {"rows": 9}, "findings": [{"code": "c", "message": "m", "hint": "h"}]}, )" +
              manifest + "}",
          R"({"format": "causcale.discover/1", "method": "fci", "graph_class": "pag", "names": ["a", "b"],
"scores": [[0, 2], [1, 0]], "edges": [{"source": "a", "target": "b", "edge": "o->", "score": 2}], "log": ["x"],
"removed_to_break_cycles": [{"source": "b", "target": "a", "score": 1}], )" +
              manifest + "}"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"names\"",
          "\"probabilities\"",
          "\"edges\"",
          "\"source\": \"a\"",
          "\"method\"",
          "\"cpdag\"",
          "<->",
          "null",
          "1e999",
          "-1",
          "[[0, 1]]",
          "2147483648",
          "{}",
          "[]",
          "\"ranking\"",
          "\"score_kind\"",
          "9007199254740993"};
}
