// The interactive report: one HTML file that needs no network. The page itself is built from web/ and
// compiled in; what is written here is the result as JSON in a script element that the browser does not
// execute.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"
#include "report/shown_graph.h"

namespace causcale {

// What is stored of large results; smaller ones are stored whole.
struct HtmlLimits {
  std::size_t edges_per_variable = 20;  // the most probable edges, together at least `least_edges`
  std::size_t least_edges = 10'000;
  std::size_t most_edges = 100'000;    // even if the graph itself has more
  std::size_t heat_map_cells = 1'200;  // a side; beyond it blocks are merged and show their highest value
  // Beyond so many variables the page begins with a search and the list of the surest edges, so many of
  // them, and draws neighbourhoods only.
  std::size_t most_drawn_variables = 2'000;
  std::size_t searched_edges = 5'000;
  double floor = 0.001;  // edges outside the graph below it are not stored
};

std::string format_html(const ShownGraph& graph, const RunRecord& record, const HtmlLimits& limits = {});

// The data of the report, safe to stand inside a script element: it holds no '<'.
std::string format_html_data(const ShownGraph& graph, const RunRecord& record, const HtmlLimits& limits = {});

// The page as built from web/, with marks where title and data belong.
std::string_view report_page();

}  // namespace causcale
