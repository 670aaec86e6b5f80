// How long does the prior take, and from which size on is it worth a thought?
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/random.h"
#include "prior/precision.h"

int main() {
  using causcale::PriorMethod;
  fmt::print("{:>6} {:>6} {:>16} {:>10}\n", "rows", "n", "method", "seconds");
  struct Setting {
    int rows, variables;
    PriorMethod method;
  };
  for (const auto& [rows, variables, method] : {Setting{500, 20, PriorMethod::kAuto},
                                                {500, 99, PriorMethod::kAuto},
                                                {500, 100, PriorMethod::kAuto},
                                                {500, 300, PriorMethod::kAuto},
                                                {500, 500, PriorMethod::kAuto},
                                                {1000, 500, PriorMethod::kPseudoInverse},
                                                {1000, 1000, PriorMethod::kAuto},
                                                {1000, 2000, PriorMethod::kAuto},
                                                {1000, 5000, PriorMethod::kAuto}}) {
    causcale::RandomStream random(1, 0, 0);
    causcale::Matrix<double> values(rows, variables);
    for (double& value : values.values()) value = random.normal();
    causcale::PriorOptions options;
    options.method = method;
    double best = 1e9;
    for (int repeat = 0; repeat < (variables > 1000 ? 1 : 3); ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      const causcale::Matrix<double> prior = causcale::precision_prior(values, options);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    const bool inverse = method == PriorMethod::kPseudoInverse || variables < 100;
    fmt::print("{:>6} {:>6} {:>16} {:>10.4f}\n", rows, variables, inverse ? "pseudo-inverse" : "Ledoit-Wolf",
               best);
    std::fflush(stdout);
  }
}
