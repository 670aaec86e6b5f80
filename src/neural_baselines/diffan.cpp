// DiffAN (Sanchez, Liu, O'Neil, Tsaftaris 2023): under additive noise a leaf is a variable whose second
// derivative of the log density does not vary over the rows. A diffusion network learns the score; leaves are
// taken off one by one, each with its share in the score of the others (the residue) deducted; tests of
// additive regressions then prune the order to a graph.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "baselines/edge_permissions.h"
#include "data/standardize.h"
#include "graph/convert.h"
#include "neural_baselines/additive_pruning.h"
#include "neural_baselines/score_network.h"
#include "neural_baselines/tensors.h"

namespace causcale {
namespace {

constexpr int kLevels = 100;  // of noise
constexpr int kVotes = 4;     // levels at which the leaf is looked for: 0, 33, 66, 99
constexpr double kDropout = 0.2;
constexpr int kCheckEvery = 10;
constexpr double kLeastCurvature = 1e-4;  // divisors closer to zero are moved away from it

// Variances of what is left of the data at every level, after a linear rise of the noise from 1e-4 to 0.02.
std::vector<double> kept_shares() {
  std::vector<double> kept(kLevels);
  double product = 1;
  for (int t = 0; t < kLevels; ++t) kept[t] = product *= 1 - (1e-4 + (0.02 - 1e-4) * t / (kLevels - 1));
  return kept;
}

double level_input(int t) {
  return static_cast<double>(t) / kLevels;
}

// Noisy rows with the noise that is in them.
struct NoisyRows {
  at::Tensor x, noise, level;
};

NoisyRows add_noise(const at::Tensor& rows, RandomStream& random, const std::vector<double>& kept) {
  const std::int64_t m = rows.size(0);
  const at::Tensor signal = at::empty({m, 1}, at::kFloat), spread = at::empty({m, 1}, at::kFloat),
                   level = at::empty({m, 1}, at::kFloat);
  for (std::int64_t r = 0; r < m; ++r) {
    const int t = static_cast<int>(random.below(kLevels));
    signal.data_ptr<float>()[r] = static_cast<float>(std::sqrt(kept[t]));
    spread.data_ptr<float>()[r] = static_cast<float>(std::sqrt(1 - kept[t]));
    level.data_ptr<float>()[r] = static_cast<float>(level_input(t));
  }
  const at::Tensor noise = normal_tensor(random, rows.sizes()).to(rows.device());
  return {signal.to(rows.device()) * rows + spread.to(rows.device()) * noise, noise, level.to(rows.device())};
}

at::Tensor dropout_factors(RandomStream& random, std::int64_t rows, std::int64_t width) {
  const at::Tensor uniform = uniform_tensor(random, {rows, width}, 0, 1);
  return (uniform >= kDropout).to(at::kFloat) / (1 - kDropout);
}

struct TrainingPlan {
  int epochs, patience;
  std::int64_t batch;
  double learning_rate;
};

// Returns the epochs that it took; the network has the weights of the best look at held-out rows.
int train_score(ScoreNetwork& network, const at::Tensor& data, const TrainingPlan& plan,
                const MethodOptions& options) {
  const std::vector<double> kept = kept_shares();
  RandomStream split_random(options.seed, 0, 0), held_out_random(options.seed, 0, 1);
  const RowSplit split = split_rows(split_random, data.size(0), 0.2);
  const at::Tensor training = data.index_select(0, split.training.to(data.device()));
  const NoisyRows held_out =
      add_noise(data.index_select(0, split.validation.to(data.device())), held_out_random, kept);
  Adam adam(network.leaves(), plan.learning_rate);

  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<at::Tensor> best;
  int best_epoch = 0, epoch = 0;
  for (; epoch < plan.epochs; ++epoch) {
    report_progress(options, "diffan, score", 0.8 * epoch / plan.epochs);
    for (std::int64_t begin = 0, part = 0; begin < training.size(0); begin += plan.batch, ++part) {
      const std::int64_t count = std::min(plan.batch, training.size(0) - begin);
      RandomStream random(options.seed, static_cast<std::uint32_t>(epoch), 2,
                          static_cast<std::uint32_t>(part));
      const NoisyRows rows = add_noise(training.narrow(0, begin, count), random, kept);
      const at::Tensor dropout = dropout_factors(random, count, network.narrow()).to(data.device());
      const at::Tensor error = network.forward(rows.x, rows.level, dropout) - rows.noise;
      adam.step(torch::autograd::grad({(error * error).mean()}, network.leaves()));
    }
    if (epoch % kCheckEvery != 0 && epoch + 1 != plan.epochs) continue;
    const c10::NoGradGuard no_grad;
    const at::Tensor error = network.forward(held_out.x, held_out.level, {}) - held_out.noise;
    if (const double loss = (error * error).mean().item<double>(); loss < best_loss) {
      best_loss = loss;
      best_epoch = epoch;
      best.clear();
      for (const at::Tensor& leaf : network.leaves()) best.push_back(leaf.detach().clone());
    } else if (epoch - best_epoch > plan.patience) {
      break;
    }
  }
  const c10::NoGradGuard no_grad;
  for (std::size_t k = 0; k < best.size(); ++k) at::Tensor(network.leaves()[k]).copy_(best[k]);
  return std::min(epoch + 1, plan.epochs);
}

// Diagonal of the derivative of the score without the leaves taken so far, at one noise level.
class RemainingScore {
 public:
  explicit RemainingScore(ScoreNetwork::Derivatives derivatives) : d_(std::move(derivatives)) {
    diagonal_ = d_.first.diagonal(0, 1, 2).clone();
  }
  // Deducts the leaf's share s_l J_lj / J_ll, derived by x_j, from every j.
  void remove(int leaf) {
    const at::Tensor curvature = d_.first.select(1, leaf).select(1, leaf);
    const at::Tensor sign = (curvature >= 0).to(at::kFloat) * 2 - 1;
    const at::Tensor own = (sign * curvature.abs().clamp_min(kLeastCurvature)).unsqueeze(1);  // [b, 1]
    const at::Tensor slope = d_.first.select(1, leaf), value = d_.value.select(1, leaf).unsqueeze(1);
    diagonal_ = diagonal_ - (slope * slope + value * d_.pure.select(1, leaf)) / own +
                value * slope * d_.mixed.select(1, leaf) / (own * own);
  }
  // Over the rows, of every variable.
  std::vector<double> variances() const {
    const at::Tensor centred = diagonal_.to(at::kCPU, at::kDouble);
    const at::Tensor variance = (centred - centred.mean(0)).pow(2).mean(0).contiguous();
    return {variance.data_ptr<double>(), variance.data_ptr<double>() + variance.numel()};
  }

 private:
  ScoreNetwork::Derivatives d_;
  at::Tensor diagonal_;  // [b, n]
};

// Knowledge keeps a variable from being the last one: something behind it is still there.
bool may_be_leaf(int node, const std::vector<bool>& taken, const Knowledge& knowledge) {
  for (const Edge& edge : knowledge.required)
    if (edge.source == node && !taken[edge.target]) return false;
  if (knowledge.tier_of.empty() || knowledge.tier_of[node] < 0) return true;
  for (std::size_t other = 0; other < taken.size(); ++other)
    if (!taken[other] && knowledge.tier_of[other] > knowledge.tier_of[node]) return false;
  return true;
}

std::vector<int> causal_order(const ScoreNetwork& network, const at::Tensor& rows, bool residue,
                              const MethodOptions& options) {
  const int n = static_cast<int>(rows.size(1));
  std::vector<RemainingScore> levels;
  for (int vote = 0; vote < kVotes; ++vote) {
    report_progress(options, "diffan, derivatives", 0.8 + 0.1 * vote / kVotes);
    levels.emplace_back(network.derivatives(rows, level_input((kLevels - 1) * vote / (kVotes - 1))));
  }
  std::vector<bool> taken(n, false);
  std::vector<int> order;  // leaves first
  while (static_cast<int>(order.size()) < n) {
    std::vector<int> votes(n, 0);
    int leaf = -1;
    for (const RemainingScore& level : levels) {
      const std::vector<double> variances = level.variances();
      int choice = -1;
      for (int v = 0; v < n; ++v)
        if (!taken[v] && may_be_leaf(v, taken, options.knowledge) &&
            (choice < 0 || variances[v] < variances[choice]))
          choice = v;
      if (choice < 0) continue;
      ++votes[choice];
      if (leaf < 0 || votes[choice] > votes[leaf]) leaf = choice;
    }
    if (leaf < 0)
      for (leaf = 0; taken[leaf];) ++leaf;
    taken[leaf] = true;
    order.push_back(leaf);
    if (residue)
      for (RemainingScore& level : levels) level.remove(leaf);
  }
  std::ranges::reverse(order);
  return order;
}

MethodResult run_diffan(const Dataset& dataset, const MethodOptions& options) {
  const int n = static_cast<int>(dataset.table.cols());
  const TrainingPlan plan{static_cast<int>(number_setting(options, "epochs", 3000, 1, 1e9)),
                          static_cast<int>(number_setting(options, "patience", 300, 1, 1e9)),
                          static_cast<std::int64_t>(number_setting(options, "batch", 1024, 1, 1e9)),
                          number_setting(options, "learning_rate", 1e-3, 0, 1)};
  const auto wide =
      static_cast<std::int64_t>(number_setting(options, "width", std::max(1024, 5 * n), 1, 1e6));
  const auto narrow = std::min<std::int64_t>(wide, std::max(128, 3 * n));
  const auto evaluated = static_cast<std::int64_t>(number_setting(options, "evaluation_rows", 256, 2, 1e9));
  const double alpha = number_setting(options, "alpha", 0.05, 1e-300, 1);
  const int basis = static_cast<int>(number_setting(options, "basis", 6, 1, 30));
  static const std::array<std::string, 2> yes_or_no = {"yes", "no"};
  const bool residue = text_setting(options, "residue", "yes", yes_or_no) == "yes";
  const at::Device device = method_device(options);
  at::set_num_threads(resolve_threads(options.threads));
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();

  const Matrix<double> values = standardize(dataset.table.values);
  const at::Tensor data = tensor_of(values, at::kFloat).to(device);
  RandomStream weights(options.seed, 0, 3);
  ScoreNetwork network(n, narrow, wide, weights, device);
  const int epochs = train_score(network, data, plan, options);
  const auto trained = Clock::now();

  RandomStream choice(options.seed, 0, 4);
  const at::Tensor shown =
      permutation_tensor(choice, data.size(0)).narrow(0, 0, std::min(evaluated, data.size(0)));
  const std::vector<int> order =
      causal_order(network, data.index_select(0, shown.to(device)), residue, options);
  const auto ordered = Clock::now();

  Matrix<std::uint8_t> allowed = EdgePermissions(n, options.knowledge).allowed;
  MethodResult result;
  report_progress(options, "diffan, pruning", 0.9);
  result.scores = additive_evidence(values, order, allowed, basis, options.threads, {});
  Matrix<double> chosen = result.scores;
  for (const Edge& edge : options.knowledge.required)
    chosen(edge.source, edge.target) = std::numeric_limits<double>::infinity();
  result.graph = MixedGraph(graph_above(chosen, -std::log10(alpha)));
  result.graph_class = GraphClass::kDag;
  std::string names;
  for (const int node : order) names += (names.empty() ? "" : ", ") + dataset.table.names[node];
  result.log.push_back(fmt::format("diffan: {} epochs on {}; order, causes first: {}", epochs,
                                   device.is_cuda() ? "CUDA" : "the CPU", names));
  const auto seconds = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  result.seconds = {{"score", seconds(start, trained)},
                    {"order", seconds(trained, ordered)},
                    {"pruning", seconds(ordered, Clock::now())}};
  return result;
}

}  // namespace

Method diffan_method() {
  return {
      "diffan",
      "leaves one by one from the curvature of a learnt log density, then pruning",
      "nonlinear, additive Gaussian noise, no hidden causes",
      "ignored",
      GraphClass::kDag,
      "O(epochs m n^2), pruning O(m n^3)",
      "Sanchez, Liu, O'Neil, Tsaftaris: Diffusion Models for Causal Discovery via Topological Ordering, 2023",
      {{"alpha", "0.05",
        "level of the tests that prune (0.05 as in the CauScale paper; the authors use 0.001)"},
       {"epochs", "3000", "most epochs of the score network"},
       {"patience", "300", "epochs without gain on held-out rows that end the training"},
       {"batch", "1024", "rows per step"},
       {"learning_rate", "0.001", "of Adam"},
       {"width", "max(1024, 5 n)", "units of the wide layers"},
       {"evaluation_rows", "256", "rows on which the curvature is compared"},
       {"basis", "6", "most spline functions per term of the pruning regressions"},
       device_setting()},
      run_diffan};
}

}  // namespace causcale
