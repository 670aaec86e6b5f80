#include "core/cuda_library.h"

#include <fmt/format.h>
#include <unistd.h>

#include "causcale/error.h"
#include "causcale/version.h"
#include "core/opened_library.h"
#include "core/train_library.h"

namespace causcale {
namespace {

constexpr const char* kFile = "libcauscale_cuda.so.0";
constexpr const char* kEntry = "causcale_cuda_library";

// Whether opening large libraries to ask for a GPU is worth it.
bool may_have_gpu() {
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0 ||
         access("/dev/dxg", F_OK) == 0;
}

// Null where it cannot be opened, with the reason.
const CudaLibrary* openable(std::string& problem) {
  try {
    const CudaLibrary* library = find_cuda_library();
    if (!library)
      problem = is_self_contained()
                    ? fmt::format(
                          "this self-contained program does without {}: build with -DCAUSCALE_CUDA=ON, "
                          "which also makes the package causcale-cuda",
                          kFile)
                    : fmt::format("{} is not installed: build with -DCAUSCALE_CUDA=ON", kFile);
    return library;
  } catch (const Error& error) {
    problem = error.what();
    return nullptr;
  }
}

// The training library knows more kinds of network, and computes on a GPU where it was built for one.
bool trainer_has_gpu(std::string& problem) {
  try {
    const TrainLibrary* trainer = find_train_library();
    if (!trainer) return false;
    const TrainLibrary::Devices devices = trainer->devices();
    if (devices.gpu.empty()) problem = devices.why_no_gpu;
    return !devices.gpu.empty();
  } catch (const Error& error) {  // it is there and cannot be opened
    problem = error.what();
    return false;
  }
}

}  // namespace

const CudaLibrary* find_cuda_library() {
  static const CudaLibrary* const library = find_library<CudaLibrary>(kFile, kEntry, CAUSCALE_VERSION);
  return library;
}

ChosenDevice choose_device(Device wanted, const ModelConfig& config) {
  if (wanted == Device::kCpu || (wanted == Device::kAuto && !may_have_gpu())) return {};
  std::string problem;
  if (const CudaLibrary* library = openable(problem)) {
    CudaDevice gpu = library->device();
    if (gpu.why_not.empty() && library->computes(config)) return {Device::kCuda, library, std::move(gpu)};
    problem = gpu.why_not.empty()
                  ? "the network for GPUs does not compute models of this kind, which takes "
                    "libcauscale_train: install the package causcale-train, or build with libtorch"
                  : gpu.why_not;
    if (!gpu.why_not.empty() && !gpu.name.empty()) {  // too old
      if (wanted == Device::kAuto) return {};
      throw UsageError(fmt::format("--device cuda: {}; accepted: auto, cpu", problem));
    }
  }
  std::string why_not;
  if (trainer_has_gpu(why_not)) return {Device::kCuda, nullptr, {}};
  if (wanted == Device::kAuto) return {};
  throw UsageError(
      fmt::format("--device cuda: {}; accepted: auto, cpu", problem.empty() ? why_not : problem));
}

Device choose_tensor_device(Device wanted) {
  if (wanted == Device::kCpu || (wanted == Device::kAuto && !may_have_gpu())) return Device::kCpu;
  std::string why_not = "libcauscale_train is not installed";
  if (trainer_has_gpu(why_not)) return Device::kCuda;
  if (wanted == Device::kAuto) return Device::kCpu;
  throw UsageError(fmt::format("--device cuda: {}; accepted: auto, cpu", why_not));
}

}  // namespace causcale
