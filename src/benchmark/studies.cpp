#include "benchmark/studies.h"

#include <fmt/format.h>

#include "benchmark/study_parts.h"
#include "causcale/error.h"
#include "core/installed.h"
#include "methods/method.h"
#include "simulate/names.h"

namespace causcale {
namespace {

const std::vector<GraphSize> kSyntheticSizes = {{100, 400}, {1000, 2000}};
const std::vector<GraphSize> kSergioSizes = {{100, 400}, {200, 400}};

const std::string kTimed =
    "Time: order of the rows, prior and network on one table in memory (on a GPU after one untimed pass), or "
    "the "
    "whole of a competing method; reading or simulating the data and loading the model are left out.";

// One row per contender, measured or not.
void add_rows(const StudyRequest& request, Study& study, const std::vector<std::string>& labels,
              const TestSource& source, bool sergio, const std::string& paper_setting) {
  const std::vector<Contender> contenders = requested_contenders(request, sergio);
  const std::string category = fmt::format("{} {}", labels[0], labels[1]);
  for (const Contender& contender : contenders)
    study.rows.push_back({{labels[0], labels[1], contender.label},
                          contender,
                          {source},
                          paper_setting,
                          contender.label,
                          category,
                          0.0});
  if (paper_setting.empty()) return;
  for (const Contender& contender : paper_only_contenders(request, contenders))
    study.rows.push_back({{labels[0], labels[1], contender.label},
                          contender,
                          {},
                          paper_setting,
                          contender.label,
                          category,
                          0.0});
}

// The settings of the paper's main comparison.
Study main_study(const StudyRequest& request, const std::string& name, const std::string& title,
                 bool with_sergio, bool observational) {
  Study study = new_study(request, name, title);
  study.headings = {"size", "data", "method"};
  const MechanismChoice mechanisms = requested_mechanisms(request, with_sergio);
  const bool as_paper = requested_rows(request) == kPaperRows;
  for (const GraphSize size :
       requested_sizes(request, kSyntheticSizes, with_sergio ? kSergioSizes : std::vector<GraphSize>{}))
    for (const Mechanism mechanism : mechanisms.synthetic) {
      SyntheticOptions options = synthetic_setting(request, size, mechanism);
      if (observational) options.interventions.effect = InterventionEffect::kNone;
      add_rows(request, study, {size_label(size), mechanism_label(mechanism)}, options, false,
               as_paper ? setting_name(name_of(kMechanismNames, mechanism), size) : "");
    }
  if (mechanisms.sergio)
    for (const GraphSize size : requested_sizes(request, kSergioSizes, kSyntheticSizes))
      add_rows(request, study, {size_label(size), "SERGIO"}, sergio_setting(request, size), true,
               requested_sergio_rows(request) == kPaperSergioRows ? setting_name("sergio", size) : "");
  if (study.rows.empty()) throw UsageError("no setting is left: --nodes and --mechanisms exclude each other");
  study.remarks.push_back(
      fmt::format("Fresh Erdos-Renyi graphs of seed {}, {} a setting; {} rows{}{}; mean ± deviation.",
                  study.seed, study.graphs, requested_rows(request),
                  mechanisms.sergio ? fmt::format(", SERGIO {}", requested_sergio_rows(request)) : "",
                  observational ? ", no interventions" : ""));
  return study;
}

Study robustness_study(const StudyRequest& request, const std::string& name, const std::string& title) {
  Study study = new_study(request, name, title);
  study.columns = accuracy_columns();
  study.picture.lines = true;
  return study;
}

const std::vector<GraphSize> kHundred = {{100, 400}};

}  // namespace

Study table1_study(const StudyRequest& request) {
  Study study = main_study(request, "table1", "Accuracy and time (table 1)", true, false);
  study.columns = accuracy_columns();
  study.remarks.push_back(kTimed);
  return study;
}

Study cyclicity_study(const StudyRequest& request) {
  Study study =
      main_study(request, "cyclicity", "Cycles and what breaking them costs (table 2)", true, false);
  study.columns = {{"cyclic", "cyclic", 2, 1.0},
                   {"removed_edges", "edges removed", 1, 1.0},
                   {"shd", "SHD before", 1, 1.0},
                   {"shd_acyclic", "SHD after", 1, 1.0}};
  study.picture.metric = "removed_edges";
  study.picture.y_label = "edges removed";
  return study;
}

Study aid_study(const StudyRequest& request) {
  Study study = main_study(request, "aid", "Adjustment identification distances", true, false);
  study.columns = {{"ancestor_aid", "ancestor AID", 3, 1.0},
                   {"oset_aid", "o-set AID", 3, 1.0},
                   {"parent_aid", "parent AID", 3, 1.0}};
  study.picture.metric = "parent_aid";
  study.picture.y_label = "parent AID";
  return study;
}

Study observational_study(const StudyRequest& request) {
  Study study = main_study(request, "observational", "Observational data only", false, true);
  study.columns = accuracy_columns();
  return study;
}

Study hidden_study(const StudyRequest& request) {
  Study study = robustness_study(request, "hidden", "Hidden variables of highest out-degree");
  study.headings = {"size", "data", "hidden", "method"};
  study.picture.x_label = "hidden variables";
  std::vector<int> counts = request.hidden;
  const bool chosen = !counts.empty();
  if (!chosen) counts = {0, 1, 2, 4, 8, 16, 32, 64};
  for (const GraphSize size : requested_sizes(request, kHundred))
    for (const Mechanism mechanism : requested_mechanisms(request, false).synthetic)
      for (const int hidden : counts) {
        if (size.nodes - hidden < 2) {
          if (chosen)
            throw UsageError(
                fmt::format("--hidden {}: of {} variables fewer than two would be left", hidden, size.nodes));
          continue;
        }
        SyntheticOptions options = synthetic_setting(request, size, mechanism);
        options.hidden = hidden;
        check_synthetic_options(options);
        for (const Contender& contender : requested_contenders(request, false))
          study.rows.push_back(
              {{size_label(size), mechanism_label(mechanism), fmt::format("{}", hidden), contender.label},
               contender,
               {options},
               "",
               mechanism_label(mechanism) + " " + contender.label,
               "",
               static_cast<double>(hidden)});
      }
  study.remarks.push_back(
      "Judged on the graph among the visible variables; hidden ones are never intervened on.");
  return study;
}

Study prior_study(const StudyRequest& request) {
  Study study = robustness_study(request, "prior", "Rows that the prior is made from (table 4)");
  require_network_only(request, study.name);
  study.headings = {"size", "prior rows"};
  study.picture.x_label = "rows for the prior";
  study.picture.log_x = true;
  const std::vector<GraphSize> paper = {{10, 10}, {100, 400}, {1000, 2000}};
  std::vector<int> counts = request.prior_sizes;
  if (counts.empty()) counts = {10, 100, 200, 500};
  const std::vector<Mechanism> mechanisms = requested_mechanisms(request, false).synthetic;
  const bool as_paper = requested_rows(request) == kPaperRows && request.mechanisms.empty();
  for (const GraphSize size : requested_sizes(request, paper))
    for (const int count : counts) {
      if (count < 2 || count > requested_rows(request))
        throw UsageError(fmt::format("--prior-sizes {}: accepted are 2 to {} (the number of rows)", count,
                                     requested_rows(request)));
      std::vector<TestSource> sources;
      for (const Mechanism mechanism : mechanisms)
        sources.emplace_back(synthetic_setting(request, size, mechanism));
      Contender contender = requested_contenders(request, false).front();
      contender.prior_rows = static_cast<std::size_t>(count);
      study.rows.push_back({{size_label(size), fmt::format("{}", count)},
                            contender,
                            sources,
                            as_paper ? fmt::format("n{}_e{}_p{}", size.nodes, size.edges, count) : "",
                            size_label(size),
                            "",
                            static_cast<double>(count)});
    }
  return study;
}

Study samples_study(const StudyRequest& request) {
  Study study = robustness_study(request, "samples", "Number of rows");
  study.headings = {"size", "data", "rows", "method"};
  study.picture.x_label = "rows";
  study.picture.log_x = true;
  std::vector<int> counts = request.rows;
  if (counts.empty())
    counts = request.quick ? std::vector<int>{250, 500} : std::vector<int>{500, 1000, 2000, 4000};
  std::vector<int> sergio_counts = {1000, 2000, 5000, 10000, 20000};
  if (request.sergio_rows > 0) sergio_counts = {request.sergio_rows};
  StudyRequest one = request;
  const auto add = [&](GraphSize size, const std::string& label, int rows, const TestSource& source,
                       bool sergio) {
    for (const Contender& contender : requested_contenders(request, sergio))
      study.rows.push_back({{size_label(size), label, fmt::format("{}", rows), contender.label},
                            contender,
                            {source},
                            "",
                            label + " " + contender.label,
                            "",
                            static_cast<double>(rows)});
  };
  const MechanismChoice mechanisms = requested_mechanisms(request, true);
  for (const GraphSize size : requested_sizes(request, kHundred)) {
    for (const Mechanism mechanism : mechanisms.synthetic)
      for (const int rows : counts) {
        one.rows = {rows};
        add(size, mechanism_label(mechanism), rows, synthetic_setting(one, size, mechanism), false);
      }
    if (!mechanisms.sergio) continue;
    for (const int rows : sergio_counts) {
      one.sergio_rows = rows;
      add(size, "SERGIO", rows, sergio_setting(one, size), true);
    }
  }
  study.remarks.push_back(kTimed);
  return study;
}

Study ood_study(const StudyRequest& request) {
  Study study = robustness_study(request, "ood", "Graphs, noise and mechanisms that training did not have");
  study.headings = {"size", "shift", "data", "method"};
  study.picture.lines = false;
  struct Shift {
    const char* label;
    void (*apply)(SyntheticOptions& options);
  };
  const Shift shifts[] = {
      {"none", [](SyntheticOptions&) {}},
      {"SBM graphs", [](SyntheticOptions& o) { o.graph_model = GraphModel::kStochasticBlock; }},
      {"uniform noise", [](SyntheticOptions& o) { o.noise = NoiseFamily::kUniform; }},
      {"Laplace noise", [](SyntheticOptions& o) { o.noise = NoiseFamily::kLaplace; }},
  };
  const auto add = [&](GraphSize size, const std::string& shift, Mechanism mechanism,
                       const SyntheticOptions& options) {
    for (const Contender& contender : requested_contenders(request, false))
      study.rows.push_back({{size_label(size), shift, mechanism_label(mechanism), contender.label},
                            contender,
                            {options},
                            "",
                            contender.label,
                            fmt::format("{}, {}", mechanism_label(mechanism), shift),
                            0.0});
  };
  // Without a choice: what training has under every shift, and the mechanisms it does not have.
  std::vector<Mechanism> known = {Mechanism::kLinear, Mechanism::kNeural};
  std::vector<Mechanism> unseen = {Mechanism::kSigmoidAdditive, Mechanism::kPolynomial};
  if (!request.mechanisms.empty()) {
    known = requested_mechanisms(request, false).synthetic;
    unseen.clear();
  }
  for (const GraphSize size : requested_sizes(request, kHundred)) {
    for (const Shift& shift : shifts)
      for (const Mechanism mechanism : known) {
        SyntheticOptions options = synthetic_setting(request, size, mechanism);
        shift.apply(options);
        check_synthetic_options(options);
        add(size, shift.label, mechanism, options);
      }
    for (const Mechanism mechanism : unseen)
      add(size, "mechanism", mechanism, synthetic_setting(request, size, mechanism));
  }
  study.remarks.push_back(
      "SBM: 5 blocks, edges between blocks a tenth as likely. All noises have the same variance.");
  return study;
}

Study cost_study(const StudyRequest& request) {
  Study study = new_study(request, "cost", "Arithmetic, memory and time of inference");
  require_network_only(request, study.name);
  study.graphs = requested_graphs(request, 3);
  study.headings = {"variables", "rows"};
  study.columns = {{"flops", "GFLOP", -1, 1e-9},
                   {"flops_unreduced", "unreduced", -1, 1e-9},
                   {"sample_axis_share", "sample axis %", 2, 100.0},
                   {"node_axis_share", "node axis %", 2, 100.0},
                   {"formula_bytes", "paper's MiB", 1, 1.0 / 1048576},
                   {"planned_bytes", "planned MiB", 1, 1.0 / 1048576},
                   {"peak_bytes", "measured MiB", 1, 1.0 / 1048576},
                   {"seconds", "time (s)", -1, 1.0},
                   {"flops_per_second", "GFLOP/s", 1, 1e-9}};
  study.picture.metric = "seconds";
  study.picture.y_label = "seconds";
  struct Shape {
    GraphSize size;
    int rows;
  };
  std::vector<Shape> shapes;
  if (request.sizes.empty() && request.rows.empty() && !request.quick) {
    shapes = {{{100, 400}, 1000}, {{1000, 2000}, 1000}, {{100, 400}, 20000}, {{200, 400}, 20000}};
  } else {
    for (const GraphSize size : requested_sizes(request, kSyntheticSizes))
      for (const int rows : request.rows.empty() ? std::vector<int>{requested_rows(request)} : request.rows)
        shapes.push_back({size, rows});
  }
  StudyRequest one = request;
  for (const auto& [size, rows] : shapes) {
    one.rows = {rows};
    const Contender contender = requested_contenders(one, false).front();
    study.rows.push_back({{fmt::format("{}", size.nodes), fmt::format("{}", rows)},
                          contender,
                          {synthetic_setting(one, size, Mechanism::kLinear)},
                          fmt::format("n{}_m{}", size.nodes, rows),
                          "CauScale",
                          fmt::format("n={}, m={}", size.nodes, rows),
                          0.0});
  }
  study.remarks = {
      "GFLOP: the paper's formula; unreduced: the same without the reduction unit; sample and node axis: "
      "what the "
      "reduction leaves of the attention's arithmetic.",
      "Memory: the paper's formula for activations, our plan with weights, and what was measured beyond what "
      "was in "
      "use before (CPU: resident memory of the process, CUDA: tensors).",
      kTimed};
  return study;
}

Study real_study(const StudyRequest& request) {
  Study study = new_study(request, "real", "Data sets with known graphs");
  study.graphs = 1;
  study.headings = {"data", "method"};
  study.columns = {{"nodes", "n", 0, 1.0},
                   {"rows", "rows", 0, 1.0},
                   {"edges", "edges", 0, 1.0},
                   {"map", "directed AP", 1, 100.0},
                   {"skeleton_map", "skeleton AP", 1, 100.0},
                   {"oa", "OA", 1, 100.0},
                   {"shd", "SHD", 0, 1.0},
                   {"seconds", "time (s)", -1, 1.0}};
  study.picture.y_label = "directed AP (%)";
  if (!request.sizes.empty() || !request.mechanisms.empty() || request.graphs > 0)
    throw UsageError(
        "benchmark real takes data sets as they are: leave --nodes, --mechanisms and --graphs out");
  if (request.rows.size() > 1) throw UsageError("--rows: one number is enough here");
  StudyRequest chosen = request;
  if (chosen.methods.empty()) chosen.methods = {inverse_covariance_method().name};
  if (chosen.model.empty()) chosen.model = default_model_name();
  const std::size_t rows = request.rows.empty() ? 0 : static_cast<std::size_t>(request.rows.front());
  for (const std::filesystem::path& folder : find_datasets(request.folder)) {
    const std::filesystem::path relative = folder.lexically_relative(request.folder);
    const std::string name =
        relative == "." ? folder.lexically_normal().filename().string() : relative.string();
    for (Contender contender : requested_contenders(chosen, false)) {
      contender.prior_units = request.prior_units.value_or(PriorUnits::kAuto);
      contender.one_pass = rows > 0;
      study.rows.push_back(
          {{name, contender.label}, contender, {FolderData{folder, rows}}, "", contender.label, name, 0.0});
    }
  }
  study.remarks.push_back(
      rows > 0 ? fmt::format("Every k-th row, so that about {} remain, in one pass.", rows)
               : "Rows and passes as causcale discover takes them, unless options said otherwise.");
  study.remarks.push_back(
      "Skeleton AP: unordered pairs by the sum of both directions' scores. A symmetric answer has no OA.");
  return study;
}

const std::vector<StudyEntry>& study_entries() {
  static const std::vector<StudyEntry> entries = {
      {"table1", "mAP, SHD, AUC, OA and time on synthetic data and SERGIO", table1_study},
      {"cyclicity", "Cyclic answers, and what breaking the cycles costs", cyclicity_study},
      {"aid", "Adjustment identification distances", aid_study},
      {"observational", "Synthetic data without interventions", observational_study},
      {"hidden", "Hidden variables", hidden_study},
      {"prior", "Prior from few rows", prior_study},
      {"samples", "Number of rows", samples_study},
      {"ood", "Other graphs, noise and mechanisms than in training", ood_study},
      {"ablation", "Variants of the network, trained by configurations that this can write", ablation_study},
      {"cost", "Arithmetic and memory by formula beside what is measured", cost_study},
      {"real", "Every data set in a folder, with files data.csv and truth.csv", real_study},
  };
  return entries;
}

}  // namespace causcale
