// Threads: independent work items handed out one by one.
#pragma once

#include <cstddef>
#include <functional>

namespace causcale {

// 0 means all cores.
int resolve_threads(int threads);

// Calls work(i) for every i in [0, count), each exactly once, on up to `threads` threads (0 = all cores).
// The first exception stops the handing-out and is thrown again here.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace causcale
