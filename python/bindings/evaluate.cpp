// Every metric of a predicted graph.
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "metrics/evaluation.h"
#include "topics.h"

namespace causcale::python {
namespace {

// As JSON text, which is what the command line prints, too: one set of names for both.
std::string evaluate_json(const DoubleArray& scores, const EdgePairs& truth, double threshold, int threads) {
  const Matrix<double> matrix = matrix_from(scores);
  const Digraph graph(static_cast<int>(matrix.rows()), edges_from(truth));
  py::gil_scoped_release unlocked;
  return to_json(evaluate(matrix, graph, threshold, threads)).dump();
}

}  // namespace

void add_evaluate(py::module_& module) {
  using namespace py::literals;
  module.def("evaluate_json", &evaluate_json, "scores"_a, "truth"_a, "threshold"_a, "threads"_a);
}

}  // namespace causcale::python
