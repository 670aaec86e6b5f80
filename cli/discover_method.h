// causcale discover --method NAME: the same command with another method, or several, in the network's place.
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
  std::vector<std::string> names;     // none or "causcale" alone: the network
  bool combine = false;               // one graph of several
  std::vector<std::string> settings;  // "key=value" as typed, "method.key=value" of several
  double timeout = kMethodSeconds;    // seconds; 0: no limit
  bool network() const {
    return !combine && (names.empty() || (names.size() == 1 && names.front() == "causcale"));
  }
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
  DiscoverOptions network =
      {};  // its device counts for methods that can choose; all of it where the network is combined
};
void discover_with_method(const MethodJob& job, const Dataset& dataset, const AuditReport& findings,
                          RunRecord record);

}  // namespace causcale::cli
