#include "discover/views.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "base/random.h"

namespace causcale {
namespace {

constexpr std::uint32_t kViewPurpose = 0x56494557;  // random streams of its own
// Related columns are often higher in the same one of two rows; whether that happened in an odd number of
// five pairs of rows says next to nothing about their relation.
constexpr int kPairs = 5;

}  // namespace

std::vector<float> view_signs(const Table& table, int view) {
  std::vector<float> signs(table.cols(), 1.0f);
  if (view == 0) return signs;
  RandomStream random(0, static_cast<std::uint32_t>(view), kViewPurpose);
  const auto rows = static_cast<std::uint32_t>(table.rows());
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::uint32_t first = random.below(rows), second = random.below(rows);
    for (std::size_t c = 0; c < table.cols(); ++c)
      if (table.values(first, c) < table.values(second, c)) signs[c] = -signs[c];
  }
  return signs;
}

ModelInput mirrored(const ModelInput& input, std::span<const Dataset> tables, std::span<const int> views) {
  if (std::ranges::equal(views, std::array{0})) return input;
  const auto V = static_cast<std::int64_t>(views.size()), B = static_cast<std::int64_t>(tables.size()),
             n = static_cast<std::int64_t>(tables[0].table.cols());
  at::Tensor signs = at::empty({V, B, n}, at::kFloat);
  float* out = signs.data_ptr<float>();
  for (const int view : views)
    for (const Dataset& dataset : tables) out = std::ranges::copy(view_signs(dataset.table, view), out).out;
  signs = signs.to(input.data.options());
  const at::Tensor of_values_not_flags =
      at::stack({signs, at::ones_like(signs)}, 3).unsqueeze(2);  // [V, B, 1, n, 2]
  return {(input.data * of_values_not_flags).flatten(0, 1),
          (input.prior * signs.unsqueeze(2) * signs.unsqueeze(3)).flatten(0, 1),
          {},
          {}};
}

int usual_views(const Model& model) {
  const auto stated = model.metadata.find("views");
  return stated == model.metadata.end() ? 1 : std::clamp(std::atoi(stated->second.c_str()), 1, kMostViews);
}

}  // namespace causcale
