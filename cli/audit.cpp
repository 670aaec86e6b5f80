// causcale audit: what is wrong or doubtful about a table, before any work.
#include <fmt/format.h>

#include <memory>

#include "causcale/error.h"
#include "commands.h"
#include "data/audit.h"
#include "input_options.h"

namespace causcale::cli {
namespace {

struct AuditCommand {
  CommonOptions common;
  InputOptions input;

  void run() {
    input.threads = common.threads;
    take_standard_input(input);
    const AuditReport report = examine();
    if (common.json)
      fmt::print("{}", report.to_json());
    else if (!common.quiet)
      fmt::print("{}", report.to_text());
    const std::size_t errors = report.count(Severity::kError);
    if (errors > 0)
      throw InputError(fmt::format("{}: {} error{} found", report.source, errors, errors == 1 ? "" : "s"));
  }

  // A file that cannot be read at all is a finding, too: programs get their JSON in any case.
  AuditReport examine() const {
    const std::string source = data_name(input);
    try {
      ReadNotes notes;
      const Dataset dataset = read_input(input, &notes);
      return audit(dataset, source, &notes);
    } catch (const InputError& error) {
      AuditReport report;
      report.source = source;
      std::string message = error.what();
      report.findings.push_back({Severity::kError, "unreadable", {}, 0, message, ""});
      return report;
    }
  }
};

}  // namespace

void add_audit(CLI::App& app) {
  const auto command = std::make_shared<AuditCommand>();
  CLI::App* sub = app.add_subcommand("audit", "Say what is wrong or doubtful about a table before any work");
  add_input_options(*sub, command->input);
  add_common_options(*sub, command->common, kThreads | kQuiet | kJson);
  sub->footer(
      "Examples:\n"
      "  causcale audit data.csv\n"
      "  causcale audit data.csv --interventions interventions.csv --json\n"
      "  causcale audit cells.h5ad --label-column perturbation --control non-targeting --unknown-targets "
      "drop\n"
      "Exit code: 0 no errors, 1 errors found, 2 wrong usage.");
  sub->callback([command] { command->run(); });
}

}  // namespace causcale::cli
