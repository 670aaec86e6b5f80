// Every metric of a predicted graph.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "arrays.h"
#include "metrics/evaluation.h"
#include "topics.h"

namespace causcale::python {
namespace {

// As JSON text, which is what the command line prints, too: one set of names for both. `known` is None, or
// has NaN where a list of edges says nothing.
std::string evaluate_json(const DoubleArray& scores, const EdgePairs& truth, double threshold, int threads,
                          const std::optional<DoubleArray>& known) {
  const Matrix<double> matrix = matrix_from(scores);
  const Digraph graph(static_cast<int>(matrix.rows()), edges_from(truth));
  std::optional<PartialScores> partial;
  if (known) {
    partial = PartialScores{matrix_from(*known), Matrix<std::uint8_t>(matrix.rows(), matrix.cols())};
    for (std::size_t k = 0; k < partial->scores.size(); ++k)
      partial->is_known.values()[k] = !std::isnan(partial->scores.values()[k]);
  }
  py::gil_scoped_release unlocked;
  return to_json(partial ? evaluate_partial(matrix, *partial, graph, threshold, threads)
                         : evaluate(matrix, graph, threshold, threads))
      .dump();
}

}  // namespace

void add_evaluate(py::module_& module) {
  using namespace py::literals;
  module.def("evaluate_json", &evaluate_json, "scores"_a, "truth"_a, "threshold"_a, "threads"_a,
             "known"_a = std::nullopt);
}

}  // namespace causcale::python
