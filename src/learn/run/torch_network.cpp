#include "learn/run/torch_network.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/cost.h"
#include "learn/data/pair_matrices.h"
#include "learn/networks/batched_prior.h"
#include "learn/networks/causcale.h"
#include "learn/networks/checkpoint.h"
#include "learn/networks/prepared_model.h"
#include "learn/networks/sea.h"
#include "learn/networks/training_device.h"

namespace causcale {
namespace {

// Smaller priors take a processor a few milliseconds; where a GPU begins to win has not been measured.
constexpr std::size_t kGpuPriorFrom = 200;  // variables
constexpr std::int64_t kUsualScoreBytes = std::int64_t{256} << 20;

class TorchNetwork : public core::Network {
 public:
  TorchNetwork(const std::filesystem::path& file, at::Device device, at::ScalarType type)
      : model_(load_model(file)), device_(device), type_(type) {
    model_.params.visit([&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(device, type); });
    prepared_ = std::make_unique<PreparedModel>(model_.params, model_.config);
  }

  std::vector<core::PairProbabilities> pair_probabilities(const core::NetworkInput& input,
                                                          const core::PassOptions& options) const override {
    const std::int64_t B = input.tables, m = input.rows, n = input.columns, V = input.views;
    if (options.progress) options.progress(0.0);
    const InputChannels& channels = model_.config.channels;
    const at::Tensor data = here(input.data, {B, m, n, channels.data_width()});
    const at::Tensor prior = here(input.prior, {B, n, n});
    ModelInput prepared = mirrored(data, prior, input);
    if (model_.config.architecture == Architecture::kSea)  // the same sets of every view of a table
      add_estimates(prepared, model_.config.subsets, model_.config.subsets.count, 0,
                    std::vector<std::uint32_t>(static_cast<std::size_t>(V * B), 0), options.threads);
    const at::Tensor probabilities =
        prepared_->pair_probabilities(prepared, options.symmetrised, execution(m, n, options))
            .to(at::kCPU, at::kDouble);
    std::vector<core::PairProbabilities> results;
    for (std::int64_t k = 0; k < V * B; ++k)
      results.push_back(as_matrices(probabilities[k], model_.config.outputs));
    return results;
  }

  Memory memory(std::int64_t rows, std::int64_t columns, int, std::int64_t max_bytes) const override {
    const std::int64_t least_scores = smallest_score_bytes(model_.config, rows, columns);
    const std::int64_t least = bytes(rows, columns, least_scores);
    if (max_bytes == 0) return {bytes(rows, columns, kUsualScoreBytes), least};
    return {bytes(rows, columns, score_bytes(rows, columns, max_bytes)), least};
  }
  std::int64_t weight_bytes() const override {
    return count_parameters(model_.params) * static_cast<std::int64_t>(at::elementSize(type_));
  }

  // Measured: an H200 in bf16 229 to 442 TFLOP/s. In fp32 a GPU needs three tf32 products for one and moves
  // twice the bytes; a sixth of the rate is a cautious guess. A processor's core: what libtorch's products
  // reach.
  double expected_flops(int threads) const override {
    if (!device_.is_cuda()) return 5e10 * threads;
    return type_ == at::kFloat ? 4e13 : 2.3e14;
  }
  std::string kernels() const override { return device_.is_cuda() ? "cuda" : "libtorch"; }
  bool prefers_batches() const override { return device_.is_cuda(); }

  // Everything of order n^3 on the device, one table at a time because double precision takes memory.
  bool makes_priors(std::size_t columns) const override {
    return device_.is_cuda() && columns >= kGpuPriorFrom;
  }
  Matrix<float> precision_of_centred(const Matrix<double>& centred) const override {
    const auto m = static_cast<std::int64_t>(centred.rows()), n = static_cast<std::int64_t>(centred.cols());
    const at::Tensor values = at::from_blob(const_cast<double*>(centred.data()), {1, m, n}, at::kDouble);
    const at::Tensor count =
        at::full({1, 1, 1}, static_cast<double>(m), at::TensorOptions(device_).dtype(at::kDouble));
    const at::Tensor result = causcale::precision_of_centred(values.to(device_).transpose(1, 2), count)[0]
                                  .to(at::kCPU, at::kFloat)
                                  .contiguous();
    const float* first = result.data_ptr<float>();
    return Matrix<float>(centred.cols(), centred.cols(), std::vector<float>(first, first + n * n));
  }

  void reset_peak() const override {
    if (!device_.is_cuda()) return;
    synchronise(device_);
    reset_peak_memory(device_);
    before_ = peak_memory(device_);  // right after a reset: what is in use now
  }
  std::int64_t peak_bytes() const override { return device_.is_cuda() ? peak_memory(device_) - before_ : 0; }

 private:
  at::Tensor here(const std::vector<float>& values, at::IntArrayRef shape) const {
    return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat)
        .to(device_, type_, false, true);
  }

  // All tables of the first view, then all of the next.
  ModelInput mirrored(const at::Tensor& data, const at::Tensor& prior,
                      const core::NetworkInput& input) const {
    const std::int64_t B = input.tables, n = input.columns, P = model_.config.channels.pair_width();
    const at::Tensor pairs = P > 0 ? here(input.pairs, {B, n, n, P}) : at::Tensor();
    if (input.signs.empty()) return {data, prior, {}, {}, pairs};
    const at::Tensor signs = here(input.signs, {input.views, B, n});
    std::vector<at::Tensor> factors(static_cast<std::size_t>(data.size(3)), at::ones_like(signs));
    factors[0] = signs;  // flags and channels have no mirror image
    return {(data * at::stack(factors, 3).unsqueeze(2)).flatten(0, 1),  // [V, B, 1, n, 2 + channels]
            (prior * signs.unsqueeze(2) * signs.unsqueeze(3)).flatten(0, 1),
            {},
            {},
            P > 0 ? pairs.repeat({input.views, 1, 1, 1}) : pairs};
  }

  ExecutionOptions execution(std::int64_t m, std::int64_t n, const core::PassOptions& options) const {
    ExecutionOptions chosen;
    chosen.max_score_bytes = options.max_bytes == 0 ? kUsualScoreBytes : score_bytes(m, n, options.max_bytes);
    // Recordings keep their memory beside the eager pass's, which a limit would not allow for.
    chosen.pack_once = chosen.replay = chosen.overlap = device_.is_cuda() && options.max_bytes == 0;
    return chosen;
  }
  std::int64_t bytes(std::int64_t m, std::int64_t n, std::int64_t score_bytes) const {
    return inference_bytes(model_.config, m, n, static_cast<std::int64_t>(at::elementSize(type_)),
                           score_bytes);
  }
  // What is left for scores within the limit.
  std::int64_t score_bytes(std::int64_t m, std::int64_t n, std::int64_t max_bytes) const {
    const std::int64_t least_scores = smallest_score_bytes(model_.config, m, n);
    return least_scores + std::max<std::int64_t>(0, max_bytes - bytes(m, n, least_scores));
  }

  Model model_;
  at::Device device_;
  at::ScalarType type_;
  std::unique_ptr<PreparedModel> prepared_;
  mutable std::int64_t before_ = 0;
};

}  // namespace

std::shared_ptr<const core::Network> torch_network(const std::filesystem::path& file, Device device,
                                                   Precision precision) {
  return std::make_shared<TorchNetwork>(
      file, device == Device::kCuda ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU),
      precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat);
}

}  // namespace causcale
