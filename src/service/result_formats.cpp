#include "service/result_formats.h"

#include <fmt/format.h>

#include "base/npy.h"
#include "causcale/error.h"
#include "exchange/formats.h"
#include "report/exchange_output.h"
#include "report/html.h"
#include "report/png.h"
#include "report/svg.h"

namespace causcale {
namespace {

constexpr const char *kText = "text/plain; charset=utf-8", *kCsv = "text/csv; charset=utf-8";

// Formats of other programs that none of the program's own names stands for.
constexpr GraphFormat kExchange[] = {GraphFormat::kDagitty,      GraphFormat::kNodeLink,
                                     GraphFormat::kCaugi,        GraphFormat::kBnlearnStrength,
                                     GraphFormat::kBnlearnModel, GraphFormat::kPcalgCpdag,
                                     GraphFormat::kPcalgPag};

std::string exchange_file(GraphFormat format) {
  const std::string name = format_name(format);
  switch (format) {
    case GraphFormat::kDagitty:
      return "graph.dagitty";
    case GraphFormat::kNodeLink:
      return "graph." + name + ".json";
    case GraphFormat::kBnlearnModel:
      return "graph." + name + ".txt";
    default:
      return "graph." + name + ".csv";
  }
}

}  // namespace

std::vector<ResultFormat> result_formats() {
  std::vector<ResultFormat> formats = {{"html", "report.html", "text/html; charset=utf-8"},
                                       {"csv", "edges.csv", kCsv},
                                       {"pairs", "pairs.csv", kCsv},
                                       {"matrix", "probabilities.csv", kCsv},
                                       {"npy", "probabilities.npy", "application/octet-stream"},
                                       {"json", "result.json", "application/json"},
                                       {"svg", "graph.svg", "image/svg+xml"}};
  if (png_is_available()) formats.push_back({"png", "graph.png", "image/png"});
  formats.push_back({"dot", "graph.dot", kText});
  formats.push_back({"graphml", "graph.graphml", "application/xml"});
  formats.push_back({"gml", "graph.gml", kText});
  formats.push_back({"tetrad", "graph.txt", kText});
  for (const GraphFormat format : kExchange) {
    const std::string file = exchange_file(format);
    formats.push_back({format_name(format), file,
                       file.ends_with(".json")  ? "application/json"
                       : file.ends_with(".csv") ? kCsv
                                                : kText});
  }
  return formats;
}

ResultFormat result_format_named(std::string_view name) {
  std::string accepted;
  for (const ResultFormat& format : result_formats()) {
    if (format.name == name) return format;
    accepted += (accepted.empty() ? "" : ", ") + format.name;
  }
  throw UsageError(fmt::format("there is no format '{}'; accepted: {}", name, accepted));
}

std::string format_result(const DiscoverResult& result, const RunRecord& record, std::string_view format) {
  result_format_named(format);
  if (format == "html") return format_html(result, record);
  if (format == "csv") return format_edges_csv(result);
  if (format == "pairs") return format_pairs_csv(result);
  if (format == "matrix") return format_matrix_csv(result);
  if (format == "npy") return format_npy(result.probabilities);
  if (format == "json") return format_json(result, record);
  if (format == "svg") return format_svg(result, record.knowledge);
  if (format == "png") return format_png(result, record.knowledge);
  if (format == "dot") return format_dot(result);
  if (format == "graphml") return format_graphml(result);
  if (format == "gml") return format_gml(result);
  if (format == "tetrad") return format_tetrad(result);
  return format_graph(document_of(result), format_named(format, "the format"));
}

}  // namespace causcale
