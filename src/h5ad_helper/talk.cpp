#include "h5ad_helper/talk.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace causcale::h5ad_helper {
namespace {

void send_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(STDIN_FILENO, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(1);
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void receive_all(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = recv(STDIN_FILENO, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(1);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace

void send(H5adMessage kind, std::span<const std::byte> bytes) {
  const H5adMessageHead head{kind, static_cast<std::uint32_t>(bytes.size())};
  send_all(std::as_bytes(std::span(&head, 1)));
  send_all(bytes);
}

void send_texts(const std::vector<std::string>& texts) {
  constexpr std::size_t kPortion = std::size_t{1} << 20;
  std::string packed;
  for (const std::string& text : texts) {
    if (text.size() > kPortion) throw std::runtime_error("a text is longer than 1 MiB");
    const auto length = static_cast<std::uint32_t>(text.size());
    packed.append(reinterpret_cast<const char*>(&length), sizeof length);
    packed += text;
    if (packed.size() < kPortion) continue;
    send(H5adMessage::kTexts, std::as_bytes(std::span(packed)));
    packed.clear();
  }
  if (!packed.empty()) send(H5adMessage::kTexts, std::as_bytes(std::span(packed)));
  send(H5adMessage::kTexts);
}

void send_rows(std::uint64_t rows) {
  send(H5adMessage::kRows, std::as_bytes(std::span(&rows, 1)));
}

void send_values(std::span<const double> values) {
  constexpr std::size_t kPortion = kLargestH5adMessage / sizeof(double);
  while (!values.empty()) {
    const std::size_t count = std::min(kPortion, values.size());
    send(H5adMessage::kValues, std::as_bytes(values.first(count)));
    values = values.subspan(count);
  }
}

std::vector<std::uint64_t> receive_kept() {
  H5adMessageHead head;
  receive_all(std::as_writable_bytes(std::span(&head, 1)));
  if (head.kind != H5adMessage::kKept) _exit(1);
  std::vector<std::uint64_t> kept(head.size / sizeof(std::uint64_t));
  receive_all(std::as_writable_bytes(std::span(kept)));
  return kept;
}

}  // namespace causcale::h5ad_helper
