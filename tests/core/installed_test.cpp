// Installed models and their list of hashes.
#include "core/installed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/sha256.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

// CAUSCALE_MODELS for as long as this lives.
class ModelsFolder {
 public:
  explicit ModelsFolder(const fs::path& folder) {
    if (const char* before = std::getenv("CAUSCALE_MODELS")) before_ = before;
    setenv("CAUSCALE_MODELS", folder.c_str(), 1);
  }
  ~ModelsFolder() {
    if (before_)
      setenv("CAUSCALE_MODELS", before_->c_str(), 1);
    else
      unsetenv("CAUSCALE_MODELS");
  }

 private:
  std::optional<std::string> before_;
};

void flip_bit(const fs::path& file, std::uintmax_t byte, int bit) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(byte));
  const int old = stream.get();
  stream.seekp(static_cast<std::streamoff>(byte));
  stream.put(static_cast<char>(old ^ (1 << bit)));
}

class InstalledModels : public testing::Test {
 protected:
  void SetUp() override {
    ModelConfig config;
    config.blocks = 1;
    config.embed_dim = 8;
    config.heads = 2;
    config.ffn_dim = 8;
    fs::create_directories(folder_ / "models");
    test::write_random_model(model_, config);
    sum_ = sha256_of_file(model_);
  }
  void list(const std::string& line) const { folder_.write("models/SHA256SUMS", line); }

  test::TempFolder folder_;
  const fs::path model_ = folder_ / "models/mine.safetensors";
  std::string sum_;
};

TEST_F(InstalledModels, HaveTheHashOfTheirList) {
  list(sum_ + "  mine.safetensors\n");
  EXPECT_EQ(verify_installed(model_), sum_);
  const std::uintmax_t size = fs::file_size(model_);
  for (const std::uintmax_t byte : {std::uintmax_t{0}, size / 3, size / 2, size - 1})
    for (const int bit : {0, 7}) {
      flip_bit(model_, byte, bit);
      const std::string message = test::error_of([&] { verify_installed(model_); });
      EXPECT_TRUE(test::contains(message, "mine.safetensors is damaged: its SHA-256 is "));
      EXPECT_TRUE(test::contains(message, sum_));
      flip_bit(model_, byte, bit);
    }
  fs::resize_file(model_, size - 1);
  EXPECT_TRUE(test::contains(test::error_of([&] { verify_installed(model_); }), "is damaged"));
}

TEST_F(InstalledModels, OthersAreHashedForShowing) {
  EXPECT_EQ(verify_installed(model_), sum_);  // no list
  list(std::string(64, '0') + "  other.safetensors\n");
  EXPECT_EQ(verify_installed(model_), sum_);  // not listed
  EXPECT_TRUE(
      test::contains(test::error_of([&] { verify_installed(folder_ / "none.safetensors"); }), "cannot open"));
}

// A link stands for the file it leads to, whose folder has the list; one beside the link says nothing.
TEST_F(InstalledModels, LinksAreFollowedToTheFolderOfTheList) {
  list(sum_ + "  mine.safetensors\n");
  const fs::path link = folder_ / "link.safetensors";
  fs::create_symlink(model_, link);
  folder_.write("SHA256SUMS", std::string(64, '0') + "  link.safetensors\n");
  EXPECT_EQ(verify_installed(link), sum_);
  flip_bit(model_, 100, 3);
  EXPECT_TRUE(test::contains(test::error_of([&] { verify_installed(link); }), "is damaged"));
}

TEST_F(InstalledModels, AreFoundByNameAndByPath) {
  const ModelsFolder use(folder_ / "models");
  EXPECT_EQ(find_model("mine"), model_);
  EXPECT_EQ(find_model(model_.string()), model_);
  EXPECT_TRUE(test::contains(test::error_of([] { find_model("nine"); }), "there are: "));
  EXPECT_TRUE(test::contains(test::error_of([] { find_model("nine"); }), "mine"));
  EXPECT_TRUE(test::contains(test::error_of([] { find_model("./nine.safetensors"); }), "does not exist"));
}

}  // namespace
}  // namespace causcale
