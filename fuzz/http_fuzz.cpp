// The head of an HTTP request, as `causcale serve` reads it from strangers.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "serve/http_message.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale::serve;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto end = find_head_end(text);
  if (end && *end > text.size()) std::abort();
  try {
    const HttpRequest request = parse_request_head(end ? text.substr(0, *end) : text);
    if (!end) std::abort();  // a head that is not whole must not be accepted
    if (request.method.empty() || !request.path.starts_with('/')) std::abort();
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::ranges::any_of(request.path, control)) std::abort();
    for (const auto& [name, value] : request.headers)
      if (name.empty() || value.find_first_of("\r\n") != value.npos || value.find('\0') != value.npos)
        std::abort();
  } catch (const HttpError& error) {
    if (error.status() < 400 || error.status() > 599) std::abort();
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:8765\r\nContent-Length: 12\r\nContent-Type: "
          "application/json\r\nExpect: 100-continue\r\n\r\n{\"table\":1}",
          "GET /api/v1/jobs/0123/result?format=csv&x=%20+y HTTP/1.0\r\nConnection: close\r\n\r\n",
          "DELETE /api/v1/jobs/a%41 HTTP/1.1\r\nHost: [::1]\r\nAuthorization: Bearer x\r\n\r\n"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\r\n",
          "\r\n\r\n",
          "\n",
          "Content-Length: ",
          "Transfer-Encoding: chunked\r\n",
          "HTTP/1.1",
          "HTTP/2.0",
          "%2f",
          "%00",
          "..",
          "Host: a\r\n",
          "Connection: close\r\n",
          "?",
          "&",
          "=",
          "18446744073709551616"};
}
