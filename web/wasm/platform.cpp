// What the library asks of an operating system and a WebAssembly module does not have: other processes,
// libraries opened at run time, figures of the memory.
#include <fmt/format.h>

#include "base/helper_process.h"
#include "base/peak_memory.h"
#include "causcale/error.h"
#include "causcale/samples.h"
#include "core/cuda_library.h"
#include "core/train_library.h"
#include "methods/method.h"

namespace causcale {

// As much as a module can address; 4 GiB themselves are not a number of 32 bits.
std::int64_t physical_memory() {
  return (std::int64_t{4} << 30) - 1;
}

// A page knows of its own memory only; c_api.cpp counts what a table takes.
std::int64_t resident_memory() {
  return 0;
}
std::int64_t largest_resident_memory() {
  return 0;
}

PeakMemory::PeakMemory() = default;
std::optional<std::int64_t> PeakMemory::bytes() const {
  return std::nullopt;
}

const TrainLibrary* find_train_library() {
  return nullptr;
}
const TrainLibrary& train_library(const std::string& what) {
  throw UsageError(fmt::format("{} needs the program; the page in the browser cannot do it", what));
}
std::string model_of_architecture(const std::filesystem::path& file, const ModelConfig&) {
  return fmt::format("{}, a model of another architecture,", file.filename().string());
}
ChosenDevice choose_device(Device wanted, const ModelConfig&) {
  if (wanted == Device::kCuda) throw UsageError("the page in the browser has no CUDA");
  return {};
}

// .h5ad files are read by a program of their own.
HelperProcess::HelperProcess(const std::string&, const std::vector<std::string>&) {
  throw InputError("the page in the browser reads no .h5ad files; the program does");
}
HelperProcess::~HelperProcess() = default;
bool HelperProcess::send(std::span<const std::byte>) {
  return false;
}
HelperProcess::Received HelperProcess::receive(std::span<std::byte>, int) {
  return Received::kEnd;
}
std::string HelperProcess::end_in_words() {
  return {};
}

// The page has the network only.
std::span<const Method> methods() {
  return {};
}

// Drawing whole graphs is left to the program.
GraphSamples sample_graphs(const Matrix<double>&, const SampleOptions&) {
  throw UsageError("the page in the browser draws no samples of graphs");
}
Matrix<double> ancestor_probabilities(const GraphSamples&, int) {
  return {};
}

}  // namespace causcale
