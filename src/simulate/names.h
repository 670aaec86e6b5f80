// The words by which users and files call the simulators' choices.
#pragma once

#include "base/name_table.h"
#include "simulate/sergio.h"
#include "simulate/synthetic.h"

namespace causcale {

inline constexpr NameTable<GraphModel, 5> kGraphModelNames{{
    {GraphModel::kErdosRenyi, "er"},
    {GraphModel::kScaleFree, "sf"},
    {GraphModel::kStochasticBlock, "sbm"},
    {GraphModel::kWattsStrogatz, "ws"},
    {GraphModel::kGeometric, "geometric"},
}};

inline constexpr NameTable<Mechanism, 10> kMechanismNames{{
    {Mechanism::kLinear, "linear"},
    {Mechanism::kNeural, "nn"},
    {Mechanism::kNeuralAdditive, "nn_add"},
    {Mechanism::kSigmoidAdditive, "sigmoid_add"},
    {Mechanism::kPolynomial, "polynomial"},
    {Mechanism::kFourier, "fourier"},
    {Mechanism::kFourierAdditive, "fourier_add"},
    {Mechanism::kGaussianProcess, "gp"},
    {Mechanism::kGaussianProcessAdditive, "gp_add"},
    {Mechanism::kPostNonlinear, "post_nonlinear"},
}};

inline constexpr NameTable<NoiseFamily, 6> kNoiseNames{{
    {NoiseFamily::kGaussian, "gaussian"},
    {NoiseFamily::kLaplace, "laplace"},
    {NoiseFamily::kStudentT, "student"},
    {NoiseFamily::kUniform, "uniform"},
    {NoiseFamily::kExponential, "exponential"},
    {NoiseFamily::kMixture, "mixture"},
}};

inline constexpr NameTable<NoiseCoupling, 3> kCouplingNames{{
    {NoiseCoupling::kAdditive, "additive"},
    {NoiseCoupling::kMultiplicative, "multiplicative"},
    {NoiseCoupling::kHeteroscedastic, "heteroscedastic"},
}};

inline constexpr NameTable<RootDistribution, 3> kRootNames{{
    {RootDistribution::kUniform, "uniform"},
    {RootDistribution::kGaussian, "gaussian"},
    {RootDistribution::kMixture, "mixture"},
}};

inline constexpr NameTable<InterventionEffect, 5> kInterventionNames{{
    {InterventionEffect::kNone, "none"},
    {InterventionEffect::kPerfect, "perfect"},
    {InterventionEffect::kSoft, "soft"},
    {InterventionEffect::kMechanismChange, "mechanism"},
    {InterventionEffect::kBlocked, "blocked"},
}};

inline constexpr NameTable<PerturbationKind, 2> kPerturbationNames{{
    {PerturbationKind::kKnockOut, "knockout"},
    {PerturbationKind::kKnockDown, "knockdown"},
}};

inline constexpr NameTable<NoiseProfile, 5> kProfileNames{{
    {NoiseProfile::kChromium, "10x-chromium"},
    {NoiseProfile::kIllumina, "illumina"},
    {NoiseProfile::kDropSeq, "drop-seq"},
    {NoiseProfile::kSmartSeq, "smart-seq"},
    {NoiseProfile::kNone, "none"},
}};

}  // namespace causcale
