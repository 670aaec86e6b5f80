// The result with everything needed to repeat the run.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "causcale/version.h"
#include "discover/direction.h"
#include "discover/evidence.h"
#include "report/effect_figures.h"
#include "report/effect_json.h"
#include "report/matrix_json.h"
#include "report/report.h"
#include "report/sparse_output.h"

namespace causcale {
namespace {

nlohmann::ordered_json applicability_of(const DiscoverResult& result) {
  auto traits = nlohmann::ordered_json::object();
  for (const auto& [name, value] : result.traits) traits[name] = value;
  auto findings = nlohmann::ordered_json::array();
  for (const Remark& remark : result.applicability)
    findings.push_back({{"code", remark.code}, {"message", remark.message}, {"hint", remark.hint}});
  return {{"traits", std::move(traits)}, {"findings", std::move(findings)}};
}

// A number, or null where nothing was tested.
nlohmann::ordered_json tested(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

nlohmann::ordered_json evidence_of(const EdgeEvidence& evidence) {
  return {{"rows", evidence.rows},
          {"p", tested(evidence.p)},
          {"q", tested(evidence.q)},
          {"shift_p", tested(evidence.shift_p)},
          {"shift_q", tested(evidence.shift_q)}};
}

nlohmann::ordered_json direction_of(const DirectionEvidence& direction) {
  return {{"told_by", name_of(kDirectionNames, direction.basis)},
          {"given_p", tested(direction.given_p)},
          {"shape_z", tested(direction.shape_z)},
          {"structure_z", tested(direction.structure_z)}};
}

}  // namespace

std::string format_json(const DiscoverResult& result, const RunRecord& record) {
  nlohmann::ordered_json out;
  out["format"] = "causcale.discover/1";
  const bool sparse = holds_pairs(result);
  out["orientation"] =
      sparse ? "source -> target; pairs.score[k] is that names[pairs.source[k]] causes names[pairs.target[k]]"
             : "source -> target; probabilities[i][j] is that names[i] causes names[j]";
  out["score_kind"] = result.score_kind;
  out["names"] = result.names;
  if (!record.variables_json.empty()) out["variables"] = nlohmann::ordered_json::parse(record.variables_json);

  auto edges = nlohmann::ordered_json::array();
  for (const ScoredEdge& scored : graph_edges(result)) {
    const auto [source, target] = scored.edge;
    edges.push_back({{"source", result.names[source]},
                     {"target", result.names[target]},
                     {"probability", scored.score},
                     {"probability_reverse", result.probabilities(target, source)}});
    for (const EdgeFigure& figure : edge_figures(result))
      edges.back()[figure.name] = (*figure.values)(source, target);
    if (const EdgeEvidence* evidence = find_evidence(result, scored.edge))
      edges.back()["evidence"] = evidence_of(*evidence);
    if (const DirectionEvidence* direction = find_direction(result, scored.edge))
      edges.back()["direction"] = direction_of(*direction);
    if (const EdgeEffect* effect = find_effect(result, scored.edge))
      edges.back()["effect"] = effect_json(*effect);
  }
  out["edges"] = std::move(edges);

  if (!result.evidence.empty()) {
    auto struck = nlohmann::ordered_json::array();
    for (const ScoredEdge& scored : result.struck_edges) {
      struck.push_back({{"source", result.names[scored.edge.source]},
                        {"target", result.names[scored.edge.target]},
                        {"probability", scored.score}});
      if (const EdgeEvidence* evidence = find_evidence(result, scored.edge))
        struck.back()["evidence"] = evidence_of(*evidence);
    }
    out["struck_out"] = std::move(struck);
  }

  auto removed = nlohmann::ordered_json::array();
  for (const ScoredEdge& scored : result.removed_edges)
    removed.push_back({{"source", result.names[scored.edge.source]},
                       {"target", result.names[scored.edge.target]},
                       {"probability", scored.score}});
  out["removed_to_break_cycles"] = std::move(removed);
  if (result.acyclic_price.exact || !result.removed_edges.empty())  // otherwise nobody asked
    out["acyclic_price"] = {{"removed_log_odds", result.acyclic_price.removed_log_odds},
                            {"greedy_log_odds", result.acyclic_price.greedy_log_odds},
                            {"exact", result.acyclic_price.exact}};
  add_matrices(result, "probabilities", out);
  add_told_pairs(result, out);
  if (result.samples > 0) {
    out["samples"] = {{"count", result.samples}, {"exact", result.samples_exact}};
    if (sparse)
      out["samples"]["pairs"] = pairs_json(result.ancestry, output_floor(result), "ancestry");
    else
      out["samples"]["ancestry"] = matrix_json(result.ancestry);
  }
  out["applicability"] = applicability_of(result);

  auto& manifest = out["manifest"];
  manifest["version"] = CAUSCALE_VERSION;
  manifest["command"] = record.command;
  manifest["data"] = {{"file", record.data_file},
                      {"sha256", record.data_sha256},
                      {"rows", result.rows},
                      {"columns", result.names.size()}};
  manifest["model"] = {{"name", result.model_name}, {"sha256", result.model_sha256}};
  manifest["device"] = result.device;
  manifest["precision"] = result.precision;
  manifest["prior_scale"] = result.prior_scale;
  manifest["transform"] = result.transform;
  if (result.missing_cells > 0)
    manifest["missing"] = {{"cells", result.missing_cells}, {"rule", result.missing_rule}};
  manifest["rows_per_pass"] = result.rows_per_pass;
  manifest["rows_seen"] = rows_seen(result);
  manifest["passes"] = result.passes;
  manifest["views"] = result.views;
  manifest["temperature"] = result.temperature;
  manifest["offset"] = result.offset;
  manifest["stacked"] = result.stacked;
  if (!record.options_json.empty()) manifest["options"] = nlohmann::ordered_json::parse(record.options_json);
  if (!record.audit_json.empty()) manifest["audit"] = nlohmann::ordered_json::parse(record.audit_json);
  for (const auto& [stage, seconds] : result.seconds) manifest["seconds"][stage] = seconds;
  // Names may hold any bytes; what is not UTF-8 is replaced rather than refused.
  return out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace causcale
