// A result from the JSON that it was written as.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "results.h"

namespace causcale::python {
namespace {

using Json = nlohmann::ordered_json;

Matrix<double> matrix_of(const Json& rows, std::size_t size) {
  Matrix<double> matrix(size, size);
  if (rows.size() != size) throw InputError(fmt::format("{} rows for {} variables", rows.size(), size));
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = rows.at(i).get<std::vector<double>>();
    if (row.size() != size) throw InputError(fmt::format("{} numbers for {} variables", row.size(), size));
    std::copy(row.begin(), row.end(), matrix.row(i).begin());
  }
  return matrix;
}

class Reading {
 public:
  explicit Reading(const Json& json) : json_(json) {
    result_.names = json.at("names").get<std::vector<std::string>>();
    for (std::size_t k = 0; k < result_.names.size(); ++k) number_[result_.names[k]] = static_cast<int>(k);
  }

  DiscoverResult run() {
    const std::size_t n = result_.names.size();
    result_.score_kind = json_.value("score_kind", "probability");
    result_.probabilities = matrix_of(json_.at("probabilities"), n);
    std::vector<Edge> edges;
    for (const Json& edge : json_.at("edges")) edges.push_back(edge_of(edge));
    result_.graph = Digraph(static_cast<int>(n), std::move(edges));
    for (const Json& edge : json_.at("edges")) read_evidence(edge, false);
    if (json_.contains("struck_out"))
      for (const Json& edge : json_["struck_out"]) {
        result_.struck_edges.push_back({edge_of(edge), edge.at("probability").get<double>()});
        read_evidence(edge, true);
      }
    std::ranges::sort(result_.evidence, {}, &EdgeEvidence::edge);
    for (const Json& edge : json_.at("removed_to_break_cycles"))
      result_.removed_edges.push_back({edge_of(edge), edge.at("probability").get<double>()});
    if (json_.contains("acyclic_price")) {
      const Json& price = json_["acyclic_price"];
      result_.acyclic_price = {price.at("removed_log_odds").get<double>(),
                               price.at("greedy_log_odds").get<double>(), price.at("exact").get<bool>()};
    }
    if (json_.contains("bootstrap")) {
      const Json& bootstrap = json_["bootstrap"];
      result_.bootstrap = bootstrap.at("repetitions").get<int>();
      result_.bootstrap_mean = matrix_of(bootstrap.at("bootstrap_mean"), n);
      result_.bootstrap_deviation = matrix_of(bootstrap.at("bootstrap_deviation"), n);
      result_.selection_frequency = matrix_of(bootstrap.at("selection_frequency"), n);
    }
    for (const auto& [name, value] : json_.at("applicability").at("traits").items())
      result_.traits.emplace_back(name, value.is_null() ? std::nan("") : value.get<double>());
    for (const Json& remark : json_.at("applicability").at("findings"))
      result_.applicability.push_back({remark.at("code").get<std::string>(),
                                       remark.at("message").get<std::string>(),
                                       remark.at("hint").get<std::string>()});
    read_manifest(json_.at("manifest"));
    return std::move(result_);
  }

 private:
  int variable(const Json& edge, const char* end) const {
    const auto name = edge.at(end).get<std::string>();
    const auto found = number_.find(name);
    if (found == number_.end()) throw InputError(fmt::format("an edge of '{}', which is no variable", name));
    return found->second;
  }
  Edge edge_of(const Json& edge) const { return {variable(edge, "source"), variable(edge, "target")}; }

  void read_evidence(const Json& edge, bool struck) {
    if (!edge.contains("evidence")) return;
    const Json& evidence = edge["evidence"];
    const auto number = [&](const char* key) {
      return evidence.at(key).is_null() ? std::nan("") : evidence.at(key).get<double>();
    };
    result_.evidence.push_back({edge_of(edge), evidence.at("rows").get<std::size_t>(), number("p"),
                                number("q"), number("shift_p"), number("shift_q"), struck});
  }

  void read_manifest(const Json& manifest) {
    result_.rows = manifest.at("data").at("rows").get<std::size_t>();
    result_.model_name = manifest.at("model").at("name").get<std::string>();
    result_.model_sha256 = manifest.at("model").at("sha256").get<std::string>();
    result_.device = manifest.at("device").get<std::string>();
    result_.precision = manifest.at("precision").get<std::string>();
    result_.prior_scale = manifest.at("prior_scale").get<std::string>();
    result_.transform = manifest.at("transform").get<std::string>();
    result_.rows_per_pass = manifest.at("rows_per_pass").get<std::size_t>();
    result_.passes = manifest.at("passes").get<int>();
    result_.views = manifest.at("views").get<int>();
    result_.temperature = manifest.at("temperature").get<double>();
    result_.offset = manifest.at("offset").get<double>();
    if (manifest.contains("seconds"))
      for (const auto& [stage, seconds] : manifest["seconds"].items())
        result_.seconds.emplace_back(stage, seconds.get<double>());
  }

  const Json& json_;
  DiscoverResult result_;
  std::map<std::string, int> number_;
};

RunRecord record_of(const Json& manifest) {
  RunRecord record;
  record.command = manifest.at("command").get<std::string>();
  record.data_file = manifest.at("data").at("file").get<std::string>();
  record.data_sha256 = manifest.at("data").at("sha256").get<std::string>();
  if (manifest.contains("options")) record.options_json = manifest["options"].dump();
  if (manifest.contains("audit")) record.audit_json = manifest["audit"].dump();
  return record;
}

}  // namespace

Found found_from_json(const std::string& text, const std::string& source) {
  try {
    const Json json = Json::parse(text);
    const std::string format = json.is_object() ? json.value("format", "") : "";
    if (format != "causcale.discover/1") throw InputError("it is no result of discover");
    if (json.contains("method"))
      throw InputError(
          fmt::format("it holds what the method {} found; only results of the network can be loaded",
                      json["method"].dump()));
    return {Reading(json).run(), record_of(json.at("manifest"))};
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: not what discover writes as .json: {}", source, error.what()));
  }
}

}  // namespace causcale::python
