// Writes the pages that the browser test opens: write_samples FOLDER
#include <cstdio>

#include "base/file.h"
#include "report/html.h"
#include "report/sample_results.h"

using namespace causcale;

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: write_samples FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  RunRecord record = sample_record();
  DiscoverResult small = synthetic_result(12, 18, 3);
  record.knowledge.required = {small.graph.edges()[0]};
  record.knowledge.forbidden = {{small.graph.edges()[1].target, small.graph.edges()[1].source}};
  small.removed_edges = {{{small.graph.edges()[2].target, small.graph.edges()[2].source}, 0.6}};
  small.probabilities(small.graph.edges()[2].target, small.graph.edges()[2].source) = 0.6;
  small.applicability = {{"binary_columns", "4 of 12 columns hold two values only, unlike the training data",
                          "causcale discover DATA --method ges suits such tables"}};
  write_file_atomically(folder / "small.html", format_html(small, record));
  RunRecord plain_record = sample_record();
  plain_record.audit_json = "[]";
  write_file_atomically(folder / "plain.html", format_html(synthetic_result(12, 18, 3), plain_record));
  write_file_atomically(folder / "hostile.html", format_html(hostile_result(), sample_record(true)));
  RunRecord method_record = sample_record();
  method_record.options_json = R"({"method":"fci","top":0,"dag":false,"seed":0,"threshold":null})";
  write_file_atomically(folder / "pag.html", format_html(pag_outcome(), method_record));
  write_file_atomically(folder / "cpdag.html", format_html(cpdag_outcome(), method_record));
  write_file_atomically(folder / "large.html", format_html(synthetic_result(1000, 5000, 1), sample_record()));
  write_file_atomically(folder / "wide.html", format_html(synthetic_result(2100, 6000, 5), sample_record()));
  return 0;
}
