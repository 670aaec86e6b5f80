// Memory that one forward pass uses again and again instead of asking the system for it in every operation.
#pragma once

#include <cstddef>

namespace causcale::ops {

class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // At least `count` floats; their content is undefined, and an earlier result of reserve() is no longer
  // valid.
  float* reserve(std::size_t count);

 private:
  float* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace causcale::ops
