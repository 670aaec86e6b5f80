// Helpers of tests on a GPU: numbers there and back, and plain definitions to compare with.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/cuda/check.h"
#include "core/cuda/device.h"
#include "core/cuda/device_memory.h"
#include "core/cuda/storage.h"
#include "core/cuda_library.h"

namespace causcale::test {

using cuda::Storage;

inline float rounded(float value, Storage storage) {
  if (storage == Storage::kFloat) return value;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u);
}

// Numbers as the storage has them.
inline std::vector<float> rounded(std::vector<float> values, Storage storage) {
  for (float& value : values) value = rounded(value, storage);
  return values;
}

// The storages that this GPU's kernels have.
inline std::vector<Storage> storages() {
  if (cuda::find_device().multiplies_bf16()) return {Storage::kFloat, Storage::kBf16};
  return {Storage::kFloat};
}
inline std::string name_of(Storage storage) {
  return storage == Storage::kFloat ? "fp32" : "bf16";
}

// Values of a storage in device memory.
class OnDevice {
 public:
  OnDevice(std::int64_t count, Storage storage) : count_(count), storage_(storage), block_(count * width()) {
    // Not a number anywhere that a kernel forgets to write.
    cuda::check(cudaMemset(block_.data(), 0xff, static_cast<std::size_t>(block_.bytes())), "cudaMemset");
    finish();
  }
  OnDevice(const std::vector<float>& values, Storage storage)
      : OnDevice(static_cast<std::int64_t>(values.size()), storage) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(block_.bytes()));
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(rounded(values[k], storage));
      const std::uint32_t stored = storage == Storage::kFloat ? bits : bits >> 16;
      std::memcpy(bytes.data() + k * static_cast<std::size_t>(width()), &stored,
                  static_cast<std::size_t>(width()));
    }
    cuda::check(cudaMemcpy(block_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    finish();
  }

  std::vector<float> values() const {
    cuda::check(cudaDeviceSynchronize(), "the kernel");
    std::vector<std::byte> bytes(static_cast<std::size_t>(block_.bytes()));
    if (!bytes.empty())
      cuda::check(cudaMemcpy(bytes.data(), block_.data(), bytes.size(), cudaMemcpyDeviceToHost),
                  "cudaMemcpy");
    std::vector<float> values(static_cast<std::size_t>(count_));
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::uint32_t stored = 0;
      std::memcpy(&stored, bytes.data() + k * static_cast<std::size_t>(width()),
                  static_cast<std::size_t>(width()));
      values[k] = std::bit_cast<float>(storage_ == Storage::kFloat ? stored : stored << 16);
    }
    return values;
  }
  void* data() const { return block_.data(); }
  float* floats() const { return reinterpret_cast<float*>(block_.data()); }

 private:
  // Neither call above waits until the device has done it, and the kernels' streams do not wait for theirs.
  static void finish() { cuda::check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize"); }
  std::int64_t width() const { return storage_ == Storage::kFloat ? 4 : 2; }

  std::int64_t count_;
  Storage storage_;
  cuda::DeviceBlock block_;
};

inline std::vector<float> random_values(std::int64_t count, unsigned seed, float scale = 1.0f,
                                        float centre = 0.0f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(centre, scale);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

// The largest difference, in units of the largest number wanted; infinite where something is not a number.
inline double relative_difference(const std::vector<float>& found, const std::vector<double>& wanted) {
  if (found.size() != wanted.size()) return INFINITY;
  double largest = 1e-30, difference = 0.0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!std::isfinite(found[k])) return INFINITY;
    largest = std::max(largest, std::abs(wanted[k]));
    difference = std::max(difference, std::abs(static_cast<double>(found[k]) - wanted[k]));
  }
  return difference / largest;
}

// Definitions, in double precision.
using Row = std::vector<double>;

inline double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}
inline Row layer_norm(Row row, const std::vector<float>& weight, const std::vector<float>& bias) {
  double mean = 0.0, squares = 0.0;
  for (const double value : row) mean += value / static_cast<double>(row.size());
  for (const double value : row) squares += (value - mean) * (value - mean) / static_cast<double>(row.size());
  for (std::size_t c = 0; c < row.size(); ++c)
    row[c] = (row[c] - mean) / std::sqrt(squares + 1e-5) * weight[c] + bias[c];
  return row;
}
// weight [out, in]
inline Row linear(const Row& row, const std::vector<float>& weight, const std::vector<float>& bias) {
  Row result(bias.begin(), bias.end());
  for (std::size_t o = 0; o < result.size(); ++o)
    for (std::size_t i = 0; i < row.size(); ++i) result[o] += weight[o * row.size() + i] * row[i];
  return result;
}
inline Row row_of(const std::vector<float>& values, std::int64_t number, std::int64_t width) {
  return Row(values.begin() + number * width, values.begin() + (number + 1) * width);
}
inline void append(std::vector<double>& to, const Row& row) {
  to.insert(to.end(), row.begin(), row.end());
}

}  // namespace causcale::test
