// Examples whose outcome other programs' documentation shows, on the same data. The Gaussian methods see only
// means and covariances, so these stand here in place of the tables.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "methods/gaussian_models.h"
#include "methods/method.h"

namespace causcale {
namespace {

struct Moments {
  int rows;
  std::vector<double> mean;
  std::vector<double> covariance;  // lower triangle, row by row
};

// Appends about that many rows (a multiple of twice the number of variables) with exactly these moments.
void append_rows(Dataset& dataset, const Moments& moments, int regime, std::vector<double>& values) {
  const int n = static_cast<int>(moments.mean.size());
  Eigen::MatrixXd covariance(n, n);
  for (int i = 0, k = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j, ++k) covariance(i, j) = covariance(j, i) = moments.covariance[k];
  const Eigen::MatrixXd root = covariance.llt().matrixL();
  for (int copy = 0; copy < moments.rows / (2 * n); ++copy)
    for (int column = 0; column < n; ++column)
      for (const double sign : {1.0, -1.0}) {
        for (int v = 0; v < n; ++v) values.push_back(moments.mean[v] + sign * std::sqrt(n) * root(v, column));
        dataset.interventions.regime_of_row.push_back(regime);
      }
}

Dataset dataset_of(const std::vector<std::string>& names, const std::vector<Moments>& regimes,
                   const std::vector<std::vector<int>>& targets) {
  Dataset dataset;
  dataset.table.names = names;
  dataset.interventions.regimes = targets;
  std::vector<double> values;
  for (std::size_t r = 0; r < regimes.size(); ++r)
    append_rows(dataset, regimes[r], static_cast<int>(r), values);
  dataset.table.values =
      Matrix<double>(dataset.interventions.regime_of_row.size(), names.size(), std::move(values));
  if (targets.empty()) dataset.interventions = {};
  return dataset;
}

// gaussian.test of bnlearn, 5000 rows, made from [A][B][E][G][C|A:B][D|B][F|A:D:E:G] as its manual says. Of
// that structure only the direction of B - D is left open by the data.
TEST(PublishedExamples, BnlearnGaussianTest) {
  const Moments moments{
      5000,
      std::vector<double>(7, 0.0),
      {1.008282,     -0.07955999, 9.203989,   1.853384,   18.24098,    40.42376,    -0.1188721,
       13.79119,     27.33036,    20.77259,   0.01874123, -0.01432663, 0.002913008, -0.009648937,
       3.958751,     1.90528,     13.70617,   31.19549,   20.66954,    3.955609,    38.3042,
       -0.003570247, 0.01018643,  0.01885081, 0.0178396,  -0.02744512, 5.862181,    3.934002}};
  const Dataset data = dataset_of({"A", "B", "C", "D", "E", "F", "G"}, {moments}, {});
  MixedGraph expected(Digraph(7, {{0, 2}, {1, 2}, {0, 5}, {3, 5}, {4, 5}, {6, 5}}));
  expected.set(1, 3, Mark::kTail, Mark::kTail);
  EXPECT_EQ(run_method(pc_method(), data, {}).graph, expected);
  EXPECT_EQ(run_method(ges_method(), data, {}).graph, expected);
}

// gmInt of pcalg: 3000 rows without intervention, 1000 with Ctrl and 1000 with V5 set. The help page of gies
// runs it beside the true graph; one edge, Author - Bar, has no direction in the interventional class.
TEST(PublishedExamples, PcalgInterventions) {
  enum { kAuthor, kBar, kCtrl, kGoal, kV5, kV6, kV7, kV8 };
  const std::vector<Moments> regimes = {
      {3000,
       {-0.01262178, 0.01593471, 0.03882911, 0.007196884, 0.006015603, 0.01514507, 0.001090592, 0.04689581},
       {1.007921,     0.2996767,  1.079709,    0.2262617, 0.787483,  1.563155,    0.04510457, 0.01357368,
        -0.002716225, 0.9875373,  0.02357259,  0.1771472, 0.1161498, -0.02331637, 0.996119,   0.5504477,
        0.1984427,    0.1281946,  0.005247042, 0.1925798, 1.342385,  0.1770701,   0.06436249, 0.01794384,
        -0.005402674, 0.07000698, 0.4634953,   1.149184,  0.3205437, 0.2983043,   0.2203748,  -0.03088681,
        0.9895436,    0.324158,   0.1269997,   2.062756}},
      {1000,
       {-0.003047907, -0.001246094, 3.999099, -0.003195619, -0.03046777, -0.06188408, -0.02473127,
        -0.06916616},
       {0.9842686,     0.311506,    1.131606,    -0.001630482, -0.0003304098, 0.0003942789,
        -0.01887608,   -0.01572768, 0.000505416, 0.9942078,    0.09717379,    0.209158,
        -0.0006538168, 0.02366821,  1.018503,    0.5193015,    0.182778,      -0.001299447,
        0.009942391,   0.2753983,   1.401084,    0.2016639,    0.01534589,    -0.0005499295,
        -0.005303256,  0.1009926,   0.5825644,   1.29292,      0.3508907,     0.2762937,
        -0.001284858,  0.05800013,  1.030773,    0.3943158,    0.1385246,     2.123981}},
      {1000,
       {0.01547439, -0.02743436, -0.03750087, 0.04248659, 3.999705, 0.7436425, 0.2939871, 3.962634},
       {1.013372,     0.3179266,     1.075041,     0.1986367, 0.7612131,     1.606688,
        0.006510749,  -0.004958572,  0.001063067,  0.9618254, -6.569602e-05, 0.0005787683,
        0.0005943879, 0.0003768264,  0.0003878799, 0.6122657, 0.2144953,     0.1265909,
        -0.02333578,  0.0001381852,  1.401942,     0.259608,  0.02673141,    -0.03307032,
        0.009872759,  -0.0005081188, 0.5494777,    1.212514,  0.2590625,     0.07965133,
        0.03265705,   0.008295012,   0.0003006184, 0.166028,  0.006327971,   1.062681}}};
  const Dataset data =
      dataset_of({"Author", "Bar", "Ctrl", "Goal", "V5", "V6", "V7", "V8"}, regimes, {{}, {kCtrl}, {kV5}});
  MixedGraph expected(Digraph(
      8, {{kAuthor, kV8}, {kAuthor, kV6}, {kBar, kV5}, {kBar, kCtrl}, {kV5, kV8}, {kV5, kV6}, {kV6, kV7}}));
  expected.set(kAuthor, kBar, Mark::kTail, Mark::kTail);
  EXPECT_EQ(run_method(gies_method(), data, {}).graph, expected);
}

// The tutorial of the lingam package: six variables, uniform noise from NumPy's generator with seed 100,
// whose numbers std::mt19937 gives as well. It prints the order 3, 0, 2, 1, 4, 5 and a matrix of
// coefficients, of which its adaptive lasso has shrunk two (x2 by x3 and x5 by x0).
TEST(PublishedExamples, LingamTutorial) {
  std::mt19937 generator(100);
  const auto uniform = [&] {
    const double high = generator() >> 5, low = generator() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  };
  constexpr std::size_t kRows = 1000;
  Dataset data;
  data.table.names = {"x0", "x1", "x2", "x3", "x4", "x5"};
  Matrix<double>& x = data.table.values = Matrix<double>(kRows, 6);
  for (std::size_t r = 0; r < kRows; ++r) x(r, 3) = uniform();
  for (std::size_t r = 0; r < kRows; ++r) x(r, 0) = 3.0 * x(r, 3) + uniform();
  for (std::size_t r = 0; r < kRows; ++r) x(r, 2) = 6.0 * x(r, 3) + uniform();
  for (std::size_t r = 0; r < kRows; ++r) x(r, 1) = 3.0 * x(r, 0) + 2.0 * x(r, 2) + uniform();
  for (std::size_t r = 0; r < kRows; ++r) x(r, 5) = 4.0 * x(r, 0) + uniform();
  for (std::size_t r = 0; r < kRows; ++r) x(r, 4) = 8.0 * x(r, 0) - x(r, 2) + uniform();
  ASSERT_NEAR(x(0, 1), 12.090323, 1e-6);
  ASSERT_NEAR(x(4, 4), 2.343100, 1e-6);

  const MethodResult result = run_method(direct_lingam_method(), data, {});
  EXPECT_EQ(result.graph, MixedGraph(Digraph(6, {{3, 0}, {0, 1}, {2, 1}, {3, 2}, {0, 4}, {2, 4}, {0, 5}})));
  const auto deviation = [&](int v) {
    double mean = 0.0, square = 0.0;
    for (std::size_t r = 0; r < kRows; ++r) mean += x(r, v) / kRows;
    for (std::size_t r = 0; r < kRows; ++r) square += std::pow(x(r, v) - mean, 2) / kRows;
    return std::sqrt(square);
  };
  const auto coefficient = [&](int source, int target) {
    return result.scores(source, target) * deviation(target) / deviation(source);
  };
  EXPECT_NEAR(coefficient(3, 0), 2.994, 0.02);
  EXPECT_NEAR(coefficient(0, 1), 2.995, 0.02);
  EXPECT_NEAR(coefficient(2, 1), 1.993, 0.02);
  EXPECT_NEAR(coefficient(0, 4), 7.981, 0.03);
  EXPECT_NEAR(coefficient(2, 4), 0.996, 0.02);

  MethodOptions complete;
  complete.settings["penalty"] = "0";  // every predecessor becomes a parent, which shows the whole order
  const MethodResult ordered = run_method(direct_lingam_method(), data, complete);
  std::vector<int> order(6, -1);
  for (int v = 0; v < 6; ++v) {
    int parents = 0;
    for (int u = 0; u < 6; ++u) parents += ordered.graph.directed(u, v);
    order[parents] = v;
  }
  EXPECT_EQ(order, (std::vector<int>{3, 0, 2, 1, 4, 5}));
}

}  // namespace
}  // namespace causcale
