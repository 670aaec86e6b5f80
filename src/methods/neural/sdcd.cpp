// Stable differentiable causal discovery (Nazaret, Hong, Azizi, Blei 2024). Stage 1 finds for every variable
// who helps to predict it, without asking for a DAG; stage 2 starts afresh on those pairs and raises the
// price of the spectral radius of the matrix of weight norms, which is zero exactly for DAGs.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "base/shuffle.h"
#include "core/train_library.h"
#include "graph/convert.h"
#include "graph/cycles.h"
#include "graph/order.h"
#include "methods/method.h"
#include "methods/neural/sdcd_model.h"
#include "methods/neural/settings.h"

namespace causcale {
namespace {

constexpr int kCheckEvery = 20;     // epochs between looks at the validation rows
constexpr double kFreezeAt = 0.01;  // the price stops rising when norms above this make a DAG

struct StageSettings {
  std::string name;
  int epochs;
  double learning_rate, l1, l2;
  double price_step;  // rise of the acyclicity price per epoch; 0: none is asked
  double threshold;   // norms above it are edges
  double progress_begin, progress_end;
};

bool is_dag_above(const Matrix<double>& norms, double threshold) {
  return is_acyclic(graph_above(norms, threshold));
}

// Trains in place; returns the epochs that it took.
int train_stage(SdcdModel& model, const SdcdRows& rows, const StageSettings& stage,
                const MethodOptions& options, int patience, std::uint32_t purpose) {
  const bool wants_dag = stage.price_step > 0;
  double best_loss = std::numeric_limits<double>::infinity();
  int waited = 0;
  bool frozen = false;
  SdcdPrices prices{stage.learning_rate, stage.l1, stage.l2, 0.0};
  for (int epoch = 0; epoch < stage.epochs; ++epoch) {
    report_progress(
        options, stage.name,
        stage.progress_begin + (stage.progress_end - stage.progress_begin) * epoch / stage.epochs);
    if (!frozen && epoch > 0) prices.cycles += stage.price_step;
    RandomStream random(options.seed, static_cast<std::uint32_t>(epoch), purpose);
    std::vector<int> order = rows.training;
    shuffle(order, random);
    model.epoch(order, prices);

    if (epoch % kCheckEvery != 0) continue;
    if (wants_dag && epoch > 0) {
      const Matrix<double> norms = model.norms();
      if (!frozen) {
        frozen = is_dag_above(norms, kFreezeAt);
      } else if (!is_dag_above(norms, stage.threshold)) {
        frozen = false;
        waited = 0;
      }
    }
    if (wants_dag && !frozen) continue;
    const double validation = model.validation_loss();
    if (validation < best_loss) {
      best_loss = validation;
      model.remember();
      waited = 0;
    } else if (++waited >= patience) {
      model.bring_back();
      return epoch + 1;
    }
  }
  return stage.epochs;
}

SdcdRows prepare_rows(const Dataset& dataset, const MethodOptions& options, bool standardized) {
  const std::size_t m = dataset.table.rows(), n = dataset.table.cols();
  SdcdRows rows;
  const Matrix<double> values = centred_values(dataset.table, standardized);
  rows.values = Matrix<float>(m, n);
  for (std::size_t k = 0; k < m * n; ++k) rows.values.values()[k] = static_cast<float>(values.values()[k]);
  rows.weights = Matrix<float>(m, n, 1.0f);
  const Interventions& interventions = dataset.interventions;
  if (!interventions.regime_of_row.empty())
    for (std::size_t r = 0; r < m; ++r)
      for (const int target : interventions.regimes[interventions.regime_of_row[r]])
        rows.weights(r, target) = 0.0f;
  RandomStream random(options.seed, 0, Purpose::kSdcdSplit);
  RowSplit split = split_rows(random, m, 0.2);
  rows.training = std::move(split.training);
  rows.validation = std::move(split.validation);
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
  const bool on_gpu = device_choice(options) == Device::kCuda;
  const auto start = std::chrono::steady_clock::now();

  const int n = static_cast<int>(dataset.table.cols());
  const Matrix<std::uint8_t> allowed = possible_pairs(dataset.table, options.knowledge);
  const SdcdRows rows = prepare_rows(dataset, options, standardize_setting(options, true));
  const auto model_on = [&](const Matrix<std::uint8_t>& pairs, std::uint32_t purpose) {
    const RandomStream random(options.seed, 0, purpose);
    return on_gpu ? train_library("sdcd on CUDA").sdcd_model_on_cuda(rows, pairs, hidden, batch_size, random)
                  : sdcd_cpu_model(rows, pairs, hidden, batch_size, options.threads, random);
  };

  std::unique_ptr<SdcdModel> screening = model_on(allowed, 1);
  const int epochs1 = train_stage(*screening, rows, first, options, patience, 2);
  const Matrix<double> screened = screening->norms();
  screening.reset();
  Matrix<std::uint8_t> candidates(n, n, 0);
  std::size_t candidate_count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) candidates(i, j) = allowed(i, j) && screened(i, j) > candidate;
  for (const Edge& edge : options.knowledge.required)
    candidates(edge.source, edge.target) = allowed(edge.source, edge.target);
  for (const std::uint8_t is_candidate : candidates.values()) candidate_count += is_candidate;
  const auto between = std::chrono::steady_clock::now();

  const std::unique_ptr<SdcdModel> model = model_on(candidates, 3);
  const int epochs2 = train_stage(*model, rows, second, options, patience, 4);

  MethodResult result;
  result.scores = model->norms();
  result.graph = MixedGraph(acyclic_above(result.scores, threshold, options.knowledge));
  result.graph_class = GraphClass::kDag;
  result.log.push_back(fmt::format("sdcd: {} candidate pairs after {} epochs, then {} epochs on {}",
                                   candidate_count, epochs1, epochs2, on_gpu ? "CUDA" : "the CPU"));
  const auto end = std::chrono::steady_clock::now();
  result.seconds = {{"stage 1", std::chrono::duration<double>(between - start).count()},
                    {"stage 2", std::chrono::duration<double>(end - between).count()}};
  return result;
}

}  // namespace

Method sdcd_method() {
  return {"sdcd",
          "one network per variable; screening, then a spectral penalty on cycles",
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
          run_sdcd,
          /*trains_networks=*/true};
}

}  // namespace causcale
