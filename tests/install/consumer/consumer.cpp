#include <causcale/error.h>
#include <causcale/graph.h>
#include <causcale/read.h>
#include <causcale/samples.h>
#include <causcale/write.h>

#include <cstdio>

// A program of a few lines that lives outside this project: builds a graph, is told about a bad edge, reads a
// table, draws graphs, writes a result.
int main(int, char** arguments) {
  const causcale::Digraph graph(3, {{0, 1}, {1, 2}});
  if (graph.parents(2)[0] != 1) return 1;
  try {
    causcale::Digraph(2, {{0, 0}});
    return 1;
  } catch (const causcale::InputError&) {
  }
  const causcale::Dataset dataset = causcale::read_table(arguments[1], {.exclude = {"b"}});
  if (dataset.table.names != std::vector<std::string>{"a", "c"} || dataset.table.rows() != 2) return 1;
  try {
    causcale::read_table("none.csv");
    return 1;
  } catch (const causcale::InputError& error) {
    std::puts(error.what());
  }
  causcale::DiscoverResult result;
  result.names = dataset.table.names;
  result.probabilities = causcale::Matrix<double>(2, 2, {0.0, 0.75, 0.0, 0.0});
  result.graph = causcale::Digraph(2, {{0, 1}});
  if (causcale::sample_graphs(result.probabilities, {.count = 10}).graphs.size() != 10) return 1;
  causcale::write_result(arguments[2], result);
  try {
    causcale::write_result("graph.unknown", result);
    return 1;
  } catch (const causcale::UsageError& error) {
    std::puts(error.what());
  }
  return 0;
}
