#include "base/own_file.h"

#include <gtest/gtest.h>

namespace causcale {
namespace {

TEST(OwnFile, IsTheLibraryThatHoldsTheCode) {
  const std::filesystem::path file = own_file();
  EXPECT_TRUE(file.is_absolute()) << file;
  EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  EXPECT_TRUE(file.filename().string().starts_with("libcauscale.")) << file;
}

}  // namespace
}  // namespace causcale
