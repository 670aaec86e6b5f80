#include "samples/component_samples.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/parallel.h"
#include "samples/chain.h"
#include "samples/enumeration.h"
#include "samples/mixing.h"

namespace causcale {
namespace {

constexpr int kTrialDraws = 600;
constexpr double kFewestAccepted = 0.05;
constexpr int kChains = 8;
constexpr int kBurnIn = 150;       // sweeps
constexpr int kPilotSweeps = 100;  // after them; these say how far apart samples have to be
constexpr int kFewestSweeps = 2, kMostSweeps = 50;

// Kahn's algorithm with memory that is kept between calls.
class AcyclicTest {
 public:
  explicit AcyclicTest(int nodes) : begin_(nodes + 1), open_parents_(nodes) {}

  bool operator()(const std::vector<Edge>& edges) {
    std::ranges::fill(begin_, 0);
    std::ranges::fill(open_parents_, 0);
    for (const Edge& edge : edges) {
      ++begin_[edge.source + 1];
      ++open_parents_[edge.target];
    }
    for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
    children_.resize(edges.size());
    fill_.assign(begin_.begin(), begin_.end() - 1);
    for (const Edge& edge : edges) children_[fill_[edge.source]++] = edge.target;
    ready_.clear();
    for (std::size_t v = 0; v < open_parents_.size(); ++v)
      if (open_parents_[v] == 0) ready_.push_back(static_cast<int>(v));
    for (std::size_t k = 0; k < ready_.size(); ++k)
      for (int e = begin_[ready_[k]]; e < begin_[ready_[k] + 1]; ++e)
        if (--open_parents_[children_[e]] == 0) ready_.push_back(children_[e]);
    return ready_.size() == open_parents_.size();
  }

 private:
  std::vector<int> begin_, open_parents_, children_, fill_, ready_;
};

// Calls work(begin, end) for pieces of [0, count).
template <class Work>
void in_pieces(int count, int threads, Work work) {
  constexpr int kPiece = 16;
  parallel_for(static_cast<std::size_t>((count + kPiece - 1) / kPiece), threads, [&](std::size_t piece) {
    const int begin = static_cast<int>(piece) * kPiece;
    work(begin, std::min(count, begin + kPiece));
  });
}

RandomStream stream(const DrawRequest& request, Purpose purpose, int item) {
  return {request.seed, request.component, purpose, static_cast<std::uint32_t>(item)};
}

}  // namespace

ComponentSamples sample_by_enumeration(const WeightComponent& component, const DrawRequest& request) {
  ComponentSamples samples{.method = "enumeration", .effective = static_cast<double>(request.count)};
  const Enumeration enumeration(component);
  if (!(enumeration.total() > 0.0)) return samples;
  samples.graphs.resize(request.count);
  in_pieces(request.count, request.threads, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      RandomStream random = stream(request, Purpose::kSampleEnumeration, k);
      enumeration.draw(random, samples.graphs[k]);
    }
  });
  return samples;
}

ComponentSamples sample_by_rejection(const WeightComponent& component, const DrawRequest& request) {
  ComponentSamples samples{.method = "rejection", .effective = static_cast<double>(request.count)};
  const int nodes = static_cast<int>(component.nodes.size());
  const IndependentDraw draw(component.pairs);
  {
    RandomStream random = stream(request, Purpose::kSampleTrials, 0);
    AcyclicTest acyclic(nodes);
    std::vector<Edge> edges;
    int accepted = 0;
    for (int k = 0; k < kTrialDraws; ++k) {
      edges.clear();
      draw.draw(random, edges);
      accepted += acyclic(edges);
    }
    samples.acceptance = static_cast<double>(accepted) / kTrialDraws;
  }
  if (samples.acceptance < kFewestAccepted) return samples;
  samples.graphs.resize(request.count);
  in_pieces(request.count, request.threads, [&](int begin, int end) {
    AcyclicTest acyclic(nodes);
    for (int k = begin; k < end; ++k) {
      RandomStream random = stream(request, Purpose::kSampleRejection, k);
      do {
        samples.graphs[k].clear();
        draw.draw(random, samples.graphs[k]);
      } while (!acyclic(samples.graphs[k]));
    }
  });
  return samples;
}

ComponentSamples sample_by_chain(const WeightComponent& component, const DrawRequest& request) {
  ComponentSamples samples{.exact = false, .method = "chain"};
  const ChainTarget target(component);
  const int chains = std::min(kChains, request.count);
  std::deque<GraphChain> all;
  for (int c = 0; c < chains; ++c) all.emplace_back(target, stream(request, Purpose::kSampleChain, c));
  Matrix<double> pilot(chains, kPilotSweeps);
  parallel_for(chains, request.threads, [&](std::size_t c) {
    for (int k = 0; k < kBurnIn; ++k) all[c].sweep();
    for (int k = 0; k < kPilotSweeps; ++k) {
      all[c].sweep();
      pilot(c, k) = all[c].log_weight();
    }
  });
  const double worth = static_cast<double>(pilot.size()) / judge_mixing(pilot).effective;
  samples.chains = chains;
  samples.sweeps = std::clamp(static_cast<int>(std::ceil(2.0 * worth)), kFewestSweeps, kMostSweeps);

  samples.graphs.resize(request.count);
  // Chains take turns; where they do not come out even, the last values of some are not judged.
  Matrix<double> weights(chains, request.count / chains);
  parallel_for(chains, request.threads, [&](std::size_t c) {
    for (std::size_t k = c, t = 0; k < samples.graphs.size(); k += chains, ++t) {
      for (int s = 0; s < samples.sweeps; ++s) all[c].sweep();
      samples.graphs[k] = all[c].edges();
      if (t < weights.cols()) weights(c, t) = all[c].log_weight();
    }
  });
  const Mixing mixing = judge_mixing(weights);
  samples.effective = std::min<double>(mixing.effective, request.count);
  samples.scale_reduction = mixing.scale_reduction;
  return samples;
}

ComponentSamples sample_component(const WeightComponent& component, const DrawRequest& request) {
  if (component.nodes.size() <= Enumeration::kMostNodes) {
    ComponentSamples samples = sample_by_enumeration(component, request);
    if (!samples.graphs.empty()) return samples;
  }
  ComponentSamples samples = sample_by_rejection(component, request);
  return samples.graphs.empty() ? sample_by_chain(component, request) : samples;
}

}  // namespace causcale
