// How does a method do in the simulation in which its authors measured it?
//
//   published_settings_bench METHOD [n=20] [edges=2 a node] [graphs=3] [rows=] [target_rows=500]
//   [setting=value ...]
//
// sdcd: random networks, every variable intervened on (tests/methods/sdcd_setting.h). Any other
// method: linear, weights +-[0.5, 2], unit Gaussian noise, no interventions
// (tests/methods/weighted_methods.h).
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "causcale/error.h"
#include "methods/method.h"
#include "methods/sdcd_setting.h"
#include "methods/to_result.h"
#include "methods/weighted_methods.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"

namespace {

using namespace causcale;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr,
               "published_settings_bench METHOD [n=] [edges=] [graphs=] [rows=] [target_rows=] "
               "[setting=value ...]\n");
    return 2;
  }
  const std::string name = arguments[1];
  const bool networks = name == "sdcd";
  std::map<std::string, double> sizes = {
      {"n", 20}, {"edges", 2}, {"graphs", 3}, {"rows", networks ? 10000 : 1000}, {"target_rows", 500}};
  MethodOptions options;
  try {
    for (int k = 2; k < count; ++k) {
      const std::string text = arguments[k];
      const std::size_t sign = text.find('=');
      if (sign == std::string::npos) throw UsageError(text + " is not KEY=VALUE");
      const std::string key = text.substr(0, sign), value = text.substr(sign + 1);
      if (sizes.contains(key))
        sizes[key] = std::stod(value);
      else
        options.settings[key] = value;
    }
    const int n = static_cast<int>(sizes["n"]), rows = static_cast<int>(sizes["rows"]);
    const test::SdcdSetting with_networks{n, static_cast<int>(sizes["edges"] * n), rows,
                                          static_cast<int>(sizes["target_rows"])};
    const test::LinearSetting linear{n, sizes["edges"], rows};
    fmt::print("graph  SHD    AP    OA  edges  CPU s\n");
    for (int k = 0; k < static_cast<int>(sizes["graphs"]); ++k) {
      const auto number = static_cast<std::uint32_t>(k);
      test::LinearExample example;
      if (networks) {
        auto [graph, dataset] = test::sdcd_example(with_networks, number);
        example = {std::move(graph), std::move(dataset)};
      } else {
        example = test::linear_example(linear, number);
      }
      const double start = cpu_seconds();
      const MethodResult result = run_method(method_named(name), example.dataset, options);
      fmt::print("{:>5} {:>4} {:>5.1f} {:>5.1f} {:>6} {:>6.1f}\n", k,
                 structural_hamming_distance(example.graph, possible_directions(result.graph)),
                 100 * average_precision(result.scores, example.graph),
                 100 * orientation_accuracy(result.scores, example.graph), result.graph.edge_count(),
                 cpu_seconds() - start);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
