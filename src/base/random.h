// Counter-based random numbers, the same on any thread count, usable from host and CUDA device code.
//
// A stream is addressed, not seeded: (seed, data set, purpose, item) names it, and its n-th number is a pure
// function of that address and n. So data set i of a seed never depends on who computes it or when.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define CAUSCALE_HD __host__ __device__ inline
#else
#define CAUSCALE_HD inline
#endif

namespace causcale {

// In the open interval (0, 1): never 0, so that logarithms are safe, and never 1.
CAUSCALE_HD double uniform_from_words(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t high = first >> 5, low = second >> 6;  // 27 + 26 = 53 bits
  return (static_cast<double>((high << 26) | low) + 0.5) * 0x1.0p-53;
}

// Box-Muller: two normal numbers of two uniform ones.
struct DoubleNormalPair {
  double first, second;

  CAUSCALE_HD DoubleNormalPair(double radius_uniform, double angle_uniform) {
    const double radius = std::sqrt(-2.0 * std::log(radius_uniform));
    const double angle = 6.283185307179586 * angle_uniform;
    first = radius * std::cos(angle);
    second = radius * std::sin(angle);
  }
};

// What is drawn: part of every address, so that no two uses of a seed share numbers. A new purpose takes a
// number that no other has; changing one changes what a seed stands for.
enum class Purpose : std::uint32_t {
  // Simulated data sets.
  kGraph = 1,
  kWeights,
  kRoots,
  kNoise,
  kNoiseScale,
  kRegimes,
  kInterventionValue,
  kInterventionChange,
  kObservation,
  kObservationCells,
  kSergioParameters,
  kSergioDynamics,
  kSergioSampling,
  kTechnicalNoise,
  kNodeSize,
  kWorldSetting,  // item: position of the setting
  kWorldGraph,
  kWorldHidden,
  kWorldNode,  // item: node
  kWorldTreatments,
  kWorldTreatment,  // item: node
  kWorldColumn,     // item: column
  kWorldMissing,
  kWorldRows,   // item: whatever a world draws by rows
  kWorldExtra,  // item: whatever else a world draws

  kBossOrder = 9201,

  // Training.
  kCalibrationStage = 0x43414c49,
  kDropout = 0x44524f50,
  kSubsetColumns = 0x53454143,
  kSubsetRows = 0x53454152,
  kExample = 0x4558414d,
  kExampleFamily = 0x46414d49,
  kExampleKnowledge = 0x4b4e4f57,
  kExampleMissing = 0x4d495353,
  kBatchPlan = 0x504c414e,
  kSergioExample = 0x53455247,
  kExampleWorld = 0x574f524c,
  kInitialWeights = 0x77656967,
  kVariableVectors = 0x76656374,

  // Discovery.
  kView = 0x56494557,
  kBootstrapRows = 0x626f6f74,
  kEffectFeatures = 0x66656174,
  kEffectRows = 0x726f7773,
  kImputation = 0x696d7075,
  kEffectFolds = 0x666f6c64,
  kPriorRows = 0x7072696f,
  kOrderSearch = 0x72616e64,
  kOrderShake = 0x7368616b,

  // The second stage of a model.
  kStackingWeights = 0x73746163,
  kStackingOrder = 0x73746f72,
  kStackingTable = 0x73746162,

  // These have numbers of simulated data sets, and of each other: none of them is drawn in the same data set.
  kIndependentPairs = 0,
  kSampleEnumeration = 1,
  kSampleTrials = 2,
  kSampleRejection = 3,
  kSampleChain = 4,
  kCheckClaims = 1,
  kCheckPermutation = 2,
  kCheckRandomGraph = 3,
  kMlpWeights = 0,
  kSdcdSplit = 0,
  kScoreSplit = 0,
  kScoreStep = 1,
  kScoreLook = 2,
  kScoreWeights = 3,
  kScoreRows = 4,
};

class RandomStream {
 public:
  // `purpose` separates independent uses within a data set (graph, weights, noise, ...); `item` separates
  // rows, nodes or whatever is drawn in parallel within a purpose.
  CAUSCALE_HD RandomStream(std::uint64_t seed, std::uint32_t dataset, std::uint32_t purpose,
                           std::uint32_t item = 0)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{0, item, purpose, dataset}} {}
  CAUSCALE_HD RandomStream(std::uint64_t seed, std::uint32_t dataset, Purpose purpose, std::uint32_t item = 0)
      : RandomStream(seed, dataset, static_cast<std::uint32_t>(purpose), item) {}

  CAUSCALE_HD std::uint32_t bits() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_.v[0];
      used_ = 0;
    }
    return block_.v[used_++];
  }

  CAUSCALE_HD double uniform() {
    const std::uint32_t first = bits();
    return uniform_from_words(first, bits());
  }
  CAUSCALE_HD double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Single precision, one 32-bit word a draw; 23 bits keep u + half a step exactly representable.
  CAUSCALE_HD float uniform_float() { return (static_cast<float>(bits() >> 9) + 0.5f) * 0x1.0p-23f; }

  // In [0, bound), without modulo bias worth speaking of (bound is far below 2^32 here).
  CAUSCALE_HD std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits()) * bound) >> 32);
  }

  CAUSCALE_HD bool coin(double probability = 0.5) { return uniform() < probability; }

  // The second value of each pair is kept for the next call.
  CAUSCALE_HD double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius_uniform = uniform();
    const DoubleNormalPair pair(radius_uniform, uniform());
    spare_ = pair.second;
    has_spare_ = true;
    return pair.first;
  }

  // Between 1 / spread and spread, evenly by factors: 1 / x is as likely as x.
  CAUSCALE_HD double factor(double spread) { return std::exp(uniform(-1.0, 1.0) * std::log(spread)); }

  CAUSCALE_HD double exponential() { return -std::log(uniform()); }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  int used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0.0;
};

}  // namespace causcale
