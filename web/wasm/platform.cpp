// What the library asks of an operating system and a WebAssembly module does not have: other processes,
// libraries opened at run time, figures of the memory.
#include <fmt/format.h>

#include "base/peak_memory.h"
#include "causcale/error.h"
#include "causcale/samples.h"
#include "core/train_library.h"
#include "methods/method.h"

namespace causcale {

// As much as a module can address.
std::int64_t physical_memory() {
  return std::int64_t{4} << 30;
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
Device choose_device(Device wanted) {
  if (wanted == Device::kCuda) throw UsageError("the page in the browser has no CUDA");
  return Device::kCpu;
}

const Method& method_named(const std::string& name) {
  throw UsageError(fmt::format("method {}: the page in the browser has the network only", name));
}

// Drawing whole graphs is left to the program.
GraphSamples sample_graphs(const Matrix<double>&, const SampleOptions&) {
  throw UsageError("the page in the browser draws no samples of graphs");
}
Matrix<double> ancestor_probabilities(const GraphSamples&, int) {
  return {};
}

}  // namespace causcale
