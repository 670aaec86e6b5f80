// Weight files put where they are found by name.
#include "core/install_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"
#include "core/installed.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

class InstallModel : public testing::Test {
 protected:
  void SetUp() override { write("mine", 8); }
  fs::path write(const std::string& name, int ffn_dim) {
    ModelConfig config;
    config.blocks = 1;
    config.embed_dim = 8;
    config.heads = 2;
    config.ffn_dim = ffn_dim;
    fs::create_directories(folder_ / "given");
    const fs::path file = folder_ / ("given/" + name + ".safetensors");
    test::write_random_model(file, config);
    return file;
  }
  std::string list() const { return std::string(MappedFile(target_ / "SHA256SUMS").text()); }
  std::string error_of_check(const fs::path& given, const std::string& sha256 = "") const {
    return test::error_of([&] { check_model_files(given, sha256); });
  }

  test::TempFolder folder_;
  const fs::path file_ = folder_ / "given/mine.safetensors";
  const fs::path target_ = folder_ / "share/causcale/models";
};

TEST_F(InstallModel, CopiesAndNotesTheHash) {
  folder_.write("given/mine.md", "About it.\n");
  const std::vector<ModelFile> models = check_model_files(file_, "");
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models.front().name, "mine");
  EXPECT_EQ(install_model(models.front(), target_, false), InstallOutcome::kInstalled);
  EXPECT_EQ(list(), sha256_of_file(file_) + "  mine.safetensors\n");
  EXPECT_EQ(MappedFile(target_ / "mine.md").text(), "About it.\n");
  EXPECT_EQ(verify_installed(target_ / "mine.safetensors"), models.front().sha256);
  EXPECT_EQ(install_model(models.front(), target_, false), InstallOutcome::kAlreadyThere);
  EXPECT_EQ(list(), sha256_of_file(file_) + "  mine.safetensors\n");
}

TEST_F(InstallModel, TakesAllOfAFolder) {
  write("another", 16);
  folder_.write("given/readme.txt", "not a model");
  const std::vector<ModelFile> models = check_model_files(folder_ / "given", "");
  ASSERT_EQ(models.size(), 2u);
  for (const ModelFile& model : models) install_model(model, target_, false);
  EXPECT_EQ(list(), models[0].sha256 + "  another.safetensors\n" + models[1].sha256 + "  mine.safetensors\n");
  EXPECT_TRUE(test::contains(error_of_check(folder_ / "given", models[0].sha256), "holds 2 models"));
  fs::create_directories(folder_ / "empty");
  EXPECT_TRUE(test::contains(error_of_check(folder_ / "empty"), "holds no file ending in .safetensors"));
}

// Each reads the list and writes it anew: without turns, the line of one of them is lost.
TEST_F(InstallModel, SeveralAtOnceTakeTurns) {
  std::vector<std::string> names;
  for (int k = 0; k < 8; ++k) names.push_back("model" + std::to_string(k));
  for (const std::string& name : names) write(name, 8);
  for (int round = 0; round < 5; ++round) {
    fs::remove_all(target_);
    std::vector<std::thread> threads;
    for (const std::string& name : names)
      threads.emplace_back([&, name] {
        install_model(check_model_files(folder_ / ("given/" + name + ".safetensors"), "").front(), target_,
                      false);
      });
    for (std::thread& thread : threads) thread.join();
    const std::string lines = list();
    EXPECT_EQ(std::ranges::count(lines, '\n'), 8);
    for (const std::string& name : names)
      EXPECT_NE(lines.find("  " + name + ".safetensors\n"), std::string::npos) << lines;
  }
}

TEST_F(InstallModel, RemovesWhatKilledOnesLeft) {
  fs::create_directories(target_);
  const ModelFile model = check_model_files(file_, "").front();
  for (const char* left : {"mine.safetensors.part-12-0", "mine.md.part-12-1", "SHA256SUMS.part-12-2"})
    folder_.write(std::string("share/causcale/models/") + left, "a part");
  folder_.write("share/causcale/models/notes.part-12", "not of an installation");
  install_model(model, target_, false);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(target_)) files.push_back(entry.path().filename().string());
  std::ranges::sort(files);
  EXPECT_EQ(files, (std::vector<std::string>{"SHA256SUMS", "mine.safetensors", "notes.part-12"}));
}

TEST_F(InstallModel, ReplacesOnlyWhenTold) {
  install_model(check_model_files(file_, "").front(), target_, false);
  const std::string before = list();
  write("mine", 24);
  const ModelFile other = check_model_files(file_, "").front();
  EXPECT_TRUE(test::contains(test::error_of([&] { install_model(other, target_, false); }), "--replace"));
  EXPECT_EQ(list(), before);
  EXPECT_EQ(install_model(other, target_, true), InstallOutcome::kReplaced);
  EXPECT_EQ(list(), other.sha256 + "  mine.safetensors\n");
  EXPECT_EQ(verify_installed(target_ / "mine.safetensors"), other.sha256);
}

TEST_F(InstallModel, HoldsTheHashAgainstWhatIsSaid) {
  const std::string sum = sha256_of_file(file_);
  std::string upper = sum;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(error_of_check(file_, sum), "");
  EXPECT_EQ(error_of_check(file_, upper), "");
  const std::string wrong = error_of_check(file_, std::string(64, '0'));
  EXPECT_TRUE(test::contains(wrong, sum));
  EXPECT_TRUE(test::contains(wrong, "nothing was installed"));
  folder_.write("given/SHA256SUMS", std::string(64, '0') + "  mine.safetensors\n");
  EXPECT_TRUE(test::contains(error_of_check(file_), "mine.safetensors is damaged"));
}

TEST_F(InstallModel, RefusesWhatIsNoModel) {
  EXPECT_TRUE(test::contains(error_of_check(folder_.write("given/a.bin", "x")), "is no weight file"));
  EXPECT_TRUE(test::contains(error_of_check(folder_.write("given/cut.safetensors", "x")), "cut.safetensors"));
  fs::copy_file(file_, folder_ / "given/two words.safetensors");
  EXPECT_TRUE(test::contains(error_of_check(folder_ / "given/two words.safetensors"), "rename the file"));
  EXPECT_NE(error_of_check(folder_ / "given/none.safetensors"), "");
  // Well-formed, but without the tensors of its configuration.
  ModelConfig config;
  write_safetensors(folder_ / "given/hollow.safetensors", SafetensorsContent{config.to_metadata(), {}});
  EXPECT_TRUE(test::contains(error_of_check(folder_ / "given/hollow.safetensors"), "hollow.safetensors"));
}

}  // namespace
}  // namespace causcale
