#include "benchmark/network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/parallel.h"
#include "base/sha256.h"
#include "benchmark/memory.h"
#include "data/standardize.h"
#include "discover/select.h"
#include "model/causcale.h"
#include "model/cost.h"
#include "model/installed.h"
#include "prior/precision.h"

namespace causcale {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// Score matrices beyond this are worked off in parts, as discover does.
constexpr std::int64_t kScoreBytes = std::int64_t{256} << 20;

// [1, m, n, 2]: standardised value and intervention flag.
at::Tensor data_tensor(const Dataset& part) {
  const Matrix<double> values = standardize(part.table.values);
  const auto m = static_cast<std::int64_t>(values.rows()), n = static_cast<std::int64_t>(values.cols());
  at::Tensor data = at::zeros({1, m, n, 2}, at::kFloat);
  float* out = data.data_ptr<float>();
  for (std::size_t k = 0; k < values.size(); ++k) out[2 * k] = static_cast<float>(values.data()[k]);
  const Interventions& interventions = part.interventions;
  if (interventions.regime_of_row.empty()) return data;
  for (std::int64_t r = 0; r < m; ++r)
    for (const int target : interventions.regimes[interventions.regime_of_row[r]])
      out[2 * (r * n + target) + 1] = 1.0f;
  return data;
}

// [1, n, n]
at::Tensor prior_tensor(const Matrix<double>& prior) {
  const auto n = static_cast<std::int64_t>(prior.rows());
  at::Tensor result = at::empty({1, n, n}, at::kFloat);
  std::ranges::transform(prior.values(), result.data_ptr<float>(),
                         [](double value) { return static_cast<float>(value); });
  return result;
}

PriorScale settled_scale(PriorUnits units, const Model& model) {
  if (units != PriorUnits::kAuto)
    return units == PriorUnits::kRaw ? PriorScale::kRaw : PriorScale::kStandardized;
  const auto stated = model.metadata.find("prior_scale");
  return stated != model.metadata.end() && stated->second == "raw" ? PriorScale::kRaw
                                                                   : PriorScale::kStandardized;
}

}  // namespace

BenchmarkNetwork::BenchmarkNetwork(const std::string& model, PriorUnits units, Device device,
                                   Precision precision, int threads)
    : threads_(resolve_threads(threads)) {
  options_.model = model;
  options_.device = device;
  options_.precision = precision;
  options_.threads = threads;
  const DiscoverPlan plan = plan_discover(2, 2, options_);  // settles device and precision
  if (plan.device == "cuda") device_ = at::Device(at::kCUDA, 0);
  if (plan.precision == "bf16") type_ = at::kBFloat16;
  const std::filesystem::path file = find_model(model);
  model_ = load_model(file);
  name_ = file.stem().string();
  sha256_ = sha256_of_file(file);
  prior_scale_ = settled_scale(units, model_);
  model_.params = convert_parameters(model_.params, device_, type_);
  execution_.max_score_bytes = kScoreBytes;
}

nlohmann::json BenchmarkNetwork::describe() const {
  return {{"model", name_},
          {"model_sha256", sha256_},
          {"device", device_.is_cuda() ? "cuda" : "cpu"},
          {"precision", type_ == at::kFloat ? "fp32" : "bf16"},
          {"prior_scale", prior_scale_ == PriorScale::kRaw ? "raw" : "standardized"}};
}

at::Tensor BenchmarkNetwork::pass(const Dataset& part, const Matrix<double>& prior) const {
  const at::TensorOptions target = at::TensorOptions(device_).dtype(type_);
  const ModelInput input{data_tensor(part).to(target), prior_tensor(prior).to(target), {}, {}};
  return edge_probabilities(model_.params, model_.config, input, true, execution_)
      .squeeze(0)
      .to(at::kCPU, at::kDouble);
}

// A GPU's first pass of a shape loads kernels and tunes products: no part of the time.
void BenchmarkNetwork::warm_up(const Dataset& dataset, std::size_t rows) {
  const std::size_t n = dataset.table.cols();
  if (!device_.is_cuda() || (warm_rows_ == rows && warm_columns_ == n)) return;
  std::vector<std::size_t> first(rows);
  std::iota(first.begin(), first.end(), std::size_t{0});
  pass(take_rows(dataset, first), Matrix<double>(n, n));
  warm_rows_ = rows;
  warm_columns_ = n;
}

NetworkAnswer BenchmarkNetwork::answer(const Dataset& dataset, const Contender& contender,
                                       std::uint64_t seed) {
  at::set_num_threads(threads_);
  const std::size_t rows = dataset.table.rows(), n = dataset.table.cols();
  std::size_t rows_per_pass = rows;
  int passes = 1;
  if (!contender.one_pass || contender.max_samples > 0 || contender.ensemble > 0) {
    DiscoverOptions options = options_;
    options.max_samples = contender.max_samples;
    options.ensemble = contender.ensemble;
    const DiscoverPlan plan = plan_discover(rows, n, options);
    rows_per_pass = plan.rows_per_pass;
    passes = plan.passes;
  }
  warm_up(dataset, rows_per_pass);

  const MemoryWatch memory(device_);
  const Clock::time_point begin = Clock::now();
  const Dataset ordered = take_rows(dataset, canonical_row_order(dataset, threads_));
  const Matrix<double> prior = precision_prior(
      ordered.table.values,
      {.scale = prior_scale_, .rows = contender.prior_rows, .seed = seed, .method = PriorMethod::kAuto});
  const Clock::time_point after_prior = Clock::now();
  at::Tensor sum = at::zeros({static_cast<std::int64_t>(n), static_cast<std::int64_t>(n)}, at::kDouble);
  for (const auto& part : deal_rows(rows, passes, rows_per_pass, 0))
    sum += pass(take_rows(ordered, part), prior);
  sum /= static_cast<double>(passes);
  const Clock::time_point end = Clock::now();

  NetworkAnswer answer;
  const double* first = sum.data_ptr<double>();
  answer.probabilities = Matrix<double>(n, n, std::vector<double>(first, first + n * n));
  Measures& measures = answer.measures;
  measures = cost_measures(model_.config, static_cast<std::int64_t>(rows_per_pass),
                           static_cast<std::int64_t>(n), type_ == at::kFloat ? 4 : 2, kScoreBytes);
  measures["peak_bytes"] = static_cast<double>(memory.peak_bytes());
  measures["seconds"] = seconds_between(begin, end);
  measures["seconds_prior"] = seconds_between(begin, after_prior);
  measures["seconds_network"] = seconds_between(after_prior, end);
  measures["flops_per_second"] = passes * measures["flops"] / std::max(1e-9, measures["seconds_network"]);
  measures["rows"] = static_cast<double>(rows);
  measures["rows_per_pass"] = static_cast<double>(rows_per_pass);
  measures["passes"] = passes;
  return answer;
}

Measures cost_measures(const ModelConfig& config, std::int64_t rows, std::int64_t columns,
                       std::int64_t element_bytes, std::int64_t max_score_bytes) {
  ModelConfig unreduced = config;
  unreduced.pooling = Pooling::kNone;
  const double m = static_cast<double>(rows), n = static_cast<double>(columns);
  const double elements =
      (m + n) * n * config.embed_dim + std::max(m * n * config.ffn_dim, config.heads * m * m);
  double sample_axis = 0.0, node_axis = 0.0, left = 1.0;
  for (int block = 0; block < config.blocks; ++block) {
    sample_axis += left * left / config.blocks;
    node_axis += left / config.blocks;
    if (config.pools_after(block)) left /= config.reduction_r;
  }
  return {{"flops", forward_flops(config, rows, columns)},
          {"flops_unreduced", forward_flops(unreduced, rows, columns)},
          {"formula_bytes", elements * static_cast<double>(element_bytes)},
          {"planned_bytes",
           static_cast<double>(inference_bytes(config, rows, columns, element_bytes, max_score_bytes))},
          {"sample_axis_share", sample_axis},
          {"node_axis_share", node_axis}};
}

}  // namespace causcale
