#include "report/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace causcale {
namespace {

constexpr std::size_t kShown = 10;

double median(const std::vector<double>& ascending) {
  return ascending.empty() ? 0.0 : ascending[ascending.size() / 2];
}

std::string claim_text(const TestedClaim& claim, const std::vector<std::string>& names) {
  std::string text = fmt::format("{} and {}", names[claim.x], names[claim.y]);
  for (std::size_t k = 0; k < claim.given.size(); ++k)
    text += (k ? ", " : ", given ") + names[claim.given[k]];
  return text;
}

std::string verdict_text(const GraphCheck& check, double alpha) {
  const double expected = 100 * alpha;
  switch (check.verdict) {
    case CheckVerdict::kFits:
      return fmt::format(
          "The graph fits: it violates fewer of its claims than {:.0f} % of the graphs with exchanged "
          "variables{}.",
          100 * (1 - check.permuted_p),
          check.graph.violated_share() > 2 * alpha
              ? fmt::format(", though more than the {:.0f} % that chance explains", expected)
              : "");
    case CheckVerdict::kRejected:
      return "The graph is rejected: its claims are violated, and about as often as those of graphs that "
             "know "
             "nothing of the data.";
    case CheckVerdict::kUnclear:
      break;
  }
  if (check.graph.tested == 0)
    return "Nothing can be said: the graph claims no independence that can be tested.";
  return "Nothing can be said: graphs that know nothing of the data do about as well, and violations are "
         "rare.";
}

}  // namespace

std::string format_check_json(const GraphCheck& check, double alpha, const std::vector<std::string>& names,
                              const CheckFiles& files) {
  nlohmann::ordered_json out;
  out["format"] = "causcale.check/1";
  out["result"] = files.result;
  out["data"] = files.data;
  out["rows"] = check.rows;
  out["alpha"] = alpha;
  out["verdict"] = verdict_name(check.verdict);
  out["message"] = verdict_text(check, alpha);
  out["claims"] = {{"tested", check.graph.tested},
                   {"violated", check.graph.violated},
                   {"violated_share", check.graph.violated_share()}};
  out["edges"] = {{"tested", check.graph.edges}, {"without_dependence", check.graph.unsupported}};
  out["permuted"] = {{"graphs", check.permuted.size()},
                     {"median_violated_share", median(check.permuted)},
                     {"p", check.permuted_p},
                     {"same_class_share", check.same_class}};
  out["random"] = {{"graphs", check.random.size()},
                   {"median_violated_share", median(check.random)},
                   {"p", check.random_p}};
  out["violations"] = nlohmann::ordered_json::array();
  for (const TestedClaim& claim : check.violations) {
    auto given = nlohmann::ordered_json::array();
    for (const int node : claim.given) given.push_back(names[node]);
    out["violations"].push_back({{"x", names[claim.x]},
                                 {"y", names[claim.y]},
                                 {"given", std::move(given)},
                                 {"strength", claim.strength}});
  }
  out["edges_without_dependence"] = nlohmann::ordered_json::array();
  for (const Edge& edge : check.unsupported)
    out["edges_without_dependence"].push_back(
        {{"source", names[edge.source]}, {"target", names[edge.target]}});
  out["notes"] = check.notes;
  return out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string format_check(const GraphCheck& check, double alpha, const std::vector<std::string>& names) {
  std::string out;
  out += fmt::format("{}\n\n", verdict_text(check, alpha));
  out += fmt::format("  {:<34} {:>5.1f} % violated ({} of {}; chance explains {:.0f} %)\n",
                     "independences that it claims", 100 * check.graph.violated_share(), check.graph.violated,
                     check.graph.tested, 100 * alpha);
  if (!check.permuted.empty())
    out += fmt::format("  {:<34} {:>5.1f} % in the median of {} graphs, p = {:.3f}\n",
                       "with its variables exchanged", 100 * median(check.permuted), check.permuted.size(),
                       check.permuted_p);
  if (!check.random.empty())
    out += fmt::format("  {:<34} {:>5.1f} % in the median of {} graphs, p = {:.3f}\n",
                       "random graphs with as many edges", 100 * median(check.random), check.random.size(),
                       check.random_p);
  if (check.same_class > 0.05)
    out += fmt::format(
        "  {:.0f} % of the exchanges change none of the claims: so small a graph is hard to reject.\n",
        100 * check.same_class);
  if (check.graph.edges > 0)
    out += fmt::format("  {} of {} edges show no dependence, given the target's other parents.\n",
                       check.graph.unsupported, check.graph.edges);
  if (!check.violations.empty()) out += "\nViolated most clearly, claimed to be independent:\n";
  for (std::size_t k = 0; k < std::min(kShown, check.violations.size()); ++k)
    out += fmt::format("  {}\n", claim_text(check.violations[k], names));
  if (!check.unsupported.empty()) out += "\nEdges without dependence:\n";
  for (std::size_t k = 0; k < std::min(kShown, check.unsupported.size()); ++k)
    out +=
        fmt::format("  {} -> {}\n", names[check.unsupported[k].source], names[check.unsupported[k].target]);
  out += "\n";
  for (const std::string& note : check.notes) out += fmt::format("{}\n", note);
  return out;
}

}  // namespace causcale
