#include "report/sample_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace causcale {

DiscoverResult synthetic_result(int variables, int edges, std::uint64_t seed) {
  DiscoverResult result;
  RandomStream random(seed, 0, 0);
  for (int v = 0; v < variables; ++v) result.names.push_back(fmt::format("gene{:04}", v + 1));
  std::vector<int> order(variables);
  for (int v = 0; v < variables; ++v) order[v] = v;
  for (int v = variables - 1; v > 0; --v) std::swap(order[v], order[random.below(v + 1)]);

  result.probabilities = Matrix<double>(variables, variables);
  for (int i = 0; i < variables; ++i)
    for (int j = 0; j < variables; ++j)
      if (i != j) result.probabilities(i, j) = 0.45 * std::pow(random.uniform(), 12);
  std::set<std::pair<int, int>> chosen;
  while (chosen.size() < static_cast<std::size_t>(edges)) {
    // A few variables act on many, the others have few effects.
    const int to = 1 + static_cast<int>(random.below(variables - 1));
    const int from = static_cast<int>(to * std::pow(random.uniform(), 2.5));
    chosen.insert({order[from], order[to]});
  }
  std::vector<Edge> list;
  for (const auto& [source, target] : chosen) {
    const double probability = 0.5 + 0.4999 * std::pow(random.uniform(), 0.6);
    result.probabilities(source, target) = probability;
    result.probabilities(target, source) = (1 - probability) * random.uniform();
    list.push_back({source, target});
  }
  result.graph = Digraph(variables, std::move(list));
  result.model_name = "made-up";
  result.model_sha256 = std::string(64, 'a');
  result.device = "cpu";
  result.precision = "fp32";
  result.prior_scale = "standardized";
  result.rows = 2000;
  result.rows_per_pass = 1000;
  result.passes = 2;
  result.seconds = {{"network", 1.25}};
  return result;
}

namespace {

struct SampleEdge {
  int a, b;
  Mark at_a, at_b;
};

MethodOutcome outcome_of(const std::string& method, GraphClass graph_class, int variables,
                         const std::vector<SampleEdge>& edges) {
  MethodOutcome outcome;
  outcome.marks = MixedGraph(variables);
  outcome.graph_class = graph_class;
  outcome.log = {"12 tests"};
  DiscoverResult& result = outcome.result;
  for (int v = 0; v < variables; ++v) result.names.push_back(fmt::format("v{}", v));
  result.probabilities = Matrix<double>(variables, variables);
  double score = 0.95;
  for (const auto& [a, b, at_a, at_b] : edges) {
    outcome.marks.set(a, b, at_a, at_b);
    result.probabilities(a, b) = score;
    result.probabilities(b, a) = score / 2;
    score -= 0.1;
  }
  result.graph = possible_directions(outcome.marks);
  result.score_kind = "ranking";
  result.model_name = method;
  result.device = "cpu";
  result.rows = result.rows_per_pass = 500;
  result.passes = 1;
  return outcome;
}

}  // namespace

MethodOutcome pag_outcome() {
  constexpr Mark tail = Mark::kTail, arrow = Mark::kArrow, circle = Mark::kCircle;
  return outcome_of("fci", GraphClass::kPag, 10,
                    {{0, 2, circle, arrow},
                     {1, 2, circle, arrow},
                     {2, 3, tail, arrow},
                     {3, 4, arrow, arrow},
                     {4, 5, circle, circle},
                     {6, 7, tail, circle},
                     {7, 8, tail, tail}});
}

MethodOutcome cpdag_outcome() {
  constexpr Mark tail = Mark::kTail, arrow = Mark::kArrow;
  return outcome_of("pc", GraphClass::kCpdag, 5,
                    {{0, 2, tail, arrow}, {1, 2, tail, arrow}, {2, 3, tail, arrow}, {3, 4, tail, tail}});
}

DiscoverResult hostile_result() {
  DiscoverResult result;
  result.names = {
      "</script><img src=x onerror=\"document.title='broken'\">",
      "\"quoted\" & 'single' <b>bold</b>",
      "<!-- <script>",
      "\xCE\xB1\xCE\xB2\xCE\xB3 \xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9F\xA7\xAC",  // Greek, Chinese, an emoji
      "caf\xe9 not UTF-8",
      "line\nbreak\tand \\backslash ]]> @@DATA@@"};
  const int n = static_cast<int>(result.names.size());
  result.probabilities = Matrix<double>(n, n);
  std::vector<Edge> edges;
  for (int v = 0; v + 1 < n; ++v) {
    result.probabilities(v, v + 1) = 0.95 - 0.08 * v;
    edges.push_back({v, v + 1});
  }
  result.probabilities(1, 0) = 0.3;
  result.graph = Digraph(n, std::move(edges));
  result.model_name = "m</script>";
  result.rows = 10;
  result.rows_per_pass = 10;
  result.passes = 1;
  return result;
}

RunRecord sample_record(bool hostile) {
  const std::string evil = hostile ? "</script><script>document.title='broken'</script> \"&' " : "";
  RunRecord record{
      .command = "causcale discover " + evil + "data.csv -o report.html",
      .data_file = evil + "data.csv",
      .data_sha256 = std::string(64, 'b'),
      .audit_json =
          R"([{"severity":"warning","code":"few_rows","columns":[],)"
          R"("message":"few rows \u003c/script>\u003cimg src=x onerror=alert(1)>","hint":"bring more"}])",
      .options_json = R"({"threshold":0.5,"top":0,"dag":false,"seed":0})"};
  return record;
}

}  // namespace causcale
