#include "report/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/report.h"

namespace causcale {
namespace {

std::string percent(double value) {
  return std::isfinite(value) ? fmt::format("{:.1f}", 100 * value) : "-";
}
std::string distance(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}
std::string megabytes(const std::optional<std::int64_t>& bytes) {
  return bytes ? fmt::format("{:.1f}", static_cast<double>(*bytes) / 1048576.0) : "-";
}

nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
nlohmann::ordered_json value_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : nlohmann::ordered_json(nullptr);
}
std::string csv_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "";
}

std::size_t method_width(const Comparison& comparison) {
  std::size_t width = 6;
  for (const ComparisonRow& row : comparison.rows) width = std::max(width, row.method.size());
  return width;
}

std::string format_method_lines(const Comparison& comparison) {
  const std::size_t width = method_width(comparison);
  std::string out = fmt::format("  {:<{}} {:>9} {:>8} {:>6}", "method", width, "seconds", "MiB", "edges");
  if (comparison.has_truth)
    out += fmt::format(" {:>6} {:>8} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}", "mAP", "skeleton", "AUC",
                       "OA", "F1", "SHD", "anc-AID", "par-AID", "oset-AID");
  out += "  output\n";
  for (const ComparisonRow& row : comparison.rows) {
    out += fmt::format("  {:<{}} {:>9.3f} {:>8}", row.method, width, row.seconds, megabytes(row.peak_bytes));
    if (!row.problem.empty()) {
      out += fmt::format("  failed: {}\n", row.problem);
      continue;
    }
    out += fmt::format(" {:>6}", row.outcome.marks.edge_count());
    if (row.metrics) {
      const ComparisonMetrics& m = *row.metrics;
      out += fmt::format(" {:>6} {:>8} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}",
                         percent(m.average_precision), percent(m.average_precision_skeleton), percent(m.auc),
                         percent(m.orientation_accuracy), percent(m.f1), m.shd, distance(m.ancestor_aid),
                         distance(m.parent_aid), distance(m.oset_aid));
    }
    out += fmt::format("  {}\n", graph_class_name(row.outcome.graph_class));
  }
  return out;
}

std::string format_agreement_lines(const Comparison& comparison, std::size_t most) {
  std::size_t width_a = 1, width_b = 1;
  const std::size_t shown = std::min(most, comparison.edges.size());
  for (std::size_t e = 0; e < shown; ++e) {
    width_a = std::max(width_a, comparison.names[comparison.edges[e].a].size());
    width_b = std::max(width_b, comparison.names[comparison.edges[e].b].size());
  }
  std::string out = fmt::format("  {:<{}}  {:<{}}  {:>7}", "a", width_a, "b", width_b, "methods");
  if (comparison.has_truth) out += "  truth";
  for (const ComparisonRow& row : comparison.rows) out += "  " + row.method;
  out += '\n';
  for (std::size_t e = 0; e < shown; ++e) {
    const AgreedEdge& edge = comparison.edges[e];
    out += fmt::format("  {:<{}}  {:<{}}  {:>7}", comparison.names[edge.a], width_a, comparison.names[edge.b],
                       width_b, edge.methods);
    if (comparison.has_truth) out += fmt::format("  {:<5}", edge.truth.empty() ? "." : edge.truth);
    for (std::size_t k = 0; k < comparison.rows.size(); ++k)
      out += fmt::format("  {:<{}}", edge.found[k].empty() ? "." : edge.found[k],
                         comparison.rows[k].method.size());
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
  if (shown < comparison.edges.size())
    out += fmt::format("  ... and {} more\n", comparison.edges.size() - shown);
  return out;
}

// What each method did with missing cells, methods of the same rule together.
std::string format_missing_lines(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> rules;  // rule, methods
  for (const ComparisonRow& row : comparison.rows)
    for (const std::string& line : row.outcome.log) {
      if (line.find(" missing cell") == line.npos) continue;
      const auto known = std::ranges::find(rules, line, &std::pair<std::string, std::string>::first);
      if (known == rules.end())
        rules.emplace_back(line, row.method);
      else
        known->second += ", " + row.method;
    }
  std::string out;
  for (const auto& [rule, methods] : rules) out += fmt::format("  {} ({})\n", rule, methods);
  return out;
}

}  // namespace

std::string format_comparison(const Comparison& comparison, std::size_t most_edges) {
  std::string out = format_method_lines(comparison);
  if (comparison.has_truth)
    out +=
        "  mAP, skeleton, AUC, OA in percent from the scores; F1, SHD from each method's graph; AID from a\n"
        "  DAG in keeping with it. An undirected edge counts in both directions.\n";
  out += format_missing_lines(comparison);
  if (comparison.edges.empty()) return out + "\nNo method found an edge.\n";
  return out + "\nWho found what (each edge read from a to b):\n" +
         format_agreement_lines(comparison, most_edges);
}

std::string format_comparison_csv(const Comparison& comparison) {
  std::string out =
      "method,problem,seconds,peak_bytes,output,edges,average_precision,average_precision_skeleton,auc,"
      "orientation_accuracy,f1,f1_skeleton,shd,ancestor_aid,parent_aid,oset_aid\n";
  for (const ComparisonRow& row : comparison.rows) {
    out += fmt::format("{},{},{:.6g},{}", csv_cell(row.method), csv_cell(row.problem), row.seconds,
                       row.peak_bytes ? std::to_string(*row.peak_bytes) : "");
    if (!row.problem.empty()) {
      out += std::string(12, ',') + '\n';
      continue;
    }
    out += fmt::format(",{},{}", graph_class_name(row.outcome.graph_class), row.outcome.marks.edge_count());
    if (!row.metrics) {
      out += std::string(10, ',') + '\n';
      continue;
    }
    const ComparisonMetrics& m = *row.metrics;
    out += fmt::format(",{},{},{},{},{},{},{},{},{},{}\n", csv_number(m.average_precision),
                       csv_number(m.average_precision_skeleton), csv_number(m.auc),
                       csv_number(m.orientation_accuracy), csv_number(m.f1), csv_number(m.f1_skeleton), m.shd,
                       csv_number(m.ancestor_aid), csv_number(m.parent_aid), csv_number(m.oset_aid));
  }
  return out;
}

std::string format_agreement_csv(const Comparison& comparison) {
  std::string out = "a,b,methods,truth";
  for (const ComparisonRow& row : comparison.rows) out += ',' + csv_cell(row.method);
  out += '\n';
  for (const AgreedEdge& edge : comparison.edges) {
    out += fmt::format("{},{},{},{}", csv_cell(comparison.names[edge.a]), csv_cell(comparison.names[edge.b]),
                       edge.methods, edge.truth);
    for (const std::string& found : edge.found) out += ',' + found;
    out += '\n';
  }
  return out;
}

nlohmann::ordered_json comparison_json(const Comparison& comparison) {
  nlohmann::ordered_json out;
  out["format"] = "causcale.compare/1";
  out["names"] = comparison.names;
  auto rows = nlohmann::ordered_json::array();
  for (const ComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json line = {{"method", row.method}, {"seconds", row.seconds}};
    line["peak_bytes"] = row.peak_bytes ? nlohmann::ordered_json(*row.peak_bytes) : nullptr;
    if (!row.problem.empty()) {
      line["problem"] = row.problem;
      rows.push_back(std::move(line));
      continue;
    }
    line["output"] = graph_class_name(row.outcome.graph_class);
    line["edges"] = row.outcome.marks.edge_count();
    if (row.metrics) {
      const ComparisonMetrics& m = *row.metrics;
      line["metrics"] = {{"average_precision", finite_or_null(m.average_precision)},
                         {"average_precision_skeleton", finite_or_null(m.average_precision_skeleton)},
                         {"auc", finite_or_null(m.auc)},
                         {"orientation_accuracy", finite_or_null(m.orientation_accuracy)},
                         {"f1", finite_or_null(m.f1)},
                         {"f1_skeleton", finite_or_null(m.f1_skeleton)},
                         {"shd", m.shd},
                         {"ancestor_aid", value_or_null(m.ancestor_aid)},
                         {"parent_aid", value_or_null(m.parent_aid)},
                         {"oset_aid", value_or_null(m.oset_aid)}};
    }
    line["log"] = row.outcome.log;
    rows.push_back(std::move(line));
  }
  out["methods"] = std::move(rows);
  auto edges = nlohmann::ordered_json::array();
  for (const AgreedEdge& edge : comparison.edges) {
    nlohmann::ordered_json line = {{"a", comparison.names[edge.a]}, {"b", comparison.names[edge.b]}};
    for (std::size_t k = 0; k < comparison.rows.size(); ++k)
      if (!edge.found[k].empty()) line["found"][comparison.rows[k].method] = edge.found[k];
    if (comparison.has_truth) line["truth"] = edge.truth;
    edges.push_back(std::move(line));
  }
  out["edges"] = std::move(edges);
  return out;
}

}  // namespace causcale
