#include "report/options_json.h"

#include "discover/option_list.h"

namespace causcale {
namespace {

nlohmann::ordered_json pairs_json(const std::vector<Edge>& edges) {
  auto list = nlohmann::ordered_json::array();
  for (const Edge& edge : edges) list.push_back({edge.source, edge.target});
  return list;
}

}  // namespace

nlohmann::ordered_json options_json(const DiscoverOptions& options) {
  nlohmann::ordered_json json;
  for (const DiscoverOption& option : discover_option_list())
    std::visit([&](const auto& value) { json[option.name] = value; }, option.member.get(options));
  const Knowledge& knowledge = options.knowledge;
  if (!knowledge.empty())
    json["knowledge"] = {{"required", pairs_json(knowledge.required)},
                         {"forbidden", pairs_json(knowledge.forbidden)},
                         {"tiers", knowledge.tier_of},
                         {"closed_tiers", knowledge.closed_tiers}};
  return json;
}

}  // namespace causcale
