// One case of the golden model numbers: configuration, weights, inputs and what the reference made of them.
#pragma once

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learn/networks/causcale.h"

namespace causcale::test {

struct ParameterRecord {  // one line of parameter_order.txt
  std::string name;
  std::int64_t offset;
  std::int64_t count;
  double gradient_error;  // largest difference of the float32 gradient from the float64 one
};

struct GoldenCase {
  std::string name;
  nlohmann::json manifest;  // this case's part
  ModelConfig config;
  ModelParams params;
  ModelInput input;      // no sizes filled in
  at::Tensor adjacency;  // [B, n, n]
  std::vector<ParameterRecord> parameter_order;
};

// All tensors in `type`; the weights and inputs are the reference's float32 numbers either way.
GoldenCase load_golden_case(const std::string& name, at::ScalarType type);

at::Tensor golden_tensor(const std::string& path, at::ScalarType type);

// The manifest's largest difference between the float32 and the float64 run for one of a case's files.
double rounding_of(const GoldenCase& golden, const std::string& file);

double largest_difference(const at::Tensor& a, const at::Tensor& b);

}  // namespace causcale::test
