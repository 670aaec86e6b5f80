// Configurations that say only what differs from another.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "causcale/error.h"
#include "learn/config/config.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

TEST(ConfigExtends, AnotherFile) {
  const fs::path folder = fs::path(testing::TempDir()) / "extended_configs";
  fs::create_directories(folder / "parts");
  const auto write = [&](const char* name, const std::string& text) {
    write_file_atomically(folder / name, text);
  };
  write("base.json", R"({"seed": 3, "views": 4, "data": {"graphs": {"er": 1, "sf": 2}},  // a comment
                         "stages": [{"steps": 1}, {"steps": 2}]})");
  write("parts/next.json", R"({"extends": "../base.json", "seed": 4, "views": null, "stages": [{"steps": 7}],
                               "data": {"graphs": {"sf": null, "ws": 1}}})");
  write("parts/last.json", R"({"extends": "next.json", "dropout": 0.5})");
  const TrainConfig config = read_train_config(folder / "parts/last.json");
  EXPECT_EQ(config.seed, 4u);
  EXPECT_EQ(config.views, 0);
  EXPECT_EQ(config.dropout, 0.5);
  ASSERT_EQ(config.stages.size(), 1u);
  EXPECT_EQ(config.stages[0].steps, 7);
  // What a run keeps of it stands on its own.
  const std::string text = whole_config_text(folder / "parts/last.json");
  EXPECT_EQ(text.find("extends"), std::string::npos);
  EXPECT_EQ(text.find("sf"), std::string::npos);
  EXPECT_EQ(parse_train_config(text, "kept").seed, 4u);
  EXPECT_EQ(whole_config_text(folder / "base.json").find("{\"seed\": 3"), 0u);

  const auto message = [&](const char* name) {
    try {
      read_train_config(folder / name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  write("circle.json", R"({"extends": "circle.json"})");
  EXPECT_NE(message("circle.json").find("circle.json: key \"extends\" leads through more than"),
            std::string::npos);
  write("number.json", R"({"extends": 3})");
  EXPECT_NE(message("number.json").find("name of a file"), std::string::npos);
  write("lost.json", R"({"extends": "none.json"})");
  EXPECT_NE(message("lost.json").find("none.json"), std::string::npos);
  EXPECT_THROW(parse_train_config(R"({"extends": "base.json", "stages": [{"steps": 1}]})", "test"),
               InputError);
}

}  // namespace
}  // namespace causcale
