#include "base/parallel.h"

#include <algorithm>
#include <thread>

#include "base/thread_pool.h"

namespace causcale {

int resolve_threads(int threads) {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  for_each_item(static_cast<std::int64_t>(count), threads,
                [&](std::int64_t item, int) { work(static_cast<std::size_t>(item)); });
}

}  // namespace causcale
