#include "methods/neural/settings.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/cuda_library.h"
#include "core/option_names.h"
#include "data/standardize.h"
#include "methods/edge_permissions.h"
#include "simulate/graph_model.h"

namespace causcale {

MethodSetting device_setting() {
  return {"device", "auto", "auto, cpu or cuda"};
}

Device device_choice(const MethodOptions& options) {
  const std::string wish = text_setting(options, "device", "auto", all_names(kDeviceNames));
  return choose_tensor_device(choice_named(kDeviceNames, wish, "device"));
}

bool standardize_setting(const MethodOptions& options, bool fallback) {
  static const std::array<std::string, 2> accepted = {"yes", "no"};
  return text_setting(options, "standardize", fallback ? "yes" : "no", accepted) == "yes";
}

Matrix<double> centred_values(const Table& table, bool standardized) {
  if (standardized) return standardize(table.values);
  const ColumnMoments moments = column_moments(table.values);
  Matrix<double> centred = table.values;
  for (std::size_t r = 0; r < centred.rows(); ++r)
    for (std::size_t j = 0; j < centred.cols(); ++j) centred(r, j) -= moments.mean[j];
  return centred;
}

RowSplit split_rows(RandomStream& random, std::size_t rows, double share) {
  std::vector<int> order = random_permutation(static_cast<int>(rows), random);
  const auto kept = static_cast<std::size_t>(share * static_cast<double>(rows));
  if (kept < 2 || rows - kept < 2) return {order, order};
  const auto middle = order.end() - static_cast<std::ptrdiff_t>(kept);
  return {{order.begin(), middle}, {middle, order.end()}};
}

Matrix<std::uint8_t> possible_pairs(const Table& table, const Knowledge& knowledge) {
  const std::size_t n = table.cols();
  Matrix<std::uint8_t> allowed = EdgePermissions(static_cast<int>(n), knowledge).allowed;
  std::vector<std::uint8_t> varying(n, 0);
  for (std::size_t r = 1; r < table.rows(); ++r)
    for (std::size_t j = 0; j < n; ++j)
      if (table.values(r, j) != table.values(0, j)) varying[j] = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (!varying[i] || !varying[j]) allowed(i, j) = 0;
  return allowed;
}

}  // namespace causcale
