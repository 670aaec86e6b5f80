#include "convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "causcale/error.h"
#include "exchange/formats.h"
#include "output_paths.h"
#include "report/report.h"

namespace causcale::cli {
namespace {

struct ConvertOptions {
  std::filesystem::path in, out;
  std::string from, to;
  std::optional<double> threshold;
};

GraphFormat output_format(const ConvertOptions& options) {
  if (!options.to.empty()) return format_named(options.to, "--to");
  if (const auto format = format_of_name(options.out)) return *format;
  const std::string extension = options.out.extension().string();
  if (extension == ".dot" || extension == ".graphml")
    throw UsageError(
        fmt::format("{}: convert does not write this format; discover -o does", options.out.string()));
  throw UsageError(
      fmt::format("{}: the name leaves the format open; set it with --to, or call the file NAME.FORMAT{}. "
                  "Formats: {}",
                  options.out.string(), extension, fmt::join(format_names(), ", ")));
}

void run(const ConvertOptions& options) {
  check_output_paths({is_standard_output(options.out) ? std::filesystem::path() : options.out}, {options.in});
  const GraphFormat format = output_format(options);
  if (options.threshold && std::isnan(*options.threshold))
    throw UsageError("--threshold nan: a number is needed, above which a score is an edge");
  ReadGraphOptions reading;
  reading.threshold = options.threshold;
  if (!options.from.empty()) reading.format = format_named(options.from, "--from");
  const std::string text = format_graph(read_graph_document(options.in, reading), format);
  if (is_standard_output(options.out))
    write_to_standard_output(text);
  else
    write_file_atomically(options.out, text);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Graphs from and to the formats of other programs");
  command->add_option("IN", options->in, "Graph file; its format is found out by name and content")
      ->required();
  command->add_option("OUT", options->out, "File to write, or - for standard output (with --to)")->required();
  command->add_option("--from", options->from, "Format of IN where it is open")->type_name("FORMAT");
  command->add_option("--to", options->to, "Format of OUT where its name leaves it open")
      ->type_name("FORMAT");
  command->add_option("--threshold", options->threshold,
                      "Of files with scores: edges are those above (needed for a matrix of scores)");
  command->footer(
      "Formats:\n"
      "  dagitty           dag { A -> B }, also pdag, mag, pag, and simple DOT; written with quotes where "
      "needed\n"
      "  gml               as networkx and DoWhy read it (directed 1, labels)\n"
      "  node-link         JSON of networkx\n"
      "  tetrad            Graph Nodes / Graph Edges of Tetrad and causal-learn; lines \"1. A --> B\"\n"
      "  caugi             CSV from,edge,to of caugi and causalDisco\n"
      "  bnlearn-strength  CSV from,to,strength,direction\n"
      "  bnlearn-model     [A][B|A]\n"
      "  pcalg-cpdag       matrix amat.cpdag: amat[a,b]=0 and amat[b,a]=1 is a --> b, both 1 a --- b\n"
      "  pcalg-pag         matrix amat.pag: 0 none, 1 circle, 2 arrowhead, 3 tail; amat[a,b] is the mark at "
      "b\n"
      "  edges, matrix     this program's CSV: source,target[,score][,edge]; row -> column\n"
      "  causcale          result of discover (.json), read only\n"
      "NAME.FORMAT.csv, NAME.dagitty and NAME.gml say it by name, here and in discover -o. pcalg-cpdag has "
      "to be\n"
      "said: its matrices look like those of this program, transposed. Nothing is written where a format "
      "cannot\n"
      "hold an edge of the graph.\n\n"
      "Examples:\n"
      "  causcale convert result.json graph.dagitty\n"
      "  causcale convert amat.csv graph.gml --from pcalg-cpdag\n"
      "  causcale convert graph.dagitty - --to bnlearn-model");
  command->callback([options] { run(*options); });
}

}  // namespace causcale::cli
