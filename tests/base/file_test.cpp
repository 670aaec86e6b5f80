#include "base/file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "causcale/error.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("causcale_file_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(FileTest, WritesAndMaps) {
  const fs::path path = folder_ / "sub" / "a.txt";
  write_file_atomically(path, "hello\n");
  EXPECT_EQ(MappedFile(path).text(), "hello\n");
  write_file_atomically(path, "");
  EXPECT_EQ(MappedFile(path).text(), "");
}

TEST_F(FileTest, ReleasedPagesComeBack) {
  std::string text;
  while (text.size() < 100'000) text += std::to_string(text.size()) + " ";
  write_file_atomically(folder_ / "a.txt", text);
  const MappedFile file(folder_ / "a.txt");
  EXPECT_EQ(file.text(), text);
  release_pages(file.bytes());
  EXPECT_EQ(file.text(), text);
  // Parts of pages stay.
  release_pages(file.bytes().subspan(10, 20));
  release_pages(file.bytes().first(0));
  EXPECT_EQ(file.text(), text);
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNoLitter) {
  const fs::path path = folder_ / "a.txt";
  write_file_atomically(path, "old");
  EXPECT_THROW(write_file_atomically(path,
                                     [](std::ostream& out) {
                                       out << "half";
                                       throw std::runtime_error("stop");
                                     }),
               std::runtime_error);
  EXPECT_EQ(MappedFile(path).text(), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// Threads of one process write under temporary names of their own.
TEST_F(FileTest, ThreadsThatWriteOneFileLeaveItWhole) {
  const fs::path path = folder_ / "a.txt";
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (const char letter : {'a', 'b', 'c', 'd'})
      threads.emplace_back([&, letter] { write_file_atomically(path, std::string(100'000, letter)); });
    for (std::thread& thread : threads) thread.join();
    const std::string found(MappedFile(path).text());
    ASSERT_EQ(found.size(), 100'000u);
    EXPECT_EQ(found.find_first_not_of(found[0]), std::string::npos);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, OnlyRegularFilesAreRead) {
  try {
    MappedFile file("/dev/null");
    FAIL() << "should have thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/dev/null: not a regular file; save what it gives to one first");
  }
}

TEST_F(FileTest, AByteOrderMarkIsNoText) {
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB\xBFname"), "name");
  EXPECT_EQ(without_byte_order_mark("name"), "name");
}

TEST_F(FileTest, ErrorsNameTheFile) {
  const auto message = [](auto&& action) -> std::string {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { MappedFile(folder_ / "absent.csv"); }).find("absent.csv"), std::string::npos);
  EXPECT_NE(message([&] { MappedFile file(folder_); }).find(folder_.string()), std::string::npos);
  std::ofstream(folder_ / "plain") << "x";
  EXPECT_NE(message([&] { write_file_atomically(folder_ / "plain" / "b.txt", "x"); }).find("b.txt"),
            std::string::npos);
  // Why the folder cannot be made, not that it is missing.
  const fs::path deeper = folder_ / "plain" / "deeper" / "b.txt";
  EXPECT_EQ(message([&] { write_file_atomically(deeper, "x"); }),
            deeper.string() + ": cannot write: Not a directory");
}

}  // namespace
}  // namespace causcale
