// Where the page is looked for. What is delivered of it: server_test.cpp.
#include "serve/static_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_folder.h"

namespace causcale::serve {
namespace {

namespace fs = std::filesystem;
using Places = std::vector<fs::path>;

TEST(PagePlaces, OfAPrefix) {
  for (const char* folder : {"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"})
    EXPECT_EQ(page_places(folder), Places{"/usr/share/causcale/page"}) << folder;
  EXPECT_EQ(page_places("/opt/causcale/bin"), Places{"/opt/causcale/share/causcale/page"});
}

TEST(PagePlaces, OfNoKnownLayoutAreNone) {
  for (const char* folder : {"/", "", "/home/somebody/causcale", "/home/somebody/downloads/causcale/deeper"})
    EXPECT_EQ(page_places(folder), Places{}) << folder;
}

TEST(PagePlaces, OfABuildFolder) {
  const test::TempFolder source;
  const fs::path root(source / "");
  const fs::path build = root / "build/release";
  fs::create_directories(build);
  // Without the mark of a build folder it is a prefix like any other.
  EXPECT_EQ(page_places(build / "lib"), Places{build / "share/causcale/page"});
  std::ofstream(build / "CMakeCache.txt") << "#\n";
  for (const char* folder : {"lib", "bin", "portable/bin"})
    EXPECT_EQ(page_places(build / folder).front(), root / "build/page") << folder;
}

TEST(PagePlaces, OfThePythonPackage) {
  const test::TempFolder site;
  const fs::path package = fs::path(site / "") / "causcale";
  fs::create_directories(package);
  std::ofstream(package / "__init__.py") << "\n";
  EXPECT_EQ(page_places(package), Places{package / "page"});
  EXPECT_EQ(page_places(package / "bin").front(), package / "page");
}

// A folder of that name further up belongs to somebody else.
TEST(PagePlaces, AreNotFurtherUp) {
  const test::TempFolder home;
  const fs::path root(home / "");
  fs::create_directories(root / "page");
  std::ofstream(root / "page/index.html") << "<p>not ours</p>";
  for (const char* folder :
       {"tools/causcale/bin", "tools/causcale/lib", "causcale/lib/x86_64-linux-gnu", "bin", ""})
    for (const fs::path& place : page_places(root / folder)) EXPECT_FALSE(fs::exists(place)) << place;
}

}  // namespace
}  // namespace causcale::serve
