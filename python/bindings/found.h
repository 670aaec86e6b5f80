// What discover and the competing methods share: records and knowledge from Python, edges and times to it.
#pragma once

#include "arrays.h"
#include "report/html.h"
#include "report/png.h"
#include "report/report.h"
#include "report/svg.h"

namespace causcale::python {

inline RunRecord record_from(const py::dict& given, const Knowledge& knowledge) {
  RunRecord record;
  record.command = py::cast<std::string>(given["command"]);
  record.data_file = py::cast<std::string>(given["data"]);
  record.data_sha256 = py::cast<std::string>(given["sha256"]);
  record.audit_json = py::cast<std::string>(given["audit"]);
  record.options_json = py::cast<std::string>(given["options"]);
  record.variables_json = py::cast<std::string>(given["variables"]);
  record.knowledge = knowledge;
  return record;
}

inline Knowledge knowledge_from(const py::dict& given) {
  return {edges_from(py::cast<EdgePairs>(given["required"])),
          edges_from(py::cast<EdgePairs>(given["forbidden"])), py::cast<std::vector<int>>(given["tiers"]),
          py::cast<std::vector<int>>(given["closed_tiers"])};
}

inline py::dict dict_from(const Knowledge& knowledge) {
  const auto pairs = [](const std::vector<Edge>& edges) {
    EdgePairs result;
    for (const Edge& edge : edges) result.emplace_back(edge.source, edge.target);
    return result;
  };
  py::dict result;
  result["required"] = pairs(knowledge.required);
  result["forbidden"] = pairs(knowledge.forbidden);
  result["tiers"] = knowledge.tier_of;
  result["closed_tiers"] = knowledge.closed_tiers;
  return result;
}

// (source, target, score)
inline py::list triples(const std::vector<ScoredEdge>& edges) {
  py::list list;
  for (const auto& [edge, score] : edges) list.append(py::make_tuple(edge.source, edge.target, score));
  return list;
}

// None where Cairo is not installed.
inline py::object png_of(const ShownGraph& graph, const Knowledge& knowledge) {
  if (!png_is_available()) return py::none();
  return py::bytes(format_png(graph, knowledge));
}

inline py::dict seconds_from(const DiscoverResult& result) {
  py::dict seconds;
  for (const auto& [stage, time] : result.seconds) seconds[py::str(stage)] = time;
  return seconds;
}

}  // namespace causcale::python
