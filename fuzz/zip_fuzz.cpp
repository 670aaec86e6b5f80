// Zip archives: members of any kind, read to their end in pieces. What is written comes back.
#include "base/zip.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "causcale/error.h"
#include "target.h"

namespace {

using namespace causcale;

// The contents; a claim of more than `most` bytes is passed over.
std::vector<std::pair<std::string, std::string>> contents(std::span<const std::byte> archive,
                                                          std::uint64_t most) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const ZipMember& member : read_zip_directory(archive, "fuzz")) {
    if (member.size > most || result.size() > 50) continue;
    ZipStream stream(archive, member, member.name);
    std::string content(member.size, '\0');
    const std::size_t first = content.size() / 3;
    stream.read(reinterpret_cast<std::byte*>(content.data()), first);
    stream.read(reinterpret_cast<std::byte*>(content.data()) + first, content.size() - first);
    result.emplace_back(member.name, std::move(content));
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    contents(bytes, 1 << 20);
  } catch (const Error&) {
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::pair<std::string, std::string_view> members[] = {{"a", text}, {"b", text.substr(0, size / 2)}};
  for (const ZipMethod method : {ZipMethod::kStored, ZipMethod::kDeflated}) {
    const std::string archive = format_zip(members, method);
    const auto back = contents(std::as_bytes(std::span(archive)), size);
    if (back.size() != 2 || back[0].second != text || back[1].second != members[1].second) std::abort();
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds;
  const std::string zeros(300, '\0');
  const std::pair<std::string, std::string_view> members[] = {{"a.npy", "some text"}, {"b/c.txt", zeros}};
  for (const ZipMethod method : {ZipMethod::kStored, ZipMethod::kDeflated})
    seeds.push_back(format_zip(members, method));
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", "PK\6\7", std::string(4, '\xFF'), std::string(2, '\xFF')};
}
