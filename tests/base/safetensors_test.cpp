#include "base/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + data;
}

SafetensorsContent parse(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file)), "f");
}

std::string error_of(const std::string& file) {
  try {
    parse(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Safetensors, ReadsMetadataAndTensors) {
  const std::string file = file_of(
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},)"
      R"("a":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]},"e":{"dtype":"F32","shape":[0,3],"data_offsets":[10,10]}}  )",
      "0123456789");
  const SafetensorsContent content = parse(file);
  EXPECT_EQ(content.metadata.at("k"), "v");
  ASSERT_EQ(content.tensors.size(), 3u);
  EXPECT_EQ(content.tensors[0].name, "a");
  EXPECT_EQ(content.tensors[1].name, "b");
  EXPECT_EQ(content.tensors[1].dtype, "F32");
  EXPECT_EQ(content.tensors[1].shape, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(std::memcmp(content.tensors[1].bytes.data(), "23456789", 8), 0);
}

struct Hostile {
  const char* header;
  const char* data;
  const char* message;  // part of the expected explanation
};

TEST(Safetensors, ExplainsWhatIsWrong) {
  const Hostile cases[] = {
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "0123 56", "follow the last tensor"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "0123", "outside"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "0123", "need 8"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", "0123", "outside"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", "0123", "not a whole number"},
      {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", "0123", "not a whole number"},
      {R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", "0123", "unknown dtype"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", "0123", "unknown field"},
      {R"({"a":{"shape":[1],"data_offsets":[0,4]}})", "0123", "no dtype"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", "0123", "no shape"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", "0123", "two data_offsets"},
      {R"({"a":7})", "", "not described by an object"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       "0123", "overlaps"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       "0123", "hole"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       "0", "twice"},
      {R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", "0", "twice"},
      {R"({"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "", "too large"},
      {R"({"a":{"dtype":"F64","shape":[18446744073709551615],"data_offsets":[0,0]}})", "", "too large"},
      {R"({"__metadata__":[],"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "0", "__metadata__"},
      {R"({"__metadata__":{"k":1}})", "", "is not text"},
      {R"({"a":{"dtype":"U8","shape":[[[[[[[[[[1]]]]]]]]]],"data_offsets":[0,1]}})", "0",
       "nested too deeply"},
      {R"([1])", "", "begin with"},
      {R"({"a":)", "", "not JSON"},
      {"{\"\xff\":1}", "", "not JSON"},
  };
  for (const Hostile& hostile : cases)
    EXPECT_NE(error_of(file_of(hostile.header, hostile.data)).find(hostile.message), std::string::npos)
        << hostile.header << " gave: " << error_of(file_of(hostile.header, hostile.data));
}

TEST(Safetensors, HeaderLengthIsNotBelieved) {
  EXPECT_NE(error_of("").find("too few"), std::string::npos);
  EXPECT_NE(error_of("1234567").find("too few"), std::string::npos);
  EXPECT_NE(error_of(std::string(8, '\xff') + "{}").find("length"), std::string::npos);
  EXPECT_NE(error_of(std::string(8, '\0') + "{}").find("begin with"), std::string::npos);
  std::string longer = file_of("{}", "");
  longer[0] = 3;
  EXPECT_NE(error_of(longer).find("length"), std::string::npos);
}

// Damage at random places: tensors inside the file or an InputError, nothing else.
TEST(Safetensors, SurvivesRandomDamage) {
  const std::string sound = file_of(
      R"({"__metadata__":{"format":"causcale"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
      R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]}})",
      std::string(22, 'x'));
  EXPECT_EQ(error_of(sound), "");
  std::mt19937 random(5);
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string file = sound;
    for (unsigned hits = 1 + random() % 4; hits > 0; --hits) {
      const std::size_t place = random() % file.size();
      switch (random() % 3) {
        case 0:
          file[place] = static_cast<char>(random());
          break;
        case 1:
          file.erase(place, 1 + random() % 5);
          break;
        default:
          file.insert(place, 1, "0123456789{}[]\",:"[random() % 17]);
      }
      if (file.empty()) break;
    }
    try {
      const SafetensorsContent content = parse(file);
      for (const TensorView& view : content.tensors) {
        const char* begin = reinterpret_cast<const char*>(view.bytes.data());
        ASSERT_TRUE(begin >= file.data() && begin + view.bytes.size() <= file.data() + file.size());
      }
      ++accepted;
    } catch (const InputError&) {
      ++rejected;
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(rejected, 100);
}

TEST(Safetensors, WritesWhatItReads) {
  const std::string path = testing::TempDir() + "written.safetensors";
  const std::string one = "0123", two = "abcdef";
  SafetensorsContent content;
  content.metadata = {{"format", "causcale"}, {"odd \"text\"", "\n"}};
  content.tensors = {{"x", "F32", {1}, std::as_bytes(std::span(one))},
                     {"y", "BF16", {3, 1}, std::as_bytes(std::span(two))}};
  write_safetensors(path, content);
  const SafetensorsFile file(path);
  EXPECT_EQ(file.content().metadata, content.metadata);
  ASSERT_EQ(file.content().tensors.size(), 2u);
  EXPECT_EQ(file.content().tensors[1].shape, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(std::memcmp(file.content().tensors[1].bytes.data(), two.data(), two.size()), 0);
  std::uint64_t length = 0;
  std::memcpy(&length, MappedFile(path).bytes().data(), 8);
  EXPECT_EQ(length % 8, 0u);
  std::filesystem::remove(path);
}

TEST(Safetensors, HashOfTheContentNoticesEveryChange) {
  const std::string bytes = "abcdefgh";
  const auto content = [&] {
    SafetensorsContent result;
    result.metadata = {{"step", "12"}, {"seed", "3"}};
    result.tensors = {{"w", "F32", {1, 2}, std::as_bytes(std::span(bytes))}};
    return result;
  };
  SafetensorsContent same = content();
  same.metadata["sha256"] = content_sha256(content());
  EXPECT_EQ(content_sha256(same), content_sha256(content()));
  const std::string other_bytes = "abcdefgi";
  std::vector<SafetensorsContent> changed(6, content());
  changed[0].metadata["step"] = "13";
  changed[1].metadata = {{"step", "1"}, {"2seed", "3"}};
  changed[2].tensors[0].bytes = std::as_bytes(std::span(other_bytes));
  changed[3].tensors[0].shape = {2, 1};
  changed[4].tensors[0].name = "v";
  changed[5].tensors[0].dtype = "I32";
  for (const SafetensorsContent& one : changed) EXPECT_NE(content_sha256(one), content_sha256(content()));
}

}  // namespace
}  // namespace causcale
