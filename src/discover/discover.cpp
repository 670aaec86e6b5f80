// The pipeline: table -> canonical rows -> prior and standardised data -> network -> knowledge -> graph.
#include "causcale/discover.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/parallel.h"
#include "causcale/error.h"
#include "data/standardize.h"
#include "discover/select.h"
#include "discover/settings.h"
#include "model/causcale.h"
#include "prior/precision.h"

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
  for (std::size_t r = 0; r < table.rows(); ++r)
    for (std::size_t j = 0; j < table.cols(); ++j)
      if (!std::isfinite(table.values(r, j)))
        throw InputError(
            fmt::format("row {}, column '{}': the value is missing or infinite", r + 1, table.names[j]));
}

// [1, m, n, 2]: standardised value and intervention flag.
at::Tensor data_input(const Dataset& part) {
  const Matrix<double> values = standardize(part.table.values);
  const auto m = static_cast<std::int64_t>(values.rows()), n = static_cast<std::int64_t>(values.cols());
  at::Tensor data = at::zeros({1, m, n, 2}, at::kFloat);
  float* out = data.data_ptr<float>();
  for (std::size_t k = 0; k < values.size(); ++k) out[2 * k] = static_cast<float>(values.data()[k]);
  const Interventions& interventions = part.interventions;
  if (!interventions.regime_of_row.empty())
    for (std::int64_t r = 0; r < m; ++r)
      for (int target : interventions.regimes[interventions.regime_of_row[r]])
        out[2 * (r * n + target) + 1] = 1.0f;
  return data;
}

// [1, n, n]
at::Tensor prior_input(const Matrix<double>& prior) {
  const auto n = static_cast<std::int64_t>(prior.rows());
  at::Tensor result = at::empty({1, n, n}, at::kFloat);
  float* out = result.data_ptr<float>();
  for (std::size_t k = 0; k < prior.size(); ++k) out[k] = static_cast<float>(prior.data()[k]);
  return result;
}

void report_progress(const DiscoverOptions& options, const std::string& stage, double share) {
  if (options.progress) options.progress(stage, share);
}

}  // namespace

DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options) {
  check_table(dataset.table);
  options.knowledge.check(dataset.table.names);
  if (!(options.threshold >= 0 && options.threshold <= 1))
    throw UsageError(fmt::format("the threshold must lie between 0 and 1, not {}", options.threshold));
  at::set_num_threads(resolve_threads(options.threads));

  DiscoverResult result;
  Stopwatch watch(result);
  report_progress(options, "model", 0.0);
  const Settings settings = settle(options, dataset.table.rows(), dataset.table.cols());
  settings.describe(result);
  result.names = dataset.table.names;
  result.rows = dataset.table.rows();
  watch.book("model");

  report_progress(options, "prior", 0.05);
  const Dataset ordered = take_rows(dataset, canonical_row_order(dataset, resolve_threads(options.threads)));
  const Matrix<double> prior =
      precision_prior(ordered.table.values,
                      {.scale = settings.prior_scale, .rows = {}, .seed = 0, .method = PriorMethod::kAuto});
  watch.book("prior");

  const auto parts = deal_rows(ordered.table.rows(), settings.passes, settings.rows_per_pass, options.seed);
  const at::TensorOptions target = at::TensorOptions(settings.device).dtype(settings.dtype);
  at::Tensor sum;  // [n, n]
  for (std::size_t pass = 0; pass < parts.size(); ++pass) {
    report_progress(options, "network",
                    0.1 + 0.9 * static_cast<double>(pass) / static_cast<double>(parts.size()));
    const ModelInput input{
        data_input(take_rows(ordered, parts[pass])).to(target), prior_input(prior).to(target), {}, {}};
    const at::Tensor probabilities =
        edge_probabilities(settings.model->params, settings.model->config, input, true, settings.execution)
            .squeeze(0)
            .to(at::kCPU, at::kDouble);
    sum = sum.defined() ? sum + probabilities : probabilities;
  }
  sum = (sum / static_cast<double>(parts.size())).contiguous();
  const std::size_t n = result.names.size();
  result.probabilities =
      Matrix<double>(n, n, std::vector<double>(sum.data_ptr<double>(), sum.data_ptr<double>() + n * n));
  watch.book("network");

  apply_knowledge(options.knowledge, result.probabilities);
  select_graph(options, result);
  watch.book("graph");
  report_progress(options, "done", 1.0);
  return result;
}

}  // namespace causcale
