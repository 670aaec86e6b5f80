// How fast is a large numeric CSV read, against pandas' C parser in the same run, and with how much memory?
//   csv_bench [megabytes]
// The comparison is by CPU time, which other work on the machine disturbs less than wall time.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/reader.h"

namespace {

constexpr int kColumns = 20;

struct Timing {
  double seconds = 0.0;
  double cpu_seconds = 0.0;
  double peak_mb = 0.0;
  std::size_t rows = 0, cols = 0;
  double sum = 0.0;
};

double cpu_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void write_table(const std::filesystem::path& path, const char* format, std::size_t bytes) {
  causcale::RandomStream random(1, 0, 0);
  std::ofstream out(path, std::ios::binary);
  std::string text;
  for (int c = 0; c < kColumns; ++c) text += fmt::format("{}X{}", c ? "," : "", c);
  text += '\n';
  std::size_t written = 0;
  while (written < bytes) {
    for (int c = 0; c < kColumns; ++c) {
      char cell[40];
      std::snprintf(cell, sizeof cell, format, random.normal());
      if (c > 0) text += ',';
      text += cell;
    }
    text += '\n';
    if (text.size() > (1u << 20)) {
      written += text.size();
      out << text;
      text.clear();
    }
  }
  out << text;
}

// In a process of its own, so that the peak of memory is that of one read.
Timing time_ours(const std::filesystem::path& path, int threads) {
  int channel[2];
  if (pipe(channel) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    Timing timing;
    timing.seconds = timing.cpu_seconds = 1e9;
    causcale::ReadOptions options;
    options.threads = threads;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double cpu_start = cpu_now();
      const auto start = std::chrono::steady_clock::now();
      const causcale::Dataset data = causcale::read_dataset(path, options);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      timing.seconds = std::min(timing.seconds, passed.count());
      timing.cpu_seconds = std::min(timing.cpu_seconds, cpu_now() - cpu_start);
      timing.rows = data.table.rows();
      timing.cols = data.table.cols();
      const std::vector<double>& values = data.table.values.values();
      timing.sum = std::accumulate(values.begin(), values.end(), 0.0);
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    timing.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    if (write(channel[1], &timing, sizeof timing) != sizeof timing) _exit(1);
    _exit(0);
  }
  close(channel[1]);
  Timing timing;
  const bool complete = read(channel[0], &timing, sizeof timing) == sizeof timing;
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!complete) std::abort();
  return timing;
}

bool time_pandas(const std::filesystem::path& path, Timing& timing) {
  const std::string command =
      fmt::format("/usr/bin/python3 '{}/bench/csv_pandas.py' '{}'", CAUSCALE_SOURCE_DIR, path.string());
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return false;
  const int found = std::fscanf(pipe, "%lf %lf %zu %zu %lf %lf", &timing.seconds, &timing.cpu_seconds,
                                &timing.rows, &timing.cols, &timing.sum, &timing.peak_mb);
  return pclose(pipe) == 0 && found == 6;
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 200.0;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("csv_bench_{}", getpid());
  std::filesystem::create_directories(folder);
  fmt::print("{:<8} {:>8} {:>9} {:<22} {:>8} {:>8} {:>9} {:>9} {:>10} {:>11}\n", "numbers", "file MB", "rows",
             "reader", "seconds", "CPU s", "MB/CPU s", "x pandas", "peak MB", "peak/table");
  for (const auto& [name, format] : {std::pair{"%.6g", "%.6g"}, std::pair{"%.17g", "%.17g"}}) {
    const auto path = folder / "table.csv";
    write_table(path, format, static_cast<std::size_t>(megabytes * 1e6));
    const double size = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    Timing pandas;
    const bool compared = time_pandas(path, pandas);
    const auto print = [&](const std::string& reader, const Timing& timing) {
      const double table_mb = static_cast<double>(timing.rows * timing.cols * sizeof(double)) / (1 << 20);
      fmt::print("{:<8} {:>8.0f} {:>9} {:<22} {:>8.3f} {:>8.3f} {:>9.0f} {:>9} {:>10.0f} {:>11.2f}\n", name,
                 size, timing.rows, reader, timing.seconds, timing.cpu_seconds, size / timing.cpu_seconds,
                 compared ? fmt::format("{:.1f}", pandas.cpu_seconds / timing.cpu_seconds) : "-",
                 timing.peak_mb, timing.peak_mb / table_mb);
      std::fflush(stdout);
    };
    if (compared) print("pandas read_csv, C", pandas);
    const Timing ours = time_ours(path, 1);
    print("causcale, 1 thread", ours);
    print("causcale, all threads", time_ours(path, 0));
    if (compared &&
        (pandas.rows != ours.rows || std::abs(pandas.sum - ours.sum) > 1e-6 * (1 + std::abs(ours.sum))))
      fmt::print("the two readers disagree: sums {} and {}\n", pandas.sum, ours.sum);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
