#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/sha256.h"
#include "causcale/discover.h"
#include "causcale/error.h"
#include "commands.h"
#include "data/audit.h"
#include "discover/loaded_model.h"
#include "discover/settings.h"
#include "discover/transform.h"
#include "discover_many.h"
#include "discover_method.h"
#include "discover_options.h"
#include "discover_print.h"
#include "exchange/knowledge_graph.h"
#include "graph/knowledge_file.h"
#include "input_options.h"
#include "output_paths.h"
#include "report/options_json.h"
#include "report/report.h"
#include "report/sparse_output.h"

namespace causcale::cli {
namespace {

struct Arguments {
  InputOptions input;
  CommonOptions common;
  DiscoverOptions discover;
  std::vector<std::filesystem::path> outputs;
  std::filesystem::path matrix, ancestry, required, forbidden, tiers, knowledge;
  bool all_pairs = false;
  bool plan = false;
  bool distributed = false;
  MethodChoice method;
  bool threshold_given = false;
  std::vector<std::filesystem::path> tables;  // input.data is the one at work
  ManyOptions many;
};

void settle_options(Arguments& arguments) {
  DiscoverOptions& options = arguments.discover;
  arguments.input.max_bytes = static_cast<std::size_t>(options.max_memory);
  options.seed = arguments.common.seed;
  options.threads = arguments.common.threads;
  arguments.input.threads = arguments.common.threads;
  if (arguments.method.network()) check_probabilities(options);
  for (const auto& path : arguments.outputs) check_output_name(path);
  if (!arguments.matrix.empty()) check_matrix_name(arguments.matrix);
  if (!arguments.ancestry.empty()) {
    check_matrix_name(arguments.ancestry, "--ancestry");
    if (options.samples == 0) throw UsageError("--ancestry needs graphs: say how many with --samples K");
  }
  if (arguments.common.json && std::ranges::any_of(arguments.outputs, is_standard_output))
    throw UsageError("-o - and --json both write to standard output: leave one of them out");
}

// -q without any other output asks for the answer alone.
bool prints_list_only(const Arguments& arguments) {
  return arguments.common.quiet && !arguments.common.json && arguments.outputs.empty() &&
         arguments.matrix.empty() && arguments.ancestry.empty();
}

void check_all_pairs(const Arguments& arguments) {
  const auto is_list = [](const std::filesystem::path& path) {
    return path.extension() == ".csv" || is_standard_output(path);
  };
  if (arguments.all_pairs && !prints_list_only(arguments) && std::ranges::none_of(arguments.outputs, is_list))
    throw UsageError("--all-pairs says what the list of edges holds: name one with -o FILE.csv or -o -");
}

// Before any work: whether files that were asked for can hold so many variables.
void check_sizes(const Arguments& arguments, std::size_t variables) {
  for (const auto& path : {arguments.matrix, arguments.ancestry})
    if (!path.empty()) check_matrix_size(path, variables);
  if (arguments.all_pairs && arguments.discover.min_probability == 0)
    require_text_size("--all-pairs", variables, "give --min-probability, too");
}

// Everything that is read for a table, apart from the model.
std::vector<std::filesystem::path> files_read(const Arguments& arguments) {
  const InputOptions& input = arguments.input;
  return {input.data,          input.interventions, input.targets,      arguments.required,
          arguments.forbidden, arguments.tiers,     arguments.knowledge};
}

Knowledge read_knowledge(const Arguments& arguments, const std::vector<std::string>& names) {
  Knowledge knowledge;
  if (!arguments.knowledge.empty()) read_knowledge_file(arguments.knowledge, names, knowledge);
  const auto append = [&](std::vector<Edge>& to, const std::filesystem::path& path) {
    if (path.empty()) return;
    const bool required = &to == &knowledge.required;
    const auto edges = read_edge_knowledge(path, names, required);
    to.insert(to.end(), edges.begin(), edges.end());
  };
  append(knowledge.required, arguments.required);
  append(knowledge.forbidden, arguments.forbidden);
  if (!arguments.tiers.empty()) read_tiers(arguments.tiers, names, knowledge);
  return knowledge;
}

std::string options_text(const Arguments& arguments) {
  nlohmann::ordered_json json = options_json(arguments.discover);
  json["all_pairs"] = arguments.all_pairs;
  return json.dump();
}

MethodJob method_job(const Arguments& arguments) {
  const DiscoverOptions& options = arguments.discover;
  MethodJob job{.choice = arguments.method,
                .knowledge = options.knowledge,
                .selection = {.threshold = {},
                              .top = options.top,
                              .acyclic = options.acyclic,
                              .acyclic_rule = options.acyclic_rule,
                              .seed = options.seed,
                              .threads = options.threads},
                .outputs = arguments.outputs,
                .matrix = arguments.matrix,
                .common = arguments.common,
                .network = options};
  if (arguments.threshold_given) job.selection.threshold = options.threshold;
  return job;
}

// A table made ready for any method, with everything that is remarkable about it.
struct Prepared {
  Dataset dataset;
  AuditReport findings;
  RunRecord record;
};

Prepared prepare(Arguments& arguments, const std::string& command, bool quiet) {
  Prepared prepared;
  ReadNotes notes;
  prepared.dataset = read_input(arguments.input, &notes);
  prepared.findings = audit(prepared.dataset, data_name(arguments.input), &notes);
  prepared.findings.throw_if_errors();
  if (!quiet)
    for (const Finding& finding : prepared.findings.findings)
      print_remark(severity_name(finding.severity), finding.message, finding.hint);
  arguments.discover.knowledge = read_knowledge(arguments, prepared.dataset.table.names);
  const std::string audited = prepared.findings.to_json();
  prepared.record = {.command = command,
                     .data_file = data_name(arguments.input),
                     .data_sha256 = sha256_of_file(arguments.input.data),
                     .audit_json = nlohmann::json::parse(audited)["findings"].dump(),
                     .options_json = options_text(arguments),
                     .knowledge = arguments.discover.knowledge,
                     .all_pairs = arguments.all_pairs,
                     .variables_json = nlohmann::ordered_json::parse(audited)["variables"].dump()};
  return prepared;
}

void run_many(const Arguments& arguments, const std::string& command) {
  if (!arguments.outputs.empty() || !arguments.matrix.empty() || !arguments.ancestry.empty() ||
      arguments.plan)
    throw UsageError(
        "--out-dir names its files itself (see --format): leave -o, --matrix, --ancestry and --plan out");
  if (!arguments.method.network()) throw UsageError("--method takes one table: leave --out-dir out");
  ManyOptions options = arguments.many;
  options.tables = arguments.tables;
  options.quiet = arguments.common.quiet;
  options.json = arguments.common.json;
  options.threads = arguments.common.threads;
  check_many_options(options);
  Arguments common = arguments;  // without the list of tables, of which each would get a copy
  common.tables.clear();
  const auto for_table = [&](const std::filesystem::path& table, int threads) {
    Arguments own = common;
    own.input.data = table;
    own.input.interventions = fill_in(arguments.input.interventions, table);
    own.input.targets = fill_in(arguments.input.targets, table);
    own.input.threads = own.discover.threads = threads;
    return own;
  };
  std::vector<std::filesystem::path> read;
  for (const auto& table : options.tables) {
    if (table == "-")
      throw UsageError("standard input (-) cannot be one of several tables; give it alone, with -o");
    const auto files = files_read(for_table(table, 0));
    read.insert(read.end(), files.begin(), files.end());
  }
  check_output_paths(result_files(options), read);
  const LoadedModel loaded = load_for_discover(arguments.discover);
  const auto inputs = [&](const std::filesystem::path& table) {
    const Arguments own = for_table(table, 0);
    return TableInputs{fmt::format("{} {} {} {}", CAUSCALE_VERSION, loaded.sha256, options_text(arguments),
                                   describe(own.input)),
                       files_read(own)};
  };
  discover_many(options, inputs, [&](const std::filesystem::path& table, int threads) {
    Arguments own = for_table(table, threads);
    Prepared prepared = prepare(own, command, true);
    return FileResult{discover(prepared.dataset, own.discover, loaded), std::move(prepared.record)};
  });
}

void run(Arguments& arguments, const std::string& command) {
  settle_options(arguments);
  LoadedModel loaded;
  if (arguments.distributed) {
    if (!arguments.many.folder.empty() || !arguments.method.network())
      throw UsageError(
          "--distributed shares one table's network: leave --out-dir (whose processes share tables without "
          "it) "
          "and --method out");
    // What does not fit one machine is shared in order to be seen as a whole.
    if (arguments.discover.block_columns == kAutoBlocks) arguments.discover.block_columns = kNoBlocks;
    loaded = load_distributed(arguments.discover);
    if (!loaded.network) return;  // this process has worked for the first one
  }
  if (!arguments.many.folder.empty()) return run_many(arguments, command);
  if (arguments.tables.size() > 1)
    throw UsageError(fmt::format("{} tables are given: name a folder for the results with --out-dir",
                                 arguments.tables.size()));
  arguments.input.data = arguments.tables.front();
  check_all_pairs(arguments);
  take_standard_input(arguments.input);
  std::vector<std::filesystem::path> named = arguments.outputs, written;
  named.push_back(arguments.matrix);
  named.push_back(arguments.ancestry);
  for (const auto& path : named)
    for (const auto& file : files_written(path)) written.push_back(file);
  check_output_paths(written, files_read(arguments));
  if (arguments.plan) {
    ReadNotes notes;
    const Dataset dataset = read_input(arguments.input, &notes);
    if (!loaded.network) loaded = load_for_discover(arguments.discover);
    print_plan(plan_discover(dataset.table.rows(), dataset.table.cols(), arguments.discover, loaded),
               arguments.common.json);
    return;
  }

  auto [dataset, findings, record] = prepare(arguments, command, arguments.common.quiet);
  check_sizes(arguments, dataset.table.cols());
  if (!arguments.method.network()) {
    if (arguments.discover.transform == ValueTransform::kLog1p) take_logarithms(dataset.table);
    discover_with_method(method_job(arguments), dataset, findings, record);
    return;
  }

  DiscoverResult result;
  {
    Progress bar("discover", 100, arguments.common.quiet || arguments.common.json);
    std::size_t shown = 0;
    arguments.discover.progress = [&](const std::string&, double share) {
      const auto now = static_cast<std::size_t>(100 * share);
      bar.advance(now - shown);
      shown = now;
    };
    result = loaded.network ? discover(dataset, arguments.discover, loaded)
                            : discover(dataset, arguments.discover);
  }
  loaded = {};  // the other processes may go
  if (!arguments.common.quiet)
    for (const Remark& remark : result.applicability) {
      const bool printed = std::ranges::any_of(
          findings.findings, [&](const Finding& finding) { return finding.message == remark.message; });
      if (!printed) print_remark("warning", remark.message, remark.hint);
    }
  for (const auto& path : arguments.outputs) write_result(path, result, record);
  if (!arguments.matrix.empty()) write_matrix(arguments.matrix, result);
  if (!arguments.ancestry.empty())
    write_matrix(arguments.ancestry, result.names, result.ancestry, output_floor(result));
  if (arguments.common.json)
    fmt::print("{}", format_json(result, record));
  else if (prints_list_only(arguments))
    write_result("-", result, record);
  else if (!arguments.common.quiet && std::ranges::none_of(arguments.outputs, is_standard_output))
    print_discovery(result, findings.intervened_rows, arguments.discover);
}

}  // namespace

void add_discover(CLI::App& app, const std::string& command_line) {
  CLI::App* command = app.add_subcommand("discover", "From a table of observations to a causal graph");
  command->footer(
      "Examples:\n"
      "  causcale discover data.csv -o edges.csv -o report.html\n"
      "  causcale discover data.csv -q | head -5                    # the edges as CSV, nothing else\n"
      "  zcat data.csv.gz | causcale discover - -o report.html      # a table from standard input\n"
      "  causcale discover data.csv --interventions targets.csv --dag -o graph.graphml --matrix p.npy\n"
      "  causcale discover cells.h5ad --label-column perturbation --control control -o edges.csv\n"
      "  causcale discover data.csv --forbidden no.csv --tiers tiers.csv -o result.json\n"
      "  causcale discover data.csv --method pc --set alpha=0.01 -o graph.txt\n"
      "  causcale discover data.csv --bootstrap 50 --dag optimal -o result.json\n"
      "  causcale discover data.csv --method pc,ges,boss --combine --bootstrap 20 -o report.html\n"
      "  causcale discover tables/*.csv --out-dir results --format csv,json --jobs 2\n"
      "  causcale discover */data.csv --interventions '{dir}/interventions.csv' --out-dir results\n"
      "  causcale discover wide.csv --min-probability 0.05 --top 5000 --matrix p.npz -o report.html\n"
      "  torchrun --no_python --nproc_per_node 8 causcale discover wide.csv --distributed --matrix p.npz\n"
      "  causcale discover data.csv --plan");
  auto arguments = std::make_shared<Arguments>();
  add_input_options(*command, arguments->input, &arguments->tables);

  command
      ->add_option(
          "-o,--output", arguments->outputs,
          "Result, by extension: .html (interactive report), .svg, .png, .csv (edges), .json, .dot, "
          ".graphml, "
          ".gml, .txt (Tetrad), .npz or .mtx (sparse matrix), - (edges as CSV to standard output); may be "
          "repeated")
      ->allow_extra_args(false)
      ->group("Output");
  command
      ->add_option(
          "--matrix", arguments->matrix,
          "All n x n probabilities, row -> column: FILE.npy or FILE.csv; sparse, without those below "
          "--min-probability: FILE.npz (SciPy) or FILE.mtx (Matrix Market, names in FILE.names.txt)")
      ->group("Output");
  command
      ->add_option("--ancestry", arguments->ancestry,
                   "With --samples: all n x n probabilities that the row causes the column by any path: "
                   "FILE.npy, FILE.csv, FILE.npz or FILE.mtx")
      ->group("Output");
  command
      ->add_flag("--all-pairs", arguments->all_pairs,
                 "The list of edges (.csv, -) holds every ordered pair with its probability, and which are "
                 "selected: what average precision needs")
      ->group("Output");
  add_discover_options(*command, OptionGroup::kOutput, arguments->discover);

  add_discover_options(*command, OptionGroup::kModel, arguments->discover);
  command->add_flag("--plan", arguments->plan, "Only say what would be done: passes, memory, time")
      ->group("Model");

  command
      ->add_flag(
          "--distributed", arguments->distributed,
          "Share the network's memory and work for this one table over the processes that torchrun, mpirun "
          "or srun has started; the first writes the results")
      ->group("Model");

  add_method_options(*command, arguments->method);

  command
      ->add_option("--required", arguments->required,
                   "Edges that must be there: CSV from,to, or a graph file (see convert)")
      ->group("Knowledge");
  command->add_option("--forbidden", arguments->forbidden, "Edges that must not be there, in the same forms")
      ->group("Knowledge");
  command
      ->add_option("--tiers", arguments->tiers, "CSV variable,tier: no edge from a later to an earlier tier")
      ->group("Knowledge");
  command
      ->add_option("--knowledge", arguments->knowledge,
                   "Knowledge file in Tetrad's format, or a graph (see convert) whose arrows must be there")
      ->group("Knowledge");
  add_many_options(*command, arguments->many);
  add_common_options(*command, arguments->common, kSeed | kThreads | kQuiet | kJson);
  command->callback([arguments, command, command_line] {
    check_method_choice(*command, arguments->method);
    arguments->threshold_given = command->count("--threshold") > 0;
    run(*arguments, command_line);
  });
}

}  // namespace causcale::cli
