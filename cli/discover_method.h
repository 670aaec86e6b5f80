// causcale discover --method NAME: the same command with another method in the network's place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"
#include "data/audit.h"
#include "methods/to_result.h"
#include "report/report.h"

namespace causcale::cli {

struct MethodChoice {
  std::string name;                   // empty or "causcale": the network
  std::vector<std::string> settings;  // "key=value" as typed
  double timeout = kMethodSeconds;    // seconds; 0: no limit
  bool network() const { return name.empty() || name == "causcale"; }
};

void add_method_options(CLI::App& command, MethodChoice& choice);

// Throws UsageError: an unknown method, settings without one, options that only the network knows.
void check_method_choice(const CLI::App& command, const MethodChoice& choice);

struct MethodJob {
  MethodChoice choice;
  Knowledge knowledge;
  EdgeSelection selection;
  std::vector<std::filesystem::path> outputs;
  std::filesystem::path matrix;
  CommonOptions common;
  Device device = Device::kAuto;
};
void discover_with_method(const MethodJob& job, const Dataset& dataset, const AuditReport& findings,
                          RunRecord record);

}  // namespace causcale::cli
