// A promise of every method: the number of threads changes nothing.
#pragma once

#include <gtest/gtest.h>

#include "methods/method.h"

namespace causcale::test {

// Returns the result of one thread.
inline MethodResult expect_same_for_any_thread_count(const Method& method, const Dataset& data) {
  MethodOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const MethodResult alone = method.run(data, one), together = method.run(data, four);
  EXPECT_EQ(alone.scores, together.scores);
  EXPECT_EQ(alone.graph, together.graph);
  return alone;
}

}  // namespace causcale::test
