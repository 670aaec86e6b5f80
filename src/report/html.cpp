#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "causcale/version.h"
#include "exchange/escape.h"
#include "methods/method.h"
#include "report/drawing.h"
#include "report/html_edges.h"
#include "report/layout.h"

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLaidOutEdges = 8'000;  // the layered placement follows the most probable ones
constexpr std::size_t kMostStoredBends = 4'000;   // beyond it edges are drawn without them
constexpr std::size_t kMostListedForbidden = 20'000;
constexpr std::size_t kMostListedFindings = 500;
constexpr int kHistogramBins = 20;

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const unsigned second = k + 1 < bytes.size() ? bytes[k + 1] : 0,
                   third = k + 2 < bytes.size() ? bytes[k + 2] : 0;
    const unsigned word = bytes[k] << 16 | second << 8 | third;
    out += digits[word >> 18];
    out += digits[word >> 12 & 63];
    out += k + 1 < bytes.size() ? digits[word >> 6 & 63] : '=';
    out += k + 2 < bytes.size() ? digits[word & 63] : '=';
  }
  return out;
}

// What the reader should know about a method other than the network.
Json method_json(const MethodOutcome& outcome) {
  Json json = {{"name", outcome.result.model_name},
               {"graph_class", graph_class_name(outcome.graph_class)},
               {"log", outcome.log}};
  const auto known = std::ranges::find(methods(), outcome.result.model_name, &Method::name);
  if (known == methods().end()) return json;
  json["summary"] = known->summary;
  json["assumptions"] = known->assumptions;
  json["interventions"] = known->interventions;
  json["citation"] = known->citation;
  return json;
}

Json legend_json(const ShownGraph& graph) {
  Json legend = Json::array();
  for (const MarkMeaning& meaning : mark_meanings(graph))
    legend.push_back({{"edge", edge_text(meaning.sample)}, {"meaning", meaning.meaning}});
  return legend;
}

// From sampled graphs: that the row is a cause of the column over any path, a byte each. Left out where so
// many variables would make the file too large.
void add_samples(const DiscoverResult& result, std::size_t most_variables, Json& data) {
  if (result.ancestry.empty() || result.ancestry.rows() > most_variables) return;
  std::vector<unsigned char> bytes;
  for (const double probability : result.ancestry.values())
    bytes.push_back(static_cast<unsigned char>(std::lround(255 * std::clamp(probability, 0.0, 1.0))));
  data["samples"] = {{"count", result.samples}, {"exact", result.samples_exact}, {"ancestry", base64(bytes)}};
}

void add_remarks(const DiscoverResult& result, Json& data) {
  data["remarks"] = Json::array();
  for (const auto& remark : result.applicability)
    data["remarks"].push_back({{"message", remark.message}, {"hint", remark.hint}});
  data["repetitions"] = result.bootstrap;
  data["score_kind"] = result.score_kind;
}

// The surest edges and no others.
HtmlLimits limits_of_search(HtmlLimits limits) {
  limits.edges_per_variable = 0;
  limits.least_edges = limits.most_edges = std::min(limits.most_edges, limits.searched_edges);
  return limits;
}

struct PagePlacement {
  Json json;
  std::vector<int> causal_order;  // causes before effects, as far as cycles allow
};

// Screens are wider than high: a deep graph is drawn wider, a flat one higher, so that it fills the view.
void fit_to_screen(LayeredLayout& layout, bool is_small) {
  if (layout.width <= 0 || layout.height <= 0) return;
  const double aspect = layout.width / layout.height, narrowest = 1.5, widest = 3;
  const double x = std::clamp(narrowest / aspect, 1.0, is_small ? 1.8 : 100.0);
  const double y = std::clamp(aspect / widest, 1.0, is_small ? 1.8 : 100.0);
  const auto stretch = [&](LayoutPoint& point) { point = {point.x * x, point.y * y}; };
  std::ranges::for_each(layout.centers, stretch);
  for (auto& bends : layout.bends) std::ranges::for_each(bends, stretch);
}

// Places by the most probable edges of the graph; "bends" belong to the stored edges of the same rank.
PagePlacement place_variables(const ShownGraph& shown, const StoredEdges& stored, std::size_t most_edges) {
  const DiscoverResult& result = shown.result;
  const int n = static_cast<int>(result.names.size());
  std::vector<MarkedEdge> marked = shown.edges;
  if (marked.size() > most_edges) marked.resize(most_edges);
  std::ranges::sort(marked, {}, [](const MarkedEdge& edge) { return Edge{edge.a, edge.b}; });
  std::vector<Edge> edges;
  for (const MarkedEdge& edge : marked) edges.push_back({edge.a, edge.b});
  const Digraph graph(n, edges);
  const std::vector<double> scores = layout_scores(marked);
  std::vector<double> widths;
  for (const std::string& name : result.names)
    widths.push_back(std::max(36.0, 20 + kDrawingFontSize * estimated_text_width(shortened_text(name, 28))));
  LayoutSpacing spacing;
  const bool is_small = edges.size() <= 400;
  if (!is_small) spacing.edge_gap = 1.5;
  LayeredLayout layout = layered_layout(graph, scores, widths, spacing);
  fit_to_screen(layout, is_small);

  std::vector<int> x, y;
  for (const LayoutPoint& center : layout.centers) {
    x.push_back(static_cast<int>(std::lround(center.x)));
    y.push_back(static_cast<int>(std::lround(center.y)));
  }
  PagePlacement placement;
  placement.json = {{"x", x}, {"y", y}};
  std::size_t bends = 0;
  for (const auto& route : layout.bends) bends += route.size();
  if (is_small && bends <= kMostStoredBends) {
    Json routes = Json::object();
    for (std::size_t rank = 0; rank < stored.edges.size(); ++rank) {
      const auto at = std::ranges::lower_bound(graph.edges(), stored.edges[rank].edge);
      if (at == graph.edges().end() || *at != stored.edges[rank].edge) continue;
      std::vector<int> route;
      for (const LayoutPoint& bend : layout.bends[at - graph.edges().begin()]) {
        route.push_back(static_cast<int>(std::lround(bend.x)));
        route.push_back(static_cast<int>(std::lround(bend.y)));
      }
      if (!route.empty()) routes[std::to_string(rank)] = route;
    }
    placement.json["bends"] = std::move(routes);
  }
  placement.causal_order.resize(n);
  std::iota(placement.causal_order.begin(), placement.causal_order.end(), 0);
  std::ranges::stable_sort(placement.causal_order, {},
                           [&](int v) { return std::pair(layout.layer_of[v], layout.centers[v].x); });
  return placement;
}

Json heat_map_json(const DiscoverResult& result, const std::vector<int>& order, std::size_t most_cells) {
  const std::size_t n = order.size(), block = std::max<std::size_t>(1, (n + most_cells - 1) / most_cells);
  const std::size_t cells = (n + block - 1) / block;
  std::vector<unsigned char> values(cells * cells, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double probability = std::clamp(result.probabilities(order[i], order[j]), 0.0, 1.0);
      auto& cell = values[i / block * cells + j / block];
      cell = std::max(cell, static_cast<unsigned char>(std::lround(255 * probability)));
    }
  return {{"cells", cells}, {"block", block}, {"values", base64(values)}};
}

// Scores that only rank have any scale; the page shows them as shares of the highest.
DiscoverResult with_shares(DiscoverResult result) {
  double highest = 0;
  for (double score : result.probabilities.values())
    if (std::isfinite(score)) highest = std::max(highest, score);
  const auto share = [&](double score) {
    return highest > 0 && score > 0 ? std::min(1.0, score / highest) : 0.0;
  };
  for (double& score : result.probabilities.values()) score = share(score);
  for (Matrix<double>* figure : {&result.bootstrap_mean, &result.bootstrap_deviation})
    for (double& score : figure->values()) score = share(score);
  for (ScoredEdge& removed : result.removed_edges) removed.score = share(removed.score);
  return result;
}

Json certainty_json(const DiscoverResult& result) {
  std::vector<std::size_t> histogram(kHistogramBins, 0);
  double expected = 0;
  const std::size_t n = result.names.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double probability = std::clamp(result.probabilities(i, j), 0.0, 1.0);
      expected += probability;
      ++histogram[std::min(kHistogramBins - 1, static_cast<int>(probability * kHistogramBins))];
    }
  return {{"histogram", histogram}, {"expected_edges", expected}};
}

Json pairs_json(const std::vector<Edge>& edges, std::size_t most) {
  Json pairs = Json::array();
  for (std::size_t k = 0; k < std::min(most, edges.size()); ++k)
    pairs.push_back({edges[k].source, edges[k].target});
  return pairs;
}

Json knowledge_json(const Knowledge& knowledge) {
  return {{"required", pairs_json(knowledge.required, knowledge.required.size())},
          {"forbidden", pairs_json(knowledge.forbidden, kMostListedForbidden)},
          {"forbidden_count", knowledge.forbidden.size()},
          {"tiers", knowledge.tier_of},
          {"closed_tiers", knowledge.closed_tiers}};
}

Json audit_json(const RunRecord& record) {
  Json findings = record.audit_json.empty() ? Json::array() : Json::parse(record.audit_json);
  Json listed = Json::array();
  for (std::size_t k = 0; k < std::min(kMostListedFindings, findings.size()); ++k)
    listed.push_back(findings[k]);
  return {{"done", !record.audit_json.empty()}, {"count", findings.size()}, {"findings", std::move(listed)}};
}

Json run_json(const DiscoverResult& result, const RunRecord& record) {
  Json run = {{"version", CAUSCALE_VERSION},
              {"command", record.command},
              {"data",
               {{"file", record.data_file},
                {"sha256", record.data_sha256},
                {"rows", result.rows},
                {"columns", result.names.size()}}},
              {"model", {{"name", result.model_name}, {"sha256", result.model_sha256}}},
              {"device", result.device},
              {"precision", result.precision},
              {"prior_scale", result.prior_scale},
              {"transform", result.transform},
              {"rows_per_pass", result.rows_per_pass},
              {"rows_seen", rows_seen(result)},
              {"passes", result.passes}};
  run["options"] = record.options_json.empty() ? Json::object() : Json::parse(record.options_json);
  run["seconds"] = Json::object();
  for (const auto& [stage, seconds] : result.seconds) run["seconds"][stage] = seconds;
  return run;
}

std::string replaced_mark(std::string_view page, std::string_view mark, std::string_view text,
                          std::string_view& rest) {
  const std::size_t at = page.find(mark);
  if (at == std::string_view::npos)
    throw std::logic_error("the report page lacks the mark " + std::string(mark));
  rest = page.substr(at + mark.size());
  return std::string(page.substr(0, at)) + std::string(text);
}

}  // namespace

std::string format_html_data(const ShownGraph& graph, const RunRecord& record, const HtmlLimits& given) {
  // A copy of the matrices only where their numbers have to change: they may take gigabytes.
  const std::optional<DiscoverResult> shares =
      is_probability(graph.result) ? std::nullopt : std::optional(with_shares(graph.result));
  const DiscoverResult& result = shares ? *shares : graph.result;
  const bool search_first = result.names.size() > given.most_drawn_variables;
  const HtmlLimits limits = search_first ? limits_of_search(given) : given;
  const StoredEdges stored = choose_stored_edges(graph, result, limits);
  const PagePlacement placement =
      place_variables(graph, stored, std::min(kMostLaidOutEdges, limits.most_edges));
  Json data;
  data["format"] = "causcale.report/1";
  data["names"] = result.names;
  if (search_first) data["search_first"] = true;
  if (!record.variables_json.empty()) data["variables"] = Json::parse(record.variables_json);
  data["graph_edges"] = graph.edges.size();
  data["edges"] = edges_json(graph, result, stored);
  if (graph.outcome) data["method"] = method_json(*graph.outcome);
  if (graph.has_marks) data["legend"] = legend_json(graph);
  add_remarks(result, data);
  add_samples(result, limits.heat_map_cells, data);
  data["layered"] = placement.json;
  data["order"] = placement.causal_order;
  data["heat_map"] = heat_map_json(result, placement.causal_order, limits.heat_map_cells);
  data["certainty"] = certainty_json(result);
  data["removed"] = Json::array();
  for (const ScoredEdge& removed : result.removed_edges)
    data["removed"].push_back({removed.edge.source, removed.edge.target, stored_probability(removed.score)});
  data["struck"] = Json::array();
  for (const ScoredEdge& struck : result.struck_edges)
    data["struck"].push_back({struck.edge.source, struck.edge.target, stored_probability(struck.score)});
  data["knowledge"] = knowledge_json(record.knowledge);
  data["audit"] = audit_json(record);
  data["run"] = run_json(result, record);
  return safe_in_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string format_html(const ShownGraph& graph, const RunRecord& record, const HtmlLimits& limits) {
  std::string_view rest = report_page();
  const std::string title = record.data_file.empty() ? "causal graph" : record.data_file;
  std::string out = replaced_mark(rest, "@@TITLE@@", xml_escaped(title), rest);
  out += replaced_mark(rest, "@@DATA@@", format_html_data(graph, record, limits), rest);
  return out.append(rest);
}

}  // namespace causcale
