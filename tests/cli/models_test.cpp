// `causcale models`, `causcale models install` and `causcale info`.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/sha256.h"
#include "causcale/version.h"
#include "support/command_test.h"
#include "support/random_model.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;
using test::run_program;

// The program with a user's folders of its own; the pipe of run_program is in front of every command.
class ModelsCommand : public test::CommandTest {
 protected:
  void SetUp() override {
    ModelConfig config;
    config.blocks = 1;
    config.embed_dim = 8;
    config.heads = 2;
    config.ffn_dim = 8;
    fs::create_directories(path("given"));
    test::write_random_model(file_, config);
    for (const char* name : {"XDG_DATA_HOME", "CAUSCALE_MODELS", "XDG_DATA_DIRS"}) unsetenv(name);
    if (const char* home = getenv("HOME")) home_ = home;
    setenv("HOME", path("home").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"XDG_DATA_HOME", "CAUSCALE_MODELS", "XDG_DATA_DIRS"}) unsetenv(name);
    home_.empty() ? unsetenv("HOME") : setenv("HOME", home_.c_str(), 1);
  }
  std::string place_of(const std::string& name) const {
    for (const json& model : json::parse(run_program("models --json").output))
      if (model["name"] == name) return model["path"];
    return "";
  }

  const fs::path file_ = path("given/mine.safetensors");
  std::string home_;
};

TEST_F(ModelsCommand, InstallsForTheUser) {
  const Outcome outcome = run_program("models install " + file_.string());
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const std::string place = path("home/.local/share/causcale/models/mine.safetensors");
  EXPECT_EQ(outcome.output, "mine: installed, " + place + "\n  sha256 " + sha256_of_file(file_) + "\n");
  EXPECT_EQ(place_of("mine"), place);
  const Outcome again = run_program("models install --json " + file_.string());
  EXPECT_EQ(json::parse(again.output)[0]["outcome"], "already there");
  // And it is a model to work with.
  write_file_atomically(path("t.csv"), "a,b,c\n1,2,3\n2,1,5\n3,5,1\n4,4,4\n5,1,0\n");
  const Outcome found = run_program("discover " + path("t.csv") + " --model mine -q -o " + path("edges.csv"));
  EXPECT_EQ(found.code, 0) << found.output;
}

TEST_F(ModelsCommand, FoldersHaveAnOrder) {
  const auto install_to = [&](const std::string& folder) {
    return run_program("models install -q " + file_.string() + " --folder " + path(folder));
  };
  EXPECT_EQ(install_to("system/causcale/models").code, 0);
  setenv("XDG_DATA_DIRS", ("relative:" + path("none") + ":" + path("system")).c_str(), 1);
  EXPECT_EQ(place_of("mine"), path("system/causcale/models/mine.safetensors"));
  setenv("XDG_DATA_HOME", path("user").c_str(), 1);
  EXPECT_EQ(run_program("models install -q " + file_.string()).output, "");
  EXPECT_EQ(place_of("mine"), path("user/causcale/models/mine.safetensors"));
  EXPECT_EQ(install_to("first").code, 0);
  setenv("CAUSCALE_MODELS", (path("none") + ":" + path("first")).c_str(), 1);
  EXPECT_EQ(place_of("mine"), path("first/mine.safetensors"));
  // What is installed behind another of that name is not what --model will mean.
  const Outcome hidden = install_to("system/causcale/models");
  EXPECT_NE(hidden.output.find("warning: --model mine means " + path("first")), std::string::npos)
      << hidden.output;
}

TEST_F(ModelsCommand, InstallsAllOrNothing) {
  write_file_atomically(path("given/bad.safetensors"), "nonsense");
  const Outcome outcome =
      run_program("models install " + file_.string() + " " + path("given/bad.safetensors"));
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("bad.safetensors"), std::string::npos) << outcome.output;
  EXPECT_FALSE(fs::exists(path("home")));
  const Outcome other = run_program("models install --sha256 12 " + file_.string());
  EXPECT_EQ(other.code, 1) << other.output;
  EXPECT_FALSE(fs::exists(path("home")));
  EXPECT_EQ(run_program("models install").code, 2);
  EXPECT_EQ(run_program("models install " + path("none")).code, 2);
}

TEST_F(ModelsCommand, NeedsAPlace) {
  unsetenv("HOME");
  const Outcome outcome = run_program("models install " + file_.string());
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find("--folder"), std::string::npos) << outcome.output;
}

TEST(InfoCommand, SaysInJsonWhatAReportOfAFaultNeeds) {
  const json info = json::parse(run_program("info --json").output);
  EXPECT_EQ(info["version"], CAUSCALE_VERSION);
  for (const char* key : {"compiler", "build", "system", "kernels", "precision", "libtorch", "gpu"})
    EXPECT_FALSE(info[key].get<std::string>().empty()) << key;
  EXPECT_FALSE(info["instruction_sets"].empty());
  EXPECT_FALSE(info["formats"].empty());
  EXPECT_GE(info["cores"].get<int>(), 1);
  EXPECT_TRUE(info["model_folders"].is_array());
  EXPECT_EQ(run_program("info").output.find("version "), 0u);
}

}  // namespace
}  // namespace causcale
