#include "core/cuda/network_cuda.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"
#include "core/cuda/check.h"
#include "core/cuda/device.h"
#include "core/cuda/embedding_kernels.h"
#include "core/cuda/pass.h"
#include "core/cuda/precision.h"

namespace causcale::core {
namespace {

using cuda::PassPlan;
using cuda::PassShape;
using cuda::Storage;

// Smaller priors take a processor a few milliseconds; where a GPU begins to win has not been measured.
constexpr std::size_t kGpuPriorFrom = 200;  // variables

// Tokens are counted in 32 bits by the kernels.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 28;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, cuda::kDevice), "cudaDeviceGetAttribute");
  return value;
}

// The device of this thread, and the configuration that its kernels can compute.
const ModelConfig& checked(const ModelConfig& config, Storage storage) {
  if (!runs_on_cuda(config))
    throw InputError(
        "the network for GPUs has width 128, 16 heads and a feed-forward layer of 128, 256, ... 1024, "
        "tied attention and the pairwise head: use --device cpu");
  cuda::check(cudaSetDevice(cuda::kDevice), "cudaSetDevice");
  if (storage == Storage::kBf16 && attribute(cudaDevAttrComputeCapabilityMajor) != 9)
    throw UsageError("--precision bf16 on a GPU needs compute capability 9.0; accepted: auto, fp32");
  return config;
}

void copy_in(const std::vector<float>& from, float* to, cudaStream_t stream) {
  if (!from.empty())
    cuda::check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice, stream),
                "copying a table to the GPU");
}

std::vector<float> copied_out(const float* from, std::int64_t count, cudaStream_t stream) {
  std::vector<float> to(static_cast<std::size_t>(count));
  if (count > 0)
    cuda::check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(float), cudaMemcpyDeviceToHost, stream),
                "copying probabilities from the GPU");
  return to;
}

Matrix<double> matrix(const std::vector<float>& values, std::int64_t number, std::int64_t n) {
  const float* first = values.data() + number * n * n;
  const auto size = static_cast<std::size_t>(n);
  return Matrix<double>(size, size, std::vector<double>(first, first + n * n));
}

}  // namespace

bool runs_on_cuda(const ModelConfig& config) {
  const auto suits = [](int width) { return width % 128 == 0 && width <= 1024; };
  return config.architecture == Architecture::kCauScale && config.attention == AttentionKind::kTied &&
         config.head == HeadKind::kPairwise && config.embed_dim == cuda::kChannels &&
         config.heads == cuda::kHeads && suits(config.ffn_dim) &&
         config.channels.data_width() <= cuda::kMostInputs &&
         1 + config.channels.pair_width() <= cuda::kMostInputs &&
         3 + config.outputs.size() <= cuda::kMostPairLogits && config.reference_columns == 0;
}

CudaNetwork::CudaNetwork(const ModelConfig& config, const StoredWeights& weights, Storage storage)
    : config_(checked(config, storage)),
      storage_(storage),
      major_(attribute(cudaDevAttrComputeCapabilityMajor)),
      minor_(attribute(cudaDevAttrComputeCapabilityMinor)),
      weights_(config, weights, storage) {}

CudaNetwork::~CudaNetwork() = default;

PassPlan CudaNetwork::plan(const PassShape& shape, std::int64_t max_bytes) const {
  return cuda::plan_pass(config_, shape, storage_, cuda::Queue::workspace_bytes(major_), max_bytes);
}

// The block of memory stays for the next pass, unless a limit says otherwise. Recordings know its address.
void CudaNetwork::make_room(std::int64_t bytes, bool limited) const {
  if (memory_.bytes() >= bytes && !(limited && memory_.bytes() > bytes)) return;
  recordings_.clear();
  memory_ = {};
  memory_ = cuda::DeviceBlock(bytes);
}

std::vector<PairProbabilities> CudaNetwork::pair_probabilities(const NetworkInput& input,
                                                               const PassOptions& options) const {
  const PassShape shape{input.tables, input.views, input.rows, input.columns};
  const std::int64_t batch = shape.batch(), n = shape.n;
  if (batch * n * std::max(shape.m, n) > kMostTokens)
    throw InputError(
        fmt::format("{} tables or views of {} rows and {} columns are too many cells for one pass on a "
                    "GPU: use --max-samples or --device cpu",
                    batch, shape.m, n));
  const std::lock_guard turn(turn_);
  cuda::check(cudaSetDevice(cuda::kDevice), "cudaSetDevice");
  // A limit is that of one table in one view.
  const bool limited = options.max_bytes > 0;
  const std::int64_t limit =
      limited ? batch * plan({1, 1, shape.m, n}, options.max_bytes).bytes : std::int64_t{0};
  const PassPlan plan = this->plan(shape, limit);
  make_room(plan.bytes, limited);
  peak_ = std::max(peak_, plan.bytes);
  cuda::DeviceArena arena(memory_.data());
  const cuda::Workspace work(config_, shape, plan, storage_, cuda::Queue::workspace_bytes(major_), arena);
  main_.use_workspace(work.main_blas, work.blas_bytes);
  beside_.use_workspace(work.side_blas, work.blas_bytes);

  if (options.progress) options.progress(0.0);
  copy_in(input.data, work.data_input, main_.stream());
  copy_in(input.prior, work.prior_input, main_.stream());
  copy_in(input.pairs, work.pairs_input, main_.stream());
  copy_in(input.signs, work.signs_input, main_.stream());
  const bool mirrored = !input.signs.empty();
  const auto hand_out = [&](const std::function<void(int)>& block_done) {
    cuda::Pass(config_, weights_, storage_, shape, plan, work, main_, beside_, marks_)
        .run(options.symmetrised, mirrored, block_done);
  };
  if (cuda::is_small(shape) && !limited) {
    recordings_.run({shape, options.symmetrised, mirrored}, main_, [&] { hand_out({}); });
  } else if (options.progress) {
    hand_out([&](int block) {
      main_.wait();
      options.progress((block + 1.0) / (config_.blocks + 1.0));
    });
  } else {
    hand_out({});
  }

  const std::vector<float> edges = copied_out(work.edges, batch * n * n, main_.stream());
  const auto outputs = static_cast<std::int64_t>(config_.outputs.size());
  const std::vector<float> others = copied_out(work.outputs, outputs * batch * n * n, main_.stream());
  main_.wait();
  std::vector<PairProbabilities> results;
  for (std::int64_t k = 0; k < batch; ++k) {
    results.push_back({matrix(edges, k, n), {}, {}});
    for (std::int64_t o = 0; o < outputs; ++o)
      results.back().of(config_.outputs[static_cast<std::size_t>(o)]) = matrix(others, o * batch + k, n);
    add_feedback(results.back());
  }
  return results;
}

Network::Memory CudaNetwork::memory(std::int64_t rows, std::int64_t columns, int,
                                    std::int64_t max_bytes) const {
  const PassShape shape{1, 1, rows, columns};
  return {plan(shape, max_bytes).bytes, plan(shape, 1).bytes};
}

// An H200 does 229 to 442 TFLOP/s of a network in bf16. In fp32 a GPU needs three tf32 products for one and
// moves twice the bytes; a sixth of the rate is a cautious guess, and so is what others make of theirs.
double CudaNetwork::expected_flops(int) const {
  if (storage_ == Storage::kBf16) return 2.3e14;
  constexpr double kRate = 4e13, kClocks = 132 * 1.98e9;  // of an H200
  const double clocks = 1e3 * attribute(cudaDevAttrClockRate) * attribute(cudaDevAttrMultiProcessorCount);
  return kRate * clocks / kClocks * (major_ == 9 ? 1.0 : 0.5);
}

std::string CudaNetwork::kernels() const {
  return fmt::format("sm_{}{}", major_, minor_);
}

bool CudaNetwork::makes_priors(std::size_t columns) const {
  return columns >= kGpuPriorFrom && cuda::finds_solver();
}

Matrix<float> CudaNetwork::precision_of_centred(const Matrix<double>& centred) const {
  const std::lock_guard turn(turn_);
  cuda::check(cudaSetDevice(cuda::kDevice), "cudaSetDevice");
  const std::int64_t bytes = cuda::precision_bytes(static_cast<std::int64_t>(centred.rows()),
                                                   static_cast<std::int64_t>(centred.cols()));
  peak_ = std::max(peak_, bytes);
  return cuda::precision_of_centred(centred, main_);
}

void CudaNetwork::reset_peak() const {
  const std::lock_guard turn(turn_);
  peak_ = 0;
}

std::int64_t CudaNetwork::peak_bytes() const {
  const std::lock_guard turn(turn_);
  return peak_;
}

std::size_t CudaNetwork::recordings() const {
  const std::lock_guard turn(turn_);
  return recordings_.count();
}

}  // namespace causcale::core
