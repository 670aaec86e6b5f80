#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/standard_error.h"
#include "causcale/error.h"
#include "command_tree.h"
#include "commands.h"
#include "convert.h"
#include "suggest.h"

namespace causcale::cli {

void add_common_options(CLI::App& command, CommonOptions& options, unsigned flags) {
  if (flags & kSeed)
    command.add_option("--seed", options.seed, "Seed of everything random: the same seed, the same result")
        ->capture_default_str();
  if (flags & kThreads)
    command.add_option("--threads", options.threads, "Number of threads, 0 = all cores")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
  if (flags & kQuiet) command.add_flag("--quiet,-q", options.quiet, "No progress, no remarks");
  if (flags & kJson) command.add_flag("--json", options.json, "Print the result as JSON");
}

void print_remark(std::string_view severity, std::string_view message, std::string_view hint) {
  print_error("{}: {}\n", severity, message);
  if (!hint.empty()) print_error("  {}\n", hint);
}

// As typed, with quotes where a shell would need them.
std::string command_line(int argc, char** argv) {
  std::string line = "causcale";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool plain =
        !argument.empty() && argument.find_first_of(" \t\n'\"\\$&|;<>()*?[]{}`!#~") == std::string::npos;
    if (plain) {
      line += ' ' + argument;
      continue;
    }
    line += " '";
    for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

// CLI11 takes the value of a flag only after "=", as otherwise it would swallow a file name; "--dag optimal"
// is what people type.
std::vector<std::string> joined_arguments(int argc, char** argv) {
  std::vector<std::string> joined;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!joined.empty() && joined.back() == "--dag" &&
        (same_word(argument, "greedy") || same_word(argument, "optimal")))
      joined.back() += "=" + argument;
    else
      joined.push_back(argument);
  }
  return joined;
}

// A file that is opened must not get the number of a standard stream that the caller has closed, or what is
// printed would go into it. The stream stays one that cannot be used: it is open for the other direction.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      std::abort();
}

// The commands added since the last call stand under this heading of the help.
void headed(CLI::App& app, const std::string& heading) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    if (command->get_group() == "Subcommands") command->group(heading);
}

// The exit code: what was printed has to arrive, and on a full disk it would be lost without a word.
int with_output_written(int code) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
  const std::string reason = errno != 0 ? fmt::format(": {}", std::strerror(errno)) : "";
  print_error("causcale: standard output: the result could not be written{}\n", reason);
  return code != 0 ? code : 1;
}

}  // namespace causcale::cli

int main(int argc, char** argv) {
  causcale::cli::reserve_standard_streams();
  CLI::App app(
      "CauScale: from a table of observations to a causal graph.\n"
      "Edges are written source -> target; matrices are row -> column.");
  app.name("causcale");
  app.set_version_flag("--version", CAUSCALE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);

  namespace cli = causcale::cli;
  cli::add_discover(app, cli::command_line(argc, argv));
  cli::add_audit(app);
  cli::add_serve(app);
  cli::headed(app, "Find a graph");
  cli::add_check(app);
  cli::add_effects(app);
  cli::add_next(app);
  cli::add_samples(app);
  cli::add_convert(app);
  cli::headed(app, "Work with the result");
  cli::add_methods(app);
  cli::add_compare(app);
  cli::add_evaluate(app);
  cli::add_simulate(app);
  cli::add_benchmark(app);
  cli::headed(app, "Compare and measure");
  cli::add_models(app);
  cli::add_train(app);
  cli::add_calibrate(app);
  cli::add_stack(app);
  cli::headed(app, "Models");
  cli::add_info(app);
  cli::headed(app, "This program");
  cli::add_completions(app);
  cli::add_manpage(app);
  cli::accept_any_case(app);
  app.footer(
      "To begin with:\n"
      "  causcale discover data.csv -o report.html     one row per sample, one column per variable\n"
      "  causcale serve                                the same in the browser; nothing leaves this "
      "computer\n"
      "  causcale COMMAND --help                       every option of a command");
  if (argc < 2) {
    causcale::print_error("{}", app.help());
    return 2;
  }

  const std::vector<std::string> typed = cli::joined_arguments(argc, argv);
  try {
    std::vector<std::string> arguments = typed;
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the end
    app.parse(std::move(arguments));
    return cli::with_output_written(0);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return cli::with_output_written(app.exit(error));  // --help, --version
    if (const auto [message, hint] = cli::find_misunderstanding(app, typed); !message.empty()) {
      causcale::print_error("causcale: {}\n  {}\n", message, hint);
      return 2;
    }
    causcale::print_error("causcale: {}\n", error.what());
    const auto chosen = app.get_subcommands();
    causcale::print_error("Try: causcale {}--help\n", chosen.empty() ? "" : chosen.front()->get_name() + " ");
    return 2;
  } catch (const causcale::Error& error) {
    causcale::print_error("causcale: {}\n", error.what());
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    causcale::print_error("causcale: out of memory\n");
    return 3;
  } catch (const std::exception& error) {
    if (const int code = cli::with_output_written(0); code != 0) return code;
    causcale::print_error("causcale: internal error: {}\n", error.what());
    return 3;
  }
}
