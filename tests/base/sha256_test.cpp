#include "base/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace causcale {
namespace {

std::string hash(const std::string& text) {
  return sha256_hex(std::as_bytes(std::span(text)));
}

// The examples of FIPS 180-4 and the long message of NIST's test vectors.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      hash("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
           "mnopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PortionsDoNotMatter) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto bytes = std::as_bytes(std::span(text)).first(length);
    Sha256 pieces;
    for (std::size_t i = 0; i < length; i += 1 + i % 13)
      pieces.add(bytes.subspan(i, std::min(1 + i % 13, length - i)));
    EXPECT_EQ(pieces.hex(), sha256_hex(bytes)) << length;
  }
}

TEST(Sha256, InstructionsGiveTheSameAsPlainCode) {
  const Sha256Blocks fast = sha256_blocks_fast();
  if (!fast) GTEST_SKIP() << "this processor has no instructions for SHA-256";
  std::vector<std::byte> blocks(64 * 50);
  std::uint32_t mixed = 1;
  for (std::byte& byte : blocks)
    byte = static_cast<std::byte>((mixed = mixed * 1664525u + 1013904223u) >> 24);
  for (const std::size_t count : {0, 1, 2, 3, 50}) {
    Sha256State plain{1, 2, 3, 0xFFFFFFFF, 0x80000000, 6, 7, 8}, other = plain;
    sha256_blocks_plain(plain, blocks.data(), count);
    fast(other, blocks.data(), count);
    EXPECT_EQ(plain, other) << count;
  }
}

TEST(Sha256, ListBesideAFile) {
  const test::TempFolder folder;
  const auto file = folder.write("a.safetensors", "abc");
  const std::string right = hash("abc");
  const auto error = [&](const std::string& list) {
    folder.write("SHA256SUMS", list);
    return test::error_of([&] { EXPECT_EQ(checked_sha256(file), right); });
  };
  EXPECT_EQ(checked_sha256(file), right);  // no list
  EXPECT_EQ(error(hash("other") + "  b.safetensors\n\n" + right + "  a.safetensors\n"), "");
  EXPECT_EQ(error(right + " *a.safetensors\r\n"), "");
  EXPECT_EQ(error(hash("other") + "  xa.safetensors"), "");
  const std::string message = error(hash("abd") + "  a.safetensors\n");
  EXPECT_TRUE(test::contains(message, "a.safetensors is damaged: its SHA-256 is " + right));
  EXPECT_TRUE(test::contains(message, hash("abd")));
  EXPECT_TRUE(test::contains(error("\n" + right + "a.safetensors\n"), "SHA256SUMS:2: not a line"));
  EXPECT_TRUE(test::contains(error("short\n"), "SHA256SUMS:1"));
}

// The list has to be made anew (sha256sum *.safetensors > SHA256SUMS) with every change of a model.
TEST(Sha256, ModelsOfTheTreeAreListed) {
  const std::filesystem::path models = std::filesystem::path(CAUSCALE_SOURCE_DIR) / "models";
  std::ifstream in(models / "SHA256SUMS");
  const std::string list{std::istreambuf_iterator<char>(in), {}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() != ".safetensors") continue;
    EXPECT_TRUE(test::contains(list, "  " + entry.path().filename().string() + "\n"));
    EXPECT_NO_THROW(checked_sha256(entry.path()));
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace causcale
