// How fast are the core's matrix products, one thread, against OpenBLAS, BLIS and oneDNN? GFLOP per second of
// processor time, all in one run, so that a busy machine does not matter. A row per library that is found:
// OpenBLAS and BLIS when the program starts (libopenblas.so.0, libblis.so.4), oneDNN when it is configured
// (libdnnl-dev).
//
//   products_bench [SECONDS for each figure, 0.3]
//
// Ours and oneDNN's find the right-hand side packed, as the network's weights are; the others take plain
// matrices.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/cpu/packed_weights.h"

#ifdef CAUSCALE_BENCH_ONEDNN
#include <dnnl.hpp>
#endif

namespace {

using causcale::core::Bf16;
using causcale::core::Isa;
using causcale::core::Kernels;

struct Size {
  std::int64_t rows, cols, depth;
};
constexpr std::array<Size, 6> kSizes{
    {{128, 128, 128}, {128, 512, 128}, {128, 128, 512}, {50, 50, 8000}, {96, 1000, 400}, {96, 256, 1000}}};

double seconds_per_figure = 0.3;

std::vector<float> normal_values(std::int64_t count, std::uint32_t item) {
  causcale::RandomStream random(1, 0, 0, item);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// c [rows, cols] = a [rows, depth] b^T, with b given by the rows of its transpose, which is how weights are
// stored.
struct Problem {
  Size size;
  std::vector<float> a, b_transposed, c, expected;

  explicit Problem(Size s)
      : size(s),
        a(normal_values(s.rows * s.depth, 0)),
        b_transposed(normal_values(s.cols * s.depth, 1)),
        c(static_cast<std::size_t>(s.rows * s.cols)),
        expected(c.size()) {
    for (std::int64_t i = 0; i < s.rows; ++i)
      for (std::int64_t j = 0; j < s.cols; ++j) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < s.depth; ++k)
          sum += static_cast<double>(a[i * s.depth + k]) * b_transposed[j * s.depth + k];
        expected[i * s.cols + j] = static_cast<float>(sum);
      }
  }
};

std::string figure(Problem& problem, double tolerance, const std::function<void()>& multiply) {
  std::ranges::fill(problem.c, 0.0f);
  multiply();
  double worst = 0.0;
  for (std::size_t k = 0; k < problem.c.size(); ++k)
    worst = std::max(worst, std::abs(static_cast<double>(problem.c[k]) - problem.expected[k]));
  if (!(worst <= tolerance * std::sqrt(static_cast<double>(problem.size.depth)))) return "wrong";
  const auto [rows, cols, depth] = problem.size;
  double best = 0.0;
  for (double spent = 0.0; spent < seconds_per_figure;) {
    constexpr int kCalls = 20;
    const std::clock_t start = std::clock();
    for (int call = 0; call < kCalls; ++call) multiply();
    const double passed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    spent += passed;
    if (passed > 0) best = std::max(best, 2e-9 * kCalls * static_cast<double>(rows * cols * depth) / passed);
  }
  return fmt::format("{:.1f}", best);
}

void print_row(const std::string& name, const std::vector<std::string>& figures) {
  fmt::print("| {} | {} |\n", name, fmt::join(figures, " | "));
  std::fflush(stdout);
}

template <class T>
T number_of(float value) {
  if constexpr (std::is_same_v<T, Bf16>)
    return causcale::core::to_bf16(value);
  else
    return value;
}

template <class T>
void measure_ours(std::vector<Problem>& problems, Isa isa, const char* numbers, double tolerance) {
  const Kernels<T>& kernels = causcale::core::kernels_for<T>(isa);
  std::vector<std::string> figures;
  for (Problem& problem : problems) {
    const auto [rows, cols, depth] = problem.size;
    const std::int64_t stride = kernels.rounded_depth(depth);
    std::vector<T> a(static_cast<std::size_t>(rows * stride)), panels(kernels.packed_size(depth, cols));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < depth; ++k) a[i * stride + k] = number_of<T>(problem.a[i * depth + k]);
    causcale::core::pack_transposed(problem.b_transposed.data(), depth, cols, depth, kernels, panels.data());
    figures.push_back(figure(problem, tolerance, [&] {
      kernels.multiply(rows, cols, depth, a.data(), stride, panels.data(), stride * kernels.panel,
                       problem.c.data(), cols, false);
    }));
  }
  print_row(fmt::format("{}, {}", causcale::core::isa_name(isa), numbers), figures);
}

// By Fortran's interface, whose matrices are ours transposed.
using Sgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const float*,
                       const float*, const int*, const float*, const int*, const float*, float*, const int*);

void measure_library(std::vector<Problem>& problems, const char* file, const char* name) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fmt::print("({}: {} is not installed)\n", name, file);
    return;
  }
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "sgemm_"));
  if (!sgemm) {
    fmt::print("({}: {} has no sgemm_)\n", name, file);
    return;
  }
  std::string title = name;
  if (const auto core = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename")))
    title += fmt::format(" ({})", core());
  std::vector<std::string> figures;
  for (Problem& problem : problems) {
    const int rows = static_cast<int>(problem.size.rows), cols = static_cast<int>(problem.size.cols),
              depth = static_cast<int>(problem.size.depth);
    const float one = 1.0f, zero = 0.0f;
    figures.push_back(figure(problem, 1e-4, [&] {
      sgemm("T", "N", &cols, &rows, &depth, &one, problem.b_transposed.data(), &depth, problem.a.data(),
            &depth, &zero, problem.c.data(), &cols);
    }));
  }
  print_row(title + ", fp32", figures);
}

#ifdef CAUSCALE_BENCH_ONEDNN
void measure_onednn(std::vector<Problem>& problems, dnnl::memory::data_type type, const char* numbers,
                    double tolerance) {
  using dnnl::memory;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<std::string> figures;
  for (Problem& problem : problems) {
    const auto [rows, cols, depth] = problem.size;
    const auto plain = [&](std::int64_t i, std::int64_t j, memory::data_type kind, memory::format_tag tag) {
      return memory::desc({i, j}, kind, tag);
    };
    const auto f32 = memory::data_type::f32;
    memory a_floats(plain(rows, depth, f32, memory::format_tag::ab), engine, problem.a.data());
    memory b_floats(plain(depth, cols, f32, memory::format_tag::ba), engine, problem.b_transposed.data());
    memory c(plain(rows, cols, f32, memory::format_tag::ab), engine, problem.c.data());
    const dnnl::matmul::primitive_desc description(
        {plain(rows, depth, type, memory::format_tag::ab), plain(depth, cols, type, memory::format_tag::any),
         plain(rows, cols, f32, memory::format_tag::ab)},
        engine);
    memory a(description.src_desc(), engine), b(description.weights_desc(), engine);
    dnnl::reorder(a_floats, a).execute(stream, a_floats, a);
    dnnl::reorder(b_floats, b).execute(stream, b_floats, b);
    stream.wait();
    const dnnl::matmul product(description);
    figures.push_back(figure(problem, tolerance, [&] {
      product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
      stream.wait();
    }));
  }
  print_row(fmt::format("oneDNN, {}", numbers), figures);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  // One thread each; some of these libraries read it only when they are loaded.
  if (!std::getenv("OMP_NUM_THREADS")) {
    for (const char* variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"})
      setenv(variable, "1", 1);
    execv("/proc/self/exe", argv);
  }
  if (argc > 1) seconds_per_figure = std::atof(argv[1]);
  std::vector<Problem> problems(kSizes.begin(), kSizes.end());
  std::vector<std::string> titles;
  for (const Size& size : kSizes) titles.push_back(fmt::format("{}x{}x{}", size.rows, size.cols, size.depth));
  print_row("rows x columns x depth", titles);
  fmt::print("|---{}|\n", [&] {
    std::string cells;
    for (std::size_t k = 0; k < kSizes.size(); ++k) cells += "|---";
    return cells;
  }());
  constexpr double kFloat = 1e-4, kHalf = 0.05;
  for (const Isa isa : causcale::core::available_isas()) {
    if (causcale::core::kernels_for<float>(isa).name == std::string(causcale::core::isa_name(isa)))
      measure_ours<float>(problems, isa, "fp32", kFloat);
    measure_ours<Bf16>(problems, isa, "bf16", kHalf);
  }
  measure_library(problems, "libopenblas.so.0", "OpenBLAS");
  measure_library(problems, "libblis.so.4", "BLIS");
#ifdef CAUSCALE_BENCH_ONEDNN
  measure_onednn(problems, dnnl::memory::data_type::f32, "fp32", kFloat);
  try {
    measure_onednn(problems, dnnl::memory::data_type::bf16, "bf16", kHalf);
  } catch (const dnnl::error& error) {
    fmt::print("(oneDNN, bf16: {})\n", error.what());
  }
#else
  fmt::print("(oneDNN: its headers were not there when this was configured)\n");
#endif
}
