// Progress of long work on standard error: a bar on a terminal, plain lines elsewhere, nothing when quiet.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace causcale {

class Progress {
 public:
  Progress(std::string label, std::size_t total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Safe from any thread.
  void advance(std::size_t steps = 1);

 private:
  void draw(bool last);

  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool quiet_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;
  std::mutex lock_;
};

}  // namespace causcale
