// How does our SDCD do where its authors measured theirs?
//
//   sdcd_setting_bench [n=20] [edges=2] [graphs=3] [rows=10000] [target_rows=500] [setting=value ...]
#include <fmt/format.h>
#include <sys/resource.h>

#include <map>
#include <string>

#include "baselines/method.h"
#include "baselines/to_result.h"
#include "causcale/error.h"
#include "metrics/average_precision.h"
#include "metrics/orientation_accuracy.h"
#include "metrics/shd.h"
#include "neural_baselines/sdcd_setting.h"

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
  std::map<std::string, double> sizes = {
      {"n", 20}, {"edges", 2}, {"graphs", 3}, {"rows", 10000}, {"target_rows", 500}};
  MethodOptions options;
  try {
    for (int k = 1; k < count; ++k) {
      const std::string text = arguments[k];
      const std::size_t sign = text.find('=');
      if (sign == std::string::npos) throw UsageError(text + " is not KEY=VALUE");
      const std::string key = text.substr(0, sign), value = text.substr(sign + 1);
      if (sizes.contains(key))
        sizes[key] = std::stod(value);
      else
        options.settings[key] = value;
    }
    test::SdcdSetting setting;
    setting.nodes = static_cast<int>(sizes["n"]);
    setting.edges = static_cast<int>(sizes["edges"] * setting.nodes);
    setting.rows = static_cast<int>(sizes["rows"]);
    setting.rows_a_target = static_cast<int>(sizes["target_rows"]);
    fmt::print("graph  SHD    AP    OA  edges  CPU s\n");
    for (int k = 0; k < static_cast<int>(sizes["graphs"]); ++k) {
      const test::SdcdExample example = test::sdcd_example(setting, static_cast<std::uint32_t>(k));
      const double start = cpu_seconds();
      const MethodResult result = run_method(method_named("sdcd"), example.dataset, options);
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
