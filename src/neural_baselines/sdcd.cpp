// Stable differentiable causal discovery (Nazaret, Hong, Azizi, Blei 2024). Stage 1 finds for every variable
// who helps to predict it, without asking for a DAG; stage 2 starts afresh on those pairs and raises the
// price of the spectral radius of the matrix of weight norms, which is zero exactly for DAGs.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "baselines/edge_permissions.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "neural_baselines/grouped_mlp.h"
#include "neural_baselines/tensors.h"

namespace causcale {
namespace {

constexpr int kPowerSteps = 15;
constexpr int kCheckEvery = 20;     // epochs between looks at the validation rows
constexpr double kFreezeAt = 0.01;  // the price stops rising when norms above this make a DAG
constexpr std::size_t kWorthThreads = std::size_t{1} << 20;
constexpr double kLog2Pi = 1.8378770664093453;

struct StageSettings {
  std::string name;
  int epochs;
  double learning_rate, l1, l2;
  double price_step;  // rise of the acyclicity price per epoch; 0: none is asked
  double threshold;   // norms above it are edges
  double progress_begin, progress_end;
};

struct Rows {
  at::Tensor values, weights;  // [m, n]; weight 0 where the variable was intervened on
  at::Tensor training, validation;
};

// Left and right leading eigenvectors of a non-negative matrix by power iteration, kept between steps as the
// matrix changes little.
class LeadingEigenvectors {
 public:
  explicit LeadingEigenvectors(const at::Tensor& matrix)
      : left_(at::ones({matrix.size(0)}, matrix.options())), right_(left_.clone()) {}

  // The derivative of the spectral radius by the entries.
  at::Tensor radius_gradient(const at::Tensor& matrix) {
    const at::Tensor positive = matrix + 1e-6;  // a nilpotent matrix has no leading direction
    for (int step = 0; step < kPowerSteps; ++step) {
      left_ = normalized(at::mv(positive.t(), left_));
      right_ = normalized(at::mv(positive, right_));
    }
    return at::ger(left_, right_) / (at::dot(left_, right_) + 1e-6);
  }

 private:
  static at::Tensor normalized(const at::Tensor& vector) { return vector / (at::norm(vector) + 1e-30); }
  at::Tensor left_, right_;
};

// Mean over rows of the negative log-likelihood, summed over variables.
at::Tensor likelihood_loss(const GroupedMlp& model, const at::Tensor& values, const at::Tensor& weights) {
  const GroupedMlp::Output output = model.forward(values);
  const at::Tensor deviation = values - output.mean;
  const at::Tensor terms = 0.5 * (output.variance.log() + deviation * deviation / output.variance + kLog2Pi);
  return (terms * weights).sum() / values.size(0);
}

bool is_dag_above(const Matrix<double>& norms, double threshold) {
  return is_acyclic(graph_above(norms, threshold));
}

// Trains in place; returns the epochs that it took.
int train_stage(GroupedMlp& model, const Rows& rows, const StageSettings& stage, const MethodOptions& options,
                int batch_size, int patience, std::uint32_t purpose) {
  Adam adam(model.leaves(), stage.learning_rate);
  LeadingEigenvectors eigenvectors(model.dense(model.pair_norms().detach()));
  const at::Device device = rows.values.device();
  const at::Tensor validation_values = rows.values.index_select(0, rows.validation);
  const at::Tensor validation_weights = rows.weights.index_select(0, rows.validation);
  const std::int64_t count = rows.training.size(0);
  const bool wants_dag = stage.price_step > 0;

  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<at::Tensor> best;
  int waited = 0;
  bool frozen = false;
  double price = 0;
  for (int epoch = 0; epoch < stage.epochs; ++epoch) {
    report_progress(
        options, stage.name,
        stage.progress_begin + (stage.progress_end - stage.progress_begin) * epoch / stage.epochs);
    if (!frozen && epoch > 0) price += stage.price_step;
    RandomStream random(options.seed, static_cast<std::uint32_t>(epoch), purpose);
    const at::Tensor order = rows.training.index_select(0, permutation_tensor(random, count).to(device));
    for (std::int64_t begin = 0; begin < count; begin += batch_size) {
      const at::Tensor batch = order.narrow(0, begin, std::min<std::int64_t>(batch_size, count - begin));
      at::Tensor loss =
          likelihood_loss(model, rows.values.index_select(0, batch), rows.weights.index_select(0, batch));
      loss = loss + stage.l1 * model.first_weights().abs().sum();
      for (const at::Tensor& leaf : model.leaves()) loss = loss + stage.l2 * (leaf * leaf).sum();
      if (wants_dag) {
        const at::Tensor norms = model.pair_norms();
        at::Tensor gradient;
        {
          const c10::NoGradGuard no_grad;
          gradient = model.per_pair(eigenvectors.radius_gradient(model.dense(norms.detach())));
        }
        loss = loss + price * (gradient * norms).sum();
      }
      adam.step(torch::autograd::grad({loss}, model.leaves()));
    }

    if (epoch % kCheckEvery != 0) continue;
    const c10::NoGradGuard no_grad;
    if (wants_dag && epoch > 0) {
      const Matrix<double> norms = matrix_of(model.dense(model.pair_norms()));
      if (!frozen) {
        frozen = is_dag_above(norms, kFreezeAt);
      } else if (!is_dag_above(norms, stage.threshold)) {
        frozen = false;
        waited = 0;
      }
    }
    if (wants_dag && !frozen) continue;
    const double validation = likelihood_loss(model, validation_values, validation_weights).item<double>();
    if (validation < best_loss) {
      best_loss = validation;
      best = model.snapshot();
      waited = 0;
    } else if (++waited >= patience) {
      model.restore(best);
      return epoch + 1;
    }
  }
  return stage.epochs;
}

Rows prepare_rows(const Dataset& dataset, const MethodOptions& options, bool standardized,
                  at::Device device) {
  const auto m = static_cast<std::int64_t>(dataset.table.rows());
  Rows rows;
  rows.values = method_data(dataset.table, standardized, at::kFloat).to(device);
  at::Tensor weights = at::ones_like(rows.values, at::TensorOptions(at::kCPU));
  const Interventions& interventions = dataset.interventions;
  if (!interventions.regime_of_row.empty()) {
    float* out = weights.data_ptr<float>();
    for (std::int64_t r = 0; r < m; ++r)
      for (const int target : interventions.regimes[interventions.regime_of_row[r]])
        out[r * weights.size(1) + target] = 0.0f;
  }
  rows.weights = weights.to(device);
  RandomStream random(options.seed, 0, 0);
  const RowSplit split = split_rows(random, m, 0.2);
  rows.training = split.training.to(device);
  rows.validation = split.validation.to(device);
  return rows;
}

MethodResult run_sdcd(const Dataset& dataset, const MethodOptions& options) {
  const int batch_size = static_cast<int>(number_setting(options, "batch", 256, 1, 1e9));
  const int hidden = static_cast<int>(number_setting(options, "hidden", 10, 1, 1000));
  const int patience = static_cast<int>(number_setting(options, "patience", 10, 1, 1e9));
  const int epochs = static_cast<int>(number_setting(options, "epochs", 2000, 1, 1e9));
  const double candidate = number_setting(options, "candidate_threshold", 0.2, 0, 1e9);
  const double threshold = number_setting(options, "threshold", 0.1, 0, 1e9);
  const StageSettings first{"sdcd, stage 1",
                            epochs,
                            number_setting(options, "learning_rate1", 2e-3, 0, 1),
                            number_setting(options, "l1_1", 1e-2, 0, 1e9),
                            number_setting(options, "l2_1", 2e-4, 0, 1e9),
                            0.0,
                            candidate,
                            0.0,
                            0.5};
  const StageSettings second{"sdcd, stage 2",
                             epochs,
                             number_setting(options, "learning_rate2", 1e-3, 0, 1),
                             number_setting(options, "l1_2", 5e-4, 0, 1e9),
                             number_setting(options, "l2_2", 5e-3, 0, 1e9),
                             number_setting(options, "price_step", 0.005, 1e-12, 1e9),
                             threshold,
                             0.5,
                             1.0};
  const at::Device device = method_device(options);
  // Steps on small tensors are over before a second thread has woken up.
  const std::size_t step_size = dataset.table.cols() * static_cast<std::size_t>(batch_size * hidden);
  at::set_num_threads(step_size < kWorthThreads ? 1 : resolve_threads(options.threads));
  const auto start = std::chrono::steady_clock::now();

  const int n = static_cast<int>(dataset.table.cols());
  Matrix<std::uint8_t> allowed = EdgePermissions(n, options.knowledge).allowed;
  const std::vector<std::uint8_t> varying = varying_columns(dataset.table);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (!varying[i] || !varying[j]) allowed(i, j) = 0;
  const Rows rows = prepare_rows(dataset, options, standardize_setting(options, true), device);

  RandomStream first_weights(options.seed, 0, 1);
  GroupedMlp screening(allowed, hidden, first_weights, device);
  const int epochs1 = train_stage(screening, rows, first, options, batch_size, patience, 2);
  const Matrix<double> screened = matrix_of(screening.dense(screening.pair_norms()));
  Matrix<std::uint8_t> candidates(n, n, 0);
  std::size_t candidate_count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) candidates(i, j) = allowed(i, j) && screened(i, j) > candidate;
  for (const Edge& edge : options.knowledge.required)
    candidates(edge.source, edge.target) = allowed(edge.source, edge.target);
  for (const std::uint8_t is_candidate : candidates.values()) candidate_count += is_candidate;
  const auto between = std::chrono::steady_clock::now();

  RandomStream second_weights(options.seed, 0, 3);
  GroupedMlp model(candidates, hidden, second_weights, device);
  const int epochs2 = train_stage(model, rows, second, options, batch_size, patience, 4);

  MethodResult result;
  result.scores = matrix_of(model.dense(model.pair_norms()));
  result.graph = MixedGraph(acyclic_above(result.scores, threshold, options.knowledge));
  result.graph_class = GraphClass::kDag;
  result.log.push_back(fmt::format("sdcd: {} candidate pairs after {} epochs, then {} epochs on {}",
                                   candidate_count, epochs1, epochs2, device.is_cuda() ? "CUDA" : "the CPU"));
  const auto end = std::chrono::steady_clock::now();
  result.seconds = {{"stage 1", std::chrono::duration<double>(between - start).count()},
                    {"stage 2", std::chrono::duration<double>(end - between).count()}};
  return result;
}

}  // namespace

Method sdcd_method() {
  return {"sdcd",
          "a network per variable; screening, then a spectral penalty on cycles",
          "no hidden causes, additive Gaussian-like noise, known perfect interventions",
          "used",
          GraphClass::kDag,
          "O(epochs m n^2), iterative",
          "Nazaret, Hong, Azizi, Blei: Stable Differentiable Causal Discovery, 2024",
          {{"epochs", "2000", "most epochs of either stage"},
           {"patience", "10", "checks (every 20 epochs) without gain on held-out rows that end a stage"},
           {"batch", "256", "rows per step"},
           {"hidden", "10", "hidden units per variable"},
           {"candidate_threshold", "0.2", "weight norm above which a pair enters stage 2"},
           {"threshold", "0.1", "weight norm above which there is an edge"},
           {"learning_rate1", "0.002", "of stage 1"},
           {"learning_rate2", "0.001", "of stage 2"},
           {"l1_1", "0.01", "penalty on absolute input weights in stage 1"},
           {"l2_1", "0.0002", "penalty on squared weights in stage 1"},
           {"l1_2", "0.0005", "as l1_1, in stage 2"},
           {"l2_2", "0.005", "as l2_1, in stage 2"},
           {"price_step", "0.005", "rise per epoch of the price of cycles, until there are none"},
           {"standardize", "yes", "yes: bring columns to unit variance; no: only centre them"},
           device_setting()},
          run_sdcd};
}

}  // namespace causcale
