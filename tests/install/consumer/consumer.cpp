#include <causcale/error.h>
#include <causcale/graph.h>

// A program of a few lines that lives outside this project: builds a graph and is told about a bad edge.
int main() {
  const causcale::Digraph graph(3, {{0, 1}, {1, 2}});
  try {
    causcale::Digraph(2, {{0, 0}});
  } catch (const causcale::InputError&) {
    return graph.parents(2)[0] == 1 ? 0 : 1;
  }
  return 1;
}
