#include "base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {
Sha256::Sha256() : blocks_(sha256_blocks_fast() ? sha256_blocks_fast() : sha256_blocks_plain) {}

void Sha256::add(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  while (!bytes.empty()) {
    if (pending_size_ == 0 && bytes.size() >= pending_.size()) {
      const std::size_t whole = bytes.size() / pending_.size();
      blocks_(state_, bytes.data(), whole);
      bytes = bytes.subspan(whole * pending_.size());
      continue;
    }
    const std::size_t taken = std::min(bytes.size(), pending_.size() - pending_size_);
    std::copy_n(bytes.begin(), taken, pending_.begin() + pending_size_);
    pending_size_ += taken;
    bytes = bytes.subspan(taken);
    if (pending_size_ == pending_.size()) {
      blocks_(state_, pending_.data(), 1);
      pending_size_ = 0;
    }
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = total_ * 8;
  std::array<std::byte, 72> padding{std::byte{0x80}};
  const std::size_t zeros_end = (pending_size_ < 56 ? 56 : 120) - pending_size_;
  for (int i = 0; i < 8; ++i) padding[zeros_end + i] = std::byte(bits >> (56 - 8 * i));
  add(std::span(padding).first(zeros_end + 8));

  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(word >> shift) & 15];
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const MappedFile file(path);
  Sha256 hash;
  for (std::span<const std::byte> rest = file.bytes(); !rest.empty();
       rest = rest.subspan(std::min(kPart, rest.size()))) {
    const auto part = rest.first(std::min(kPart, rest.size()));
    hash.add(part);
    release_pages(part);
  }
  return hash.hex();
}

std::string checked_sha256(const std::filesystem::path& path) {
  const std::string found = sha256_of_file(path);
  const std::filesystem::path list = path.parent_path() / "SHA256SUMS";
  std::error_code error;
  if (!std::filesystem::is_regular_file(list, error)) return found;
  const MappedFile file(list);
  std::string_view rest = file.text();
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    constexpr std::size_t kDigits = 64;
    const std::string_view digits = line.substr(0, kDigits);
    // "<digits>  name" of a text file, "<digits> *name" of a binary one.
    if (line.size() < kDigits + 3 || line[kDigits] != ' ' ||
        (line[kDigits + 1] != ' ' && line[kDigits + 1] != '*') ||
        digits.find_first_not_of("0123456789abcdef") != digits.npos)
      throw InputError(fmt::format("{}:{}: not a line as sha256sum writes it", list.string(), number));
    if (line.substr(kDigits + 2) != path.filename().string()) continue;
    if (digits != found)
      throw InputError(fmt::format("{} is damaged: its SHA-256 is {}, {} says {}; install it again",
                                   path.string(), found, list.string(), digits));
  }
  return found;
}

}  // namespace causcale
