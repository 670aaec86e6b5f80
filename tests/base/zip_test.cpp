#include "base/zip.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "base/random.h"
#include "causcale/error.h"

namespace causcale {
namespace {

using Members = std::vector<std::pair<std::string, std::string_view>>;

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string content(const std::string& archive, const ZipMember& member, std::size_t piece) {
  ZipStream stream(bytes(archive), member, "a.zip:" + member.name);
  std::string result(member.size, '\0');
  for (std::size_t at = 0; at < result.size(); at += piece)
    stream.read(reinterpret_cast<std::byte*>(result.data()) + at, std::min(piece, result.size() - at));
  return result;
}

// What reading everything says; empty: nothing is wrong.
std::string problem(const std::string& archive) {
  try {
    for (const ZipMember& member : read_zip_directory(bytes(archive), "a.zip"))
      content(archive, member, 1 << 20);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string noise(std::size_t size) {
  RandomStream random(1, 2, 3);
  std::string result(size, '\0');
  for (char& byte : result) byte = static_cast<char>(random.below(256));
  return result;
}

template <class T>
std::string with(std::string archive, std::size_t at, T value) {
  std::memcpy(archive.data() + at, &value, sizeof value);
  return archive;
}

std::size_t directory_entry(const std::string& archive) {
  return archive.rfind(std::string("PK\1\2"));
}
std::size_t end_record(const std::string& archive) {
  return archive.rfind(std::string("PK\5\6"));
}

TEST(Zip, GivesBackWhatWasWritten) {
  const std::string zeros(100'000, '\0'), random = noise(70'001), short_text = "abc", none;
  const Members members = {
      {"zeros", zeros}, {"folder/random", random}, {"short", short_text}, {"none", none}};
  for (const ZipMethod method : {ZipMethod::kStored, ZipMethod::kDeflated}) {
    const std::string archive = format_zip(members, method);
    const auto found = read_zip_directory(bytes(archive), "a.zip");
    ASSERT_EQ(found.size(), members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ(found[i].name, members[i].first);
      for (const std::size_t piece : {std::size_t{977}, std::size_t{1} << 20})
        EXPECT_EQ(content(archive, found[i], piece), members[i].second);
    }
#ifdef CAUSCALE_ZLIB
    EXPECT_EQ(found[0].method, method == ZipMethod::kDeflated ? 8 : 0);
    EXPECT_EQ(found[0].compressed < 1000, method == ZipMethod::kDeflated);
#endif
    EXPECT_EQ(found[1].method, 0);  // does not shrink
  }
  const std::string empty = format_zip({}, ZipMethod::kStored);
  EXPECT_TRUE(read_zip_directory(bytes(empty), "a.zip").empty());
}

// The value that the polynomial's definition gives for this text in every table of check values.
TEST(Zip, TheChecksumIsCrc32) {
  const std::string archive = format_zip(Members{{"x", "123456789"}}, ZipMethod::kStored);
  EXPECT_EQ(read_zip_directory(bytes(archive), "a.zip")[0].checksum, 0xcbf43926u);
}

TEST(Zip, CommentsAtTheEnd) {
  std::string archive = format_zip(Members{{"x", "abc"}}, ZipMethod::kStored);
  const std::string comment = "PK\5\6 is how the end of an archive begins";
  archive = with(archive, archive.size() - 2, static_cast<std::uint16_t>(comment.size())) + comment;
  EXPECT_EQ(problem(archive), "");
  EXPECT_EQ(read_zip_directory(bytes(archive), "a.zip").size(), 1u);
}

// Sizes and places in 64-bit fields, as they are written for members beyond 4 GiB.
TEST(Zip, WideFields) {
  const std::string plain = format_zip(Members{{"x", "abcdefgh"}}, ZipMethod::kStored);
  const std::size_t entry = directory_entry(plain), end = end_record(plain);
  const auto number = [](std::uint64_t value, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(&value), size);
  };
  std::string directory = plain.substr(entry, end - entry);
  for (const std::size_t at : {20, 24, 42}) directory = with(directory, at, 0xffffffffu);
  const std::string field = number(1, 2) + number(24, 2) + number(8, 8) + number(8, 8) + number(0, 8);
  const std::string other = number(0x5455, 2) + number(1, 2) + "z";  // a field that is of no interest
  directory = with(directory, 30, static_cast<std::uint16_t>(field.size() + other.size())) + other + field;
  const std::string record = "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
                             number(1, 8) + number(1, 8) + number(directory.size(), 8) + number(entry, 8);
  const std::string locator = "PK\6\7" + number(0, 4) + number(entry + directory.size(), 8) + number(1, 4);
  std::string last = plain.substr(end);
  for (const std::size_t at : {12, 16}) last = with(last, at, 0xffffffffu);
  const std::string start = plain.substr(0, entry);
  const std::string wide = start + directory + record + locator + last;
  const auto found = read_zip_directory(bytes(wide), "a.zip");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(content(wide, found[0], 3), "abcdefgh");

  const std::string lost = start + directory + std::string(record.size(), 'x') + locator + last;
  EXPECT_NE(problem(lost).find("zip64 record is missing"), std::string::npos) << problem(lost);
  std::string missing = directory.substr(0, directory.size() - field.size());
  missing = with(missing + number(1, 2) + number(20, 2) + field.substr(4), 30,
                 static_cast<std::uint16_t>(field.size() + other.size()));
  EXPECT_NE(problem(start + missing + record + locator + last), "");
}

TEST(Zip, DamageIsFound) {
  const std::string text(5000, 'a');
  for (const ZipMethod method : {ZipMethod::kStored, ZipMethod::kDeflated}) {
    const std::string good = format_zip(Members{{"x", text}}, method);
    const std::size_t entry = directory_entry(good);
    const auto expect = [&](const std::string& archive, const std::string& words) {
      EXPECT_NE(problem(archive).find(words), std::string::npos) << words << " <> " << problem(archive);
    };
    ASSERT_EQ(problem(good), "");
    for (std::size_t cut = 0; cut < good.size(); cut += 7) expect(good.substr(0, cut), "not a readable");
    expect(with(good, entry + 16, 1u), "checksum");
    expect(with(good, 31, 'b'), method == ZipMethod::kStored ? "checksum" : "a.zip:x: damaged");
    expect(with(good, entry + 10, std::uint16_t{12}), "method 12");
    expect(with(good, entry + 8, std::uint16_t{1}), "encrypted");
    expect(with(good, entry + 42, 5u), "does not lie where");
    expect(with(good, entry + 42, 0xfffffff0u), "does not lie where");
    expect(with(good, entry + 28, std::uint16_t{500}), "cut off");
    expect(with(good, entry, 0u), "member 0 of its directory is damaged");
    expect(with(good, entry + 24, 4999u), "damaged");
    expect(with(good, entry + 24, 5001u), "damaged");
    expect(with(good, entry + 20, 1u), "damaged");
    expect(with(good, entry + 20, 100'000u), "damaged");
    const std::size_t end = end_record(good);
    expect(with(good, end + 10, std::uint16_t{2}), "too short for its members");
    expect(with(good, end + 16, 0x7fffffffu), "does not lie within");
    expect(with(good, end + 4, std::uint16_t{3}), "several volumes");
  }
  EXPECT_NE(problem(""), "");
  EXPECT_NE(problem("PK\3\4 and something else that is long enough"), "");
}

}  // namespace
}  // namespace causcale
