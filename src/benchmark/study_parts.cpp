#include "benchmark/study_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "causcale/error.h"
#include "methods/method.h"
#include "simulate/names.h"

namespace causcale {
namespace {

constexpr GraphSize kQuickSize{20, 40};
constexpr int kQuickRows = 500, kQuickSergioRows = 1000, kQuickGraphs = 2;
constexpr int kMostNodes = 1000000;

const std::array<Mechanism, 4> kPaperMechanisms = {Mechanism::kLinear, Mechanism::kNeural,
                                                   Mechanism::kSigmoidAdditive, Mechanism::kPolynomial};

int parse_count(std::string_view text, const std::string& whole, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw UsageError(fmt::format(
        "--nodes {}: write N or N:E, variables (from 2) and expected edges, such as 100 or 100:400", whole));
  return value;
}

const GraphSize* size_of(const std::vector<GraphSize>& sizes, int nodes) {
  const auto found = std::ranges::find(sizes, nodes, &GraphSize::nodes);
  return found == sizes.end() ? nullptr : &*found;
}

// The paper's name of one of our methods; empty where it does not have it.
std::string paper_method(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames{{
      {"corr", "CORR"},
      {"invcov", "INVCOV"},
      {"fci", "FCI"},
      {"notears", "NOTEARS"},
      {"sdcd", "SDCD"},
      {"diffan", "DiffAN"},
      {"avici", "AVICI"},
      {"sea", "SEA-gies"},
  }};
  for (const auto& [ours, theirs] : kNames)
    if (ours == name) return std::string(theirs);
  return {};
}

}  // namespace

std::vector<GraphSize> requested_sizes(const StudyRequest& request, const std::vector<GraphSize>& paper,
                                       const std::vector<GraphSize>& elsewhere) {
  if (request.sizes.empty()) return request.quick ? std::vector<GraphSize>{kQuickSize} : paper;
  std::vector<GraphSize> sizes;
  for (const std::string& text : request.sizes) {
    const std::size_t colon = text.find(':');
    const int nodes = parse_count(std::string_view(text).substr(0, colon), text, 2, kMostNodes);
    if (colon != std::string::npos) {
      sizes.push_back({nodes, parse_count(std::string_view(text).substr(colon + 1), text, 0, 1000000000)});
    } else if (const GraphSize* known = size_of(paper, nodes)) {
      sizes.push_back(*known);
    } else if (!size_of(elsewhere, nodes)) {
      sizes.push_back({nodes, std::min(2 * nodes, nodes * (nodes - 1) / 2)});
    }
  }
  return sizes;
}

MechanismChoice requested_mechanisms(const StudyRequest& request, bool sergio) {
  MechanismChoice choice;
  if (request.mechanisms.empty()) {
    choice.synthetic.assign(kPaperMechanisms.begin(), kPaperMechanisms.end());
    choice.sergio = sergio && !request.quick;
    return choice;
  }
  for (const std::string& name : request.mechanisms) {
    if (name == "sergio" || name == "SERGIO") {
      if (!sergio) throw UsageError("--mechanisms sergio: this benchmark has no SERGIO part");
      choice.sergio = true;
    } else if (name == "synthetic") {
      choice.synthetic.insert(choice.synthetic.end(), kPaperMechanisms.begin(), kPaperMechanisms.end());
    } else {
      choice.synthetic.push_back(
          choice_named(kMechanismNames, name == "sigmoid" ? "sigmoid_add" : name,
                       "mechanism (besides synthetic for the paper's four and sergio)"));
    }
  }
  return choice;
}

std::string mechanism_label(Mechanism mechanism) {
  return mechanism == Mechanism::kSigmoidAdditive ? "sigmoid" : name_of(kMechanismNames, mechanism);
}

int requested_graphs(const StudyRequest& request, int paper) {
  if (request.graphs > 0) return request.graphs;
  return request.quick ? std::min(kQuickGraphs, paper) : paper;
}

int requested_rows(const StudyRequest& request) {
  if (request.rows.size() > 1)
    throw UsageError("--rows: several numbers make sense in 'benchmark samples' only");
  if (!request.rows.empty()) return request.rows.front();
  return request.quick ? kQuickRows : kPaperRows;
}

int requested_sergio_rows(const StudyRequest& request) {
  if (request.sergio_rows > 0) return request.sergio_rows;
  return request.quick ? kQuickSergioRows : kPaperSergioRows;
}

SyntheticOptions synthetic_setting(const StudyRequest& request, GraphSize size, Mechanism mechanism) {
  SyntheticOptions options;
  options.nodes = size.nodes;
  options.edges_per_node = static_cast<double>(size.edges) / size.nodes;
  options.mechanism = mechanism;
  options.rows = requested_rows(request);
  check_synthetic_options(options);
  return options;
}

SergioOptions sergio_setting(const StudyRequest& request, GraphSize size) {
  SergioOptions options;
  options.graph.nodes = size.nodes;
  options.graph.edges_per_node = static_cast<double>(size.edges) / size.nodes;
  options.rows = requested_sergio_rows(request);
  check_sergio_options(options);
  return options;
}

std::string setting_name(const std::string& mechanism, GraphSize size) {
  return fmt::format("{}_n{}_e{}", mechanism, size.nodes, size.edges);
}

std::string size_label(GraphSize size) {
  return fmt::format("n={} E={}", size.nodes, size.edges);
}

namespace {

// The paper has one model per family of data, and so do we unless the user wants to see another.
std::string model_for(const StudyRequest& request, bool sergio) {
  if (!sergio) return request.model.empty() ? "synthetic" : request.model;
  if (!request.sergio_model.empty()) return request.sergio_model;
  return request.model.empty() || request.model == "synthetic" ? "sergio" : request.model;
}

}  // namespace

std::vector<Contender> requested_contenders(const StudyRequest& request, bool sergio) {
  std::vector<Contender> contenders;
  if (request.network) {
    Contender network;
    network.label = network.paper_name = "CauScale";
    network.model = model_for(request, sergio);
    network.prior_units = request.prior_units.value_or(PriorUnits::kRaw);
    network.prior_rows = request.prior_rows;
    network.max_samples = request.max_samples;
    network.ensemble = request.ensemble;
    network.views = request.views;
    contenders.push_back(std::move(network));
  }
  const auto add = [&](const Method& method) {
    Contender contender;
    contender.label = contender.method = method.name;
    contender.paper_name = paper_method(method.name);
    contenders.push_back(std::move(contender));
  };
  for (const std::string& name : request.methods) {
    if (name == "all")
      for (const Method& method : methods()) add(method);
    else
      add(method_named(name));
  }
  if (contenders.empty())
    throw UsageError("nothing to measure: --no-network leaves --methods, but none is given");
  return contenders;
}

std::vector<Contender> paper_only_contenders(const StudyRequest& request,
                                             const std::vector<Contender>& present) {
  std::vector<Contender> contenders;
  if (!request.paper_methods) return contenders;
  for (const char* name : {"CORR", "INVCOV", "FCI", "NOTEARS", "SDCD", "DiffAN", "AVICI", "SEA-gies"}) {
    if (std::ranges::find(present, name, &Contender::paper_name) != present.end()) continue;
    Contender contender;
    contender.label = contender.paper_name = name;
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

void require_network_only(const StudyRequest& request, const std::string& study) {
  if (!request.methods.empty() || !request.network)
    throw UsageError(
        fmt::format("benchmark {} is about the network only; leave --methods and --no-network out", study));
}

Study new_study(const StudyRequest& request, const std::string& name, const std::string& title) {
  Study study;
  study.name = name;
  study.title = title;
  study.graphs = requested_graphs(request);
  study.seed = request.seed;
  return study;
}

std::vector<StudyColumn> accuracy_columns() {
  return {{"map", "mAP", 1, 100.0},
          {"shd", "SHD", 1, 1.0},
          {"auc", "AUC", 1, 100.0},
          {"oa", "OA", 1, 100.0},
          {"seconds", "time (s)", -1, 1.0}};
}

}  // namespace causcale
