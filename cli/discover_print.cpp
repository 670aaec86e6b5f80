#include "discover_print.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "report/report.h"

namespace causcale::cli {
namespace {

constexpr std::size_t kTerminalRows = 30;

bool unicode_terminal() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = std::getenv(variable); value && *value)
      return std::string(value).find("UTF-8") != std::string::npos ||
             std::string(value).find("utf8") != std::string::npos;
  return false;
}

}  // namespace

void print_plan(const DiscoverPlan& plan, bool json) {
  if (json) {
    const nlohmann::ordered_json out = {
        {"rows", plan.rows},
        {"columns", plan.columns},
        {"passes", plan.passes},
        {"bootstrap", plan.bootstrap},
        {"passes_with_bootstrap", plan.passes * (std::int64_t{1} + plan.bootstrap)},
        {"batch", plan.batch},
        {"blocks", plan.blocks},
        {"block_columns", plan.block_columns},
        {"rows_per_pass", plan.rows_per_pass},
        {"device", plan.device},
        {"precision", plan.precision},
        {"peak_bytes", plan.peak_bytes},
        {"unlimited_bytes", plan.unlimited_bytes},
        {"process_bytes", plan.process_bytes},
        {"tera_flops", plan.tera_flops},
        {"seconds", plan.seconds}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("table            {} rows, {} columns\n", plan.rows, plan.columns);
  fmt::print("passes           {} of {} rows each\n", plan.passes, plan.rows_per_pass);
  if (plan.block_columns > 0)
    fmt::print("blocks           {} of {} columns in each pass\n", plan.blocks, plan.block_columns);
  if (plan.bootstrap > 0)
    fmt::print("bootstrap        {} repetitions, {} more passes, up to {} at a time\n", plan.bootstrap,
               std::int64_t{plan.bootstrap} * plan.passes, plan.batch);
  fmt::print("device           {}, {}\n", plan.device, plan.precision);
  fmt::print("working memory   {:.2f} GiB ({:.2f} GiB without a limit)\n", plan.peak_bytes / 1073741824.0,
             plan.unlimited_bytes / 1073741824.0);
  if (plan.process_bytes > 0)
    fmt::print("whole program    {:.2f} GiB at its peak\n", plan.process_bytes / 1073741824.0);
  fmt::print("arithmetic       {:.2f} TFLOP, roughly {:.1f} s\n", plan.tera_flops, plan.seconds);
}

namespace {

void print_removed(const DiscoverResult& result, bool optimal) {
  if (result.removed_edges.empty()) {
    fmt::print("\nThe graph has no directed cycle; nothing was removed.\n");
    return;
  }
  for (const ScoredEdge& removed : result.removed_edges)
    fmt::print("  removed to break a cycle: {} -> {} ({:.1f} %)\n", result.names[removed.edge.source],
               result.names[removed.edge.target], 100 * removed.score);
  const AcyclicPrice& price = result.acyclic_price;
  fmt::print("  log-odds given up: {:.2f}", price.removed_log_odds);
  if (optimal)
    fmt::print(" ({}; the greedy rule gives up {:.2f})", price.exact ? "the least possible" : "best found",
               price.greedy_log_odds);
  fmt::print("\n");
}

}  // namespace

void print_discovery(const DiscoverResult& result, std::size_t intervened_rows,
                     const DiscoverOptions& options) {
  fmt::print("{}\n", format_summary(result, intervened_rows));
  fmt::print("{}", format_terminal(result, kTerminalRows, unicode_terminal()));
  if (options.acyclic) print_removed(result, options.acyclic_rule == AcyclicRule::kOptimal);
}

}  // namespace causcale::cli
