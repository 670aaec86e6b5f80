#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace causcale
