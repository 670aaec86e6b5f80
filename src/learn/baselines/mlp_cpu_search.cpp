#include <algorithm>
#include <utility>

#include "learn/baselines/mlp_lagrangian.h"
#include "learn/baselines/mlp_search.h"

namespace causcale {
namespace {

class CpuSearch final : public MlpSearch {
 public:
  CpuSearch(const MlpProblem& problem, std::vector<double> start, int threads)
      : objective_(problem.data, problem.allowed, problem.hidden, problem.l2, threads),
        x_(std::move(start)),
        penalty_(x_.size(), 0.0) {
    std::fill_n(penalty_.begin(), objective_.layout().inputs(), problem.l1);
  }

  OwlQnResult descend(const OwlQnOptions& options, const std::function<void()>& evaluated) override {
    objective_.multiplier = multiplier;
    objective_.weight = weight;
    const auto smooth = [&](std::span<const double> x, std::span<double> gradient) {
      evaluated();
      return objective_(x, gradient);
    };
    return minimize_with_l1(x_, penalty_, smooth, options);
  }
  double constraint() const override { return objective_.constraint(x_); }
  Matrix<double> norms() const override { return objective_.norms(x_); }

 private:
  MlpLagrangian objective_;
  std::vector<double> x_, penalty_;
};

}  // namespace

std::unique_ptr<MlpSearch> mlp_cpu_search(const MlpProblem& problem, std::vector<double> start, int threads) {
  return std::make_unique<CpuSearch>(problem, std::move(start), threads);
}

}  // namespace causcale
