// Every subcommand: a function that adds itself to the application. Its callback does the work and throws
// causcale::Error; main turns that into a message and an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "causcale/version.h"

namespace causcale::cli {

void add_simulate(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_samples(CLI::App& app);
void add_check(CLI::App& app);
void add_next(CLI::App& app);
void add_audit(CLI::App& app);
void add_info(CLI::App& app);
void add_completions(CLI::App& app);  // hidden: for packages
void add_manpage(CLI::App& app);      // hidden: for packages
void add_methods(CLI::App& app);
void add_compare(CLI::App& app);
void add_discover(CLI::App& app, const std::string& command_line);  // as typed, for the record
void add_models(CLI::App& app);
void add_models_install(CLI::App& models);
void add_calibrate(CLI::App& app);
void add_stack(CLI::App& app);
void add_train(CLI::App& app);
void add_benchmark(CLI::App& app);
void add_effects(CLI::App& app);
void add_serve(CLI::App& app);

// Options that mean the same everywhere.
struct CommonOptions {
  std::uint64_t seed = 0;
  int threads = 0;  // 0 = all cores
  bool quiet = false;
  bool json = false;
};
enum CommonFlags : unsigned { kSeed = 1, kThreads = 2, kQuiet = 4, kJson = 8 };
void add_common_options(CLI::App& command, CommonOptions& options, unsigned flags);

// On standard error: "warning: what was found", and what to do about it, if anything, on a line of its own.
void print_remark(std::string_view severity, std::string_view message, std::string_view hint);

}  // namespace causcale::cli
