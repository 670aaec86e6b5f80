#include <causcale/error.h>
#include <causcale/graph.h>
#include <causcale/read.h>

#include <cstdio>

// A program of a few lines that lives outside this project: builds a graph, is told about a bad edge, reads a
// table.
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
  return 0;
}
