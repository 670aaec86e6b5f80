// One pool of threads per process, made when it is first needed and kept. A call says how many threads it may
// use and how finely its work may be cut; calls from several threads, and calls within calls, share the
// workers and never wait for each other's work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace causcale {

// What one block of work is told: items [begin, end), and a number in [0, threads) that no other block
// running at the same time within the same call has: the place of its scratch memory.
struct WorkBlock {
  std::int64_t begin, end;
  int slot;
};

// A reference to something callable, without the allocation of a std::function.
class BlockFunction {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, BlockFunction>) BlockFunction(const F& work)
      : object_(&work),
        call_([](const void* object, const WorkBlock& block) { (*static_cast<const F*>(object))(block); }) {}
  void operator()(const WorkBlock& block) const { call_(object_, block); }

 private:
  const void* object_;
  void (*call_)(const void* object, const WorkBlock& block);
};

// Cuts [0, count) into blocks of `grain` items (the last may be shorter) and calls work for each exactly
// once, on at most `threads` threads (0: all cores), this one among them. Where the blocks lie depends on
// count and grain alone. The first exception stops the handing-out and is thrown again here.
void for_each_block(std::int64_t count, std::int64_t grain, int threads, const BlockFunction& work);

// Blocks of one item.
template <class Work>
void for_each_item(std::int64_t count, int threads, const Work& work) {
  for_each_block(count, 1, threads, [&](const WorkBlock& block) { work(block.begin, block.slot); });
}

}  // namespace causcale
