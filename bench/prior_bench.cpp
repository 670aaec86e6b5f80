// How long does the prior take, and how does the dense algebra below it compare with OpenBLAS?
//
// OpenBLAS takes part where the build found it (CAUSCALE_BENCH_LAPACK); OPENBLAS_CORETYPE=Prescott shows it
// as it runs on a processor that it does not recognise. OPENBLAS_NUM_THREADS and an argument give the
// threads.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "base/random.h"
#include "linalg/triangular.h"
#include "prior/dense_algebra.h"
#include "prior/precision.h"

#ifdef CAUSCALE_BENCH_LAPACK
#include <cblas.h>
#include <lapacke.h>
#endif

namespace {

using causcale::Matrix;
namespace linalg = causcale::linalg;

Matrix<double> normal_values(std::size_t rows, std::size_t cols) {
  causcale::RandomStream random(1, 0, 0);
  Matrix<double> values(rows, cols);
  for (double& value : values.values()) value = random.normal();
  return values;
}

bool count_processor_time = false;

double now() {
  if (count_processor_time) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best of some runs, each on a fresh copy.
double seconds(const Matrix<double>& input, int repeats, const std::function<void(Matrix<double>&)>& work) {
  double best = 1e9;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Matrix<double> copy = input;
    const double start = now();
    work(copy);
    best = std::min(best, now() - start);
  }
  return best;
}

void compare_inverses(int threads) {
  fmt::print("Product X^T X of 1000 rows and inverse through Cholesky, seconds; threads: {}\n",
             threads ? fmt::to_string(threads) : "all");
#ifdef CAUSCALE_BENCH_LAPACK
  if (threads) openblas_set_num_threads(threads);
  fmt::print("OpenBLAS runs as {}\n", openblas_get_corename());
#endif
  fmt::print("{:>6} {:>9} {:>10} {:>10} {:>9} {:>9} {:>14}\n", "n", "kernels", "product", "inverse",
             "GFLOP/s", "product x", "inverse x");
  for (const std::int64_t n : {100, 400, 1000, 2000, 5000}) {
    const int repeats = n <= 400 ? 20 : n <= 1000 ? 5 : n <= 2000 ? 3 : 1;
    const Matrix<double> x = normal_values(1000, n);
    Matrix<double> spd = causcale::gram(x);
    for (double& value : spd.values()) value /= 1000.0;
    for (std::int64_t i = 0; i < n; ++i) spd(i, i) += 0.1;
    double blas_product = 0.0, blas_inverse = 0.0;
#ifdef CAUSCALE_BENCH_LAPACK
    const int size = static_cast<int>(n);
    Matrix<double> result(n, n);
    blas_product = seconds(x, repeats, [&](Matrix<double>& a) {
      cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, size, 1000, 1.0, a.data(), size, 0.0, result.data(),
                  size);
    });
    blas_inverse = seconds(spd, repeats, [&](Matrix<double>& a) {
      LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', size, a.data(), size);
      LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', size, a.data(), size);
    });
    fmt::print("{:>6} {:>9} {:>10.5f} {:>10.5f} {:>9.1f}\n", n, "OpenBLAS", blas_product, blas_inverse,
               2e-9 * n * n * n / blas_inverse);
#endif
    for (const linalg::Kernels* kernels : linalg::available_kernels()) {
      if (n > 2000 && kernels != linalg::available_kernels().back()) continue;
      const linalg::Context context{*kernels, threads};
      Matrix<double> to(n, n);
      const double product = seconds(x, repeats, [&](Matrix<double>& a) {
        linalg::multiply(context, n, n, 1000, 1.0, {a.data(), 1, n}, {a.data(), n, 1}, to.data(), n, false,
                         linalg::Part::kUpper);
      });
      const double inverse = seconds(spd, repeats, [&](Matrix<double>& a) {
        if (!linalg::cholesky(context, n, a.data(), n)) std::exit(1);
        linalg::invert_upper(context, n, a.data(), n);
        linalg::square_upper(context, n, a.data(), n);
      });
      fmt::print("{:>6} {:>9} {:>10.5f} {:>10.5f} {:>9.1f}", n, kernels->name, product, inverse,
                 2e-9 * n * n * n / inverse);
      if (blas_inverse > 0.0)
        fmt::print(" {:>9.2f} {:>9.2f}", blas_product / product, blas_inverse / inverse);
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
}

void compare_eigenvectors() {
  fmt::print("\nEigenvectors of a symmetric matrix, seconds\n{:>6} {:>10} {:>10}\n", "n", "own", "OpenBLAS");
  for (const std::int64_t n : {100, 400, 1000}) {
    const Matrix<double> s = causcale::gram(normal_values(n, n));
    const double own = seconds(s, 1, [](Matrix<double>& a) { causcale::symmetric_eigen(a); });
    fmt::print("{:>6} {:>10.4f}", n, own);
#ifdef CAUSCALE_BENCH_LAPACK
    std::vector<double> values(n);
    const double blas = seconds(s, 1, [&](Matrix<double>& a) {
      const int size = static_cast<int>(n);
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', size, a.data(), size, values.data());
    });
    fmt::print(" {:>10.4f}", blas);
#endif
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void time_priors() {
  using causcale::PriorMethod;
  fmt::print("\nThe prior of a table\n{:>6} {:>6} {:>16} {:>10}\n", "rows", "n", "method", "seconds");
  struct Setting {
    int rows, variables;
    PriorMethod method;
  };
  for (const auto& [rows, variables, method] : {Setting{500, 20, PriorMethod::kAuto},
                                                {500, 99, PriorMethod::kAuto},
                                                {500, 100, PriorMethod::kAuto},
                                                {500, 300, PriorMethod::kAuto},
                                                {500, 500, PriorMethod::kAuto},
                                                {1000, 500, PriorMethod::kPseudoInverse},
                                                {1000, 1000, PriorMethod::kAuto},
                                                {1000, 2000, PriorMethod::kAuto},
                                                {1000, 5000, PriorMethod::kAuto}}) {
    causcale::PriorOptions options;
    options.method = method;
    const double best = seconds(normal_values(rows, variables), variables > 1000 ? 1 : 3,
                                [&](Matrix<double>& values) { causcale::precision_prior(values, options); });
    const bool inverse = method == PriorMethod::kPseudoInverse || variables < 100;
    fmt::print("{:>6} {:>6} {:>16} {:>10.4f}\n", rows, variables, inverse ? "pseudo-inverse" : "Ledoit-Wolf",
               best);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 0;
  count_processor_time = threads == 1;
  compare_inverses(threads);
  compare_eigenvectors();
  time_priors();
}
