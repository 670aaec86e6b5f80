#include "learn/optimise/weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace causcale {

namespace {

// Kernels load weights in 16-byte pieces; 64 elements keep every tensor aligned in any type.
constexpr std::int64_t kAlignment = 64;

std::int64_t aligned(std::int64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

bool belongs_to_muon(const std::string& name, const at::Tensor& tensor) {
  return tensor.dim() == 2 && (name.starts_with("blocks.") || name.starts_with("avici.blocks.") ||
                               name.starts_with("sea.blocks."));
}

}  // namespace

WeightLayout::WeightLayout(ModelParams& params, OptimiserKind optimiser) {
  // Query, key and value projections lie below one another in one tensor but are three matrices to Muon.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> by_shape;
  std::vector<std::size_t> matrices, vectors;
  params.visit([&](const std::string& name, at::Tensor& tensor) {
    const std::size_t index = slices.size();
    slices.push_back({name, tensor.sizes().vec(), 0, tensor.numel()});
    if (optimiser == OptimiserKind::kMuon && belongs_to_muon(name, tensor)) {
      const std::int64_t parts = name.ends_with("qkv.weight") ? 3 : 1;
      by_shape[{tensor.size(0) / parts, tensor.size(1)}].push_back(index);
    } else {
      (tensor.dim() >= 2 ? matrices : vectors).push_back(index);
    }
  });
  std::int64_t offset = 0;
  for (const auto& [shape, members] : by_shape) {
    MatrixGroup group{offset, 0, shape.first, shape.second};
    for (std::size_t index : members) {
      slices[index].offset = offset;
      offset += slices[index].count;
    }
    group.count = (offset - group.offset) / (group.rows * group.cols);
    groups.push_back(group);
    offset = aligned(offset);
  }
  muon_end = offset;
  const auto place = [&](const std::vector<std::size_t>& members) {
    for (std::size_t index : members) {
      slices[index].offset = offset;
      offset = aligned(offset + slices[index].count);
    }
  };
  place(matrices);
  decay_end = offset;
  place(vectors);
  total = offset;
}

TrainingWeights::TrainingWeights(ModelParams initial, OptimiserKind optimiser, at::Device device,
                                 at::ScalarType master_type, at::ScalarType working_type)
    : layout_(initial, optimiser), structure_(initial) {
  c10::NoGradGuard no_grad;
  masters_ = at::zeros({layout_.total}, at::TensorOptions().dtype(master_type).device(device));
  std::size_t index = 0;
  initial.visit([&](const std::string&, at::Tensor& tensor) {
    const WeightSlice& slice = layout_.slices[index++];
    masters_.narrow(0, slice.offset, slice.count).copy_(tensor.reshape({-1}));
  });
  working_ = working_type == master_type ? masters_ : masters_.to(working_type);
  zeros_ = at::zeros({layout_.total}, working_.options());
  working_params_ = views_of(working_);
  working_params_.visit([&](const std::string&, at::Tensor& tensor) {
    tensor = tensor.detach().requires_grad_();
    leaves_.push_back(tensor);
  });
  by_offset_.resize(layout_.slices.size());
  std::iota(by_offset_.begin(), by_offset_.end(), std::size_t{0});
  std::sort(by_offset_.begin(), by_offset_.end(), [&](std::size_t a, std::size_t b) {
    return layout_.slices[a].offset < layout_.slices[b].offset;
  });
}

void TrainingWeights::publish() {
  if (working_.scalar_type() == masters_.scalar_type()) return;
  c10::NoGradGuard no_grad;
  working_.copy_(masters_);
}

at::Tensor TrainingWeights::flatten_gradients(const std::vector<at::Tensor>& gradients) const {
  c10::NoGradGuard no_grad;
  // Those summed over processes come in the masters' type already.
  const auto some = std::find_if(gradients.begin(), gradients.end(),
                                 [](const at::Tensor& gradient) { return gradient.defined(); });
  const at::Tensor zeros = some == gradients.end() ? zeros_ : zeros_.to(some->scalar_type());
  std::vector<at::Tensor> pieces;
  std::int64_t end = 0;
  const auto fill_to = [&](std::int64_t offset) {
    if (offset > end) pieces.push_back(zeros.narrow(0, end, offset - end));
    end = offset;
  };
  for (std::size_t index : by_offset_) {
    if (!gradients[index].defined()) continue;  // the next fill covers it with zeros
    const WeightSlice& slice = layout_.slices[index];
    fill_to(slice.offset);
    pieces.push_back(gradients[index].reshape({-1}));
    end = slice.offset + slice.count;
  }
  fill_to(layout_.total);
  return at::cat(pieces).to(masters_.scalar_type());
}

ModelParams TrainingWeights::views_of(const at::Tensor& flat) const {
  ModelParams views = structure_;
  std::size_t index = 0;
  views.visit([&](const std::string&, at::Tensor& tensor) {
    const WeightSlice& slice = layout_.slices[index++];
    tensor = flat.narrow(0, slice.offset, slice.count).view(slice.shape);
  });
  return views;
}

}  // namespace causcale
