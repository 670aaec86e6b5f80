#include "base/byte_size.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

TEST(ByteSize, UnitsArePowersOf1024) {
  const std::int64_t k = 1024;
  const struct {
    const char* text;
    std::int64_t bytes;
  } cases[] = {{"1", 1},
               {"1e9", 1000000000},
               {"12B", 12},
               {"2K", 2 * k},
               {"2kb", 2 * k},
               {"2KiB", 2 * k},
               {"500M", 500 * k * k},
               {"1.5G", 3 * k * k * k / 2},
               {"4 GiB", 4 * k * k * k},
               {"1T", k * k * k * k},
               {".5k", 512},
               {"8388607T", 8388607 * k * k * k * k}};
  for (const auto& one : cases) EXPECT_EQ(parse_byte_size(one.text, "--max-memory"), one.bytes) << one.text;
}

TEST(ByteSize, WhatIsNoSizeIsRefusedWithItsOption) {
  for (const char* text :
       {"",        " ",     "inf",     "INF",      "nan",   "infGiB", "-1",       "-inf",         "+1G",
        "0",       "0G",    "0.0001B", "1.2.3GiB", "1e400", "1e308T", "8388608T", "99999999999G", "much",
        "4 Gib b", "4GiBs", "1,5G",    "G",        "1E",    "0x10"})
    EXPECT_TRUE(contains(error_of([&] { parse_byte_size(text, "--max-memory"); }),
                         "--max-memory " + std::string(text) + ": "))
        << text;
}

TEST(ByteSize, IsWrittenForPeople) {
  EXPECT_EQ(format_byte_size(1), "1 byte");
  EXPECT_EQ(format_byte_size(1023), "1023 bytes");
  EXPECT_EQ(format_byte_size(1536), "1.50 KiB");
  EXPECT_EQ(format_byte_size(std::uint64_t{3} << 30), "3.00 GiB");
  EXPECT_EQ(format_byte_size(std::uint64_t{5} << 50), "5120.00 TiB");
}

TEST(ByteSize, LimitOfReading) {
  EXPECT_EQ(reading_limit(5), 5u);
  EXPECT_GT(reading_limit(0), std::size_t{64} << 20);
  EXPECT_NO_THROW(require_memory("f", 10, 10));
  EXPECT_EQ(error_of([] { require_memory("f.npz: array x", 2048, 1024); }),
            "f.npz: array x would need 2.00 KiB of memory, more than the limit of 1.00 KiB");
}

}  // namespace
}  // namespace causcale
