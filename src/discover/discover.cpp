// The pipeline: table -> canonical rows -> prior and standardised data -> network -> second stage
// -> knowledge -> evidence -> graph.
#include "causcale/discover.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "causcale/error.h"
#include "causcale/samples.h"
#include "core/option_names.h"
#include "data/standardize.h"
#include "data/value_range.h"
#include "discover/applicability.h"
#include "discover/applicability_warnings.h"
#include "discover/bootstrap.h"
#include "discover/direction.h"
#include "discover/estimate.h"
#include "discover/evidence.h"
#include "discover/settings.h"
#include "discover/transform.h"
#include "methods/column_codes.h"
#include "methods/imputation.h"

namespace causcale {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(DiscoverResult& result) : result_(result) {}
  // Books the time since the last call under `stage`.
  void book(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    result_.seconds.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  DiscoverResult& result_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void check_table(const Table& table) {
  if (table.cols() < 2)
    throw InputError(fmt::format("the table has {} column(s); at least 2 are needed", table.cols()));
  if (table.rows() < 2)
    throw InputError(fmt::format("the table has {} row(s); at least 2 are needed", table.rows()));
  require_value_range(table);
  require_some_value(table);
}

// What the network sees, and what everything else looks at, which needs a number in every cell. Both are the
// same where no cell is missing, or where the network does not know of missing cells.
struct TableForms {
  std::optional<Dataset> filled;  // in the order of the file, where cells are missing
  bool network_sees_gaps = false;
};

TableForms settle_missing(const Dataset& dataset, const ModelConfig& config, const DiscoverOptions& options,
                          DiscoverResult& result) {
  TableForms forms;
  result.missing_cells = missing_cells(dataset.table);
  if (result.missing_cells == 0) return forms;
  forms.filled = with_imputed_cells(dataset, options.seed, options.threads);
  forms.network_sees_gaps = config.channels.place(DataChannel::kMissing) >= 0;
  result.missing_rule = forms.network_sees_gaps
                            ? fmt::format(
                                  "{} missing cells: known to the network as such; filled in by "
                                  "regression for the tests of the edges",
                                  result.missing_cells)
                            : imputation_sentence(dataset);
  return forms;
}

// Instead of the warning of too many columns, which speaks of the table as a whole.
void remark_on_blocks(const Settings& settings, DiscoverResult& result) {
  std::erase_if(result.applicability,
                [](const Remark& remark) { return remark.code == "columns_beyond_training"; });
  const std::size_t columns = result.names.size();
  result.applicability.push_back(
      {"blocks",
       fmt::format(
           "the {} columns were looked at in {} overlapping blocks of {}, each variable with those that "
           "it is likeliest joined to; pairs that no block holds got the least probability of all",
           columns, settings.blocks(columns), settings.block_columns),
       "weak or oddly shaped relations may be among those pairs; --blocks says how many columns a block has, "
       "--blocks off shows the network the table as a whole"});
}

void report_progress(const DiscoverOptions& options, const std::string& stage, double share) {
  if (options.progress) options.progress(stage, share);
}

}  // namespace

DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options) {
  report_progress(options, "model", 0.0);
  const auto start = std::chrono::steady_clock::now();
  const LoadedModel loaded = load_for_discover(options);
  const std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
  DiscoverResult result = discover(dataset, options, loaded);
  result.seconds.insert(result.seconds.begin(), {"model", loading.count()});
  return result;
}

DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options, const LoadedModel& loaded) {
  check_table(dataset.table);
  options.knowledge.check(dataset.table.names);

  DiscoverResult result;
  Stopwatch watch(result);
  const Settings settings = settle(options, loaded, dataset.table.rows(), dataset.table.cols());
  settings.describe(result);
  result.names = dataset.table.names;
  result.rows = dataset.table.rows();

  report_progress(options, "rows", 0.05);
  const TableForms forms = settle_missing(dataset, settings.config(), options, result);
  const Dataset& complete = forms.filled ? *forms.filled : dataset;
  Dataset ordered = in_canonical_order(complete, options.threads);
  std::optional<Dataset> with_gaps;
  if (forms.filled) with_gaps = in_canonical_order(dataset, options.threads);
  const Dataset& seen = forms.network_sees_gaps ? *with_gaps : ordered;  // by the network
  watch.book("rows");
  judge_applicability(ordered, loaded.card->ranges, result);
  if (settings.block_columns > 0) remark_on_blocks(settings, result);
  if (forms.filled && !forms.network_sees_gaps)
    result.applicability.push_back({"missing_filled", result.missing_rule, kImputationHint});
  // Rows in the order of the file: whether that is an order of time is seen there only.
  for (Remark& remark : table_warnings(complete, loaded.card->ranges, settings.stacked))
    result.applicability.push_back(std::move(remark));
  TransformChoice transform = transform_values(options.transform, loaded.card->transform, ordered.table);
  if (transform.logarithm && with_gaps) take_logarithms(with_gaps->table);
  if (transform.remark) result.applicability.push_back(std::move(*transform.remark));
  if (transform.logarithm) result.transform = name_of(kTransformNames, ValueTransform::kLog1p);
  watch.book("applicability");

  const double share = 0.9 / (1.0 + options.bootstrap);  // of the estimate itself
  Estimate told =
      std::move(estimate(settings, options, std::span(&seen, 1), [&](double pass) {
                  report_progress(
                      options, !settings.stacked || pass < settings.all_passes() ? "network" : "second stage",
                      0.1 + share * pass / settings.steps());
                }).front());
  result.probabilities = std::move(told.probabilities);
  result.feedback = std::move(told.feedback);
  result.confounded = std::move(told.confounded);
  watch.book("network");
  std::vector<RepeatedEffect> repeated_effects;
  if (options.bootstrap > 0) {
    repeated_effects = run_bootstrap(
        settings, options, seen,
        [&](double done) { report_progress(options, "bootstrap", 0.1 + share + (0.9 - share) * done); },
        result);
    watch.book("bootstrap");
  }

  clear_constants(ordered.table, options.knowledge, result);
  select_graph_with_evidence(ordered, options, result);
  warn_of_uniform_columns(ordered, result);
  if (options.evidence != EvidenceRule::kOff) {
    // Cells that were filled in would speak for the shape of the regression that filled them.
    result.directions =
        direction_evidence(with_gaps ? *with_gaps : ordered, options.knowledge, result, options.threads);
    warn_of_untold_directions(result);
  }
  watch.book("graph");
  result.effects = edge_effects(with_gaps ? *with_gaps : ordered, result.graph, options.threads);
  if (options.bootstrap > 0) add_graph_intervals(repeated_effects, result.bootstrap, result.effects);
  watch.book("effects");
  if (options.samples > 0) {
    report_progress(options, "samples", 0.98);
    // What is known is in the probabilities already.
    const GraphSamples samples = sample_graphs(result.probabilities, {.count = options.samples,
                                                                      .seed = options.seed,
                                                                      .threads = options.threads,
                                                                      .knowledge = {},
                                                                      .feedback = result.feedback});
    result.samples = options.samples;
    result.samples_exact = samples.exact;
    result.ancestry = ancestor_probabilities(samples, options.threads);
    watch.book("samples");
  }
  report_progress(options, "done", 1.0);
  return result;
}

}  // namespace causcale
