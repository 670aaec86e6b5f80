// Columns of every shape that tables have.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "base/random.h"
#include "causcale/table.h"

namespace causcale {

enum class Shape {
  kNormal,
  kUniform,
  kStudent,  // 2.5 to 8 degrees of freedom
  kLaplace,
  kExponential,
  kLogNormal,
  kGamma,
  kBeta,  // also U-shaped
  kBimodal,
  kRowNumber,     // 1, 2, 3, ... or times, upwards or downwards
  kZeroInflated,  // many zeros, else positive
  kPoisson,
  kBinary,
  kRareBinary,   // 0.5 to 15 % ones
  kDiscretised,  // a normal column cut into 3 to 10 levels
  kDoses,        // a few values, equally often, as in randomised trials
  kConstant,
};

inline constexpr NameTable<Shape, 17> kShapeNames{{
    {Shape::kNormal, "normal"},
    {Shape::kUniform, "uniform"},
    {Shape::kStudent, "student"},
    {Shape::kLaplace, "laplace"},
    {Shape::kExponential, "exponential"},
    {Shape::kLogNormal, "lognormal"},
    {Shape::kGamma, "gamma"},
    {Shape::kBeta, "beta"},
    {Shape::kBimodal, "bimodal"},
    {Shape::kRowNumber, "row_number"},
    {Shape::kZeroInflated, "zero_inflated"},
    {Shape::kPoisson, "poisson"},
    {Shape::kBinary, "binary"},
    {Shape::kRareBinary, "rare_binary"},
    {Shape::kDiscretised, "discretised"},
    {Shape::kDoses, "doses"},
    {Shape::kConstant, "constant"},
}};

// Those without a clump of equal values, fit to be noise: the first nine.
inline constexpr int kNoiseShapes = 9;
std::vector<std::string> noise_shape_names();

// What its values are, in the units in which they come out.
ColumnKind kind_of(Shape shape);

// Independent draws; the shape's own parameters (degrees of freedom, rates, ...) are drawn first.
void fill_shape(Shape shape, RandomStream& random, std::span<double> column);

// To mean 0 and variance 1 (divisor m); a constant column becomes 0.
void standardise(std::span<double> column);
// fill_shape, standardised. For noise shapes.
void fill_noise(Shape shape, RandomStream& random, std::span<double> column);

// Marsaglia and Tsang's rejection; unit scale, any shape above 0.
double draw_gamma(double shape, RandomStream& random);

}  // namespace causcale
