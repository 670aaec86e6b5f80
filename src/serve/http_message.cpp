#include "serve/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace causcale::serve {
namespace {

constexpr std::size_t kMostHeaders = 100;

[[noreturn]] void bad(const std::string& what) {
  throw HttpError(400, what);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text, bool query) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (query && text[k] == '+') {
      out += ' ';
    } else if (text[k] == '%') {
      const int high = k + 2 < text.size() ? hex_digit(text[k + 1]) : -1;
      const int low = k + 2 < text.size() ? hex_digit(text[k + 2]) : -1;
      if (high < 0 || low < 0) bad("the address has a % without two hexadecimal digits");
      const auto c = static_cast<char>(high * 16 + low);
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || (!query && (c == '/' || c == '\\')))
        bad("the address has an encoded character that is not accepted");
      out += c;
      k += 2;
    } else {
      out += text[k];
    }
  }
  return out;
}

void parse_target(std::string_view target, HttpRequest& request) {
  if (target.empty() || target.front() != '/') bad("the address must begin with a slash");
  for (const char c : target)
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f || c == '#' ||
        c == '\\')
      bad("the address has a character that is not accepted");
  const auto mark = target.find('?');
  request.path = decoded(target.substr(0, mark), false);
  if (mark == target.npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const auto equals = std::min(pair.find('='), pair.size());
    if (!pair.empty())
      request.query.emplace_back(
          decoded(pair.substr(0, equals), true),
          decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string_view(), true));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void parse_request_line(std::string_view line, HttpRequest& request) {
  const auto first = line.find(' ');
  const auto second = first == line.npos ? first : line.find(' ', first + 1);
  if (second == line.npos || line.find(' ', second + 1) != line.npos)
    bad("the first line is no HTTP request");
  const std::string_view version = line.substr(second + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    if (version.starts_with("HTTP/")) throw HttpError(505, "only HTTP/1.1 is spoken here");
    bad("the first line is no HTTP request");
  }
  request.keep_alive = version == "HTTP/1.1";
  const std::string_view method = line.substr(0, first);
  if (!is_token(method) || method.size() > 20) bad("the first line is no HTTP request");
  request.method = method;
  parse_target(line.substr(first + 1, second - first - 1), request);
}

void parse_header_line(std::string_view line, HttpRequest& request) {
  const auto colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) bad("a header line has no name");
  const std::string_view value = trimmed(line.substr(colon + 1));
  for (const char c : value)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
      bad("a header has a control character");
  if (request.headers.size() == kMostHeaders) throw HttpError(431, "too many headers");
  request.headers.emplace_back(lower_case(line.substr(0, colon)), value);
}

void settle_length(HttpRequest& request) {
  if (request.header("transfer-encoding"))
    throw HttpError(411, "send the body in one piece, with a Content-Length");
  const auto count = std::ranges::count_if(
      request.headers, [](const auto& header) { return header.first == "content-length"; });
  if (count == 0) return;
  const std::string& text = *request.header("content-length");
  const bool digits = !text.empty() && text.size() <= 15 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (count > 1 || !digits) bad("Content-Length is not one number");
  std::uint64_t length = 0;
  for (const char c : text) length = length * 10 + static_cast<std::uint64_t>(c - '0');
  request.content_length = length;
}

const std::string* find_value(const std::vector<std::pair<std::string, std::string>>& list,
                              std::string_view name) {
  for (const auto& [key, value] : list)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace

const std::string* HttpRequest::header(std::string_view name) const {
  return find_value(headers, name);
}

const std::string* HttpRequest::query_value(std::string_view name) const {
  return find_value(query, name);
}

std::optional<std::size_t> find_head_end(std::string_view arrived) {
  const auto end = arrived.find("\r\n\r\n");
  if (end == arrived.npos) return std::nullopt;
  return end + 4;
}

HttpRequest parse_request_head(std::string_view head) {
  const auto end = find_head_end(head);
  if (!end || *end != head.size()) bad("the head of the request is not whole");
  head.remove_suffix(2);  // the empty line
  HttpRequest request;
  for (bool first = true; !head.empty(); first = false) {
    const auto stop = head.find("\r\n");
    const std::string_view line = head.substr(0, stop);
    if (line.find_first_of("\r\n") != line.npos || line.find('\0') != line.npos)
      bad("a line of the head does not end in CR LF");
    if (first)
      parse_request_line(line, request);
    else
      parse_header_line(line, request);
    head.remove_prefix(stop + 2);
  }
  if (request.method.empty()) bad("the first line is no HTTP request");
  settle_length(request);
  const auto hosts =
      std::ranges::count_if(request.headers, [](const auto& header) { return header.first == "host"; });
  if (hosts > 1 || (hosts == 0 && request.keep_alive)) bad("exactly one Host header is needed");
  if (const std::string* connection = request.header("connection")) {
    const std::string word = lower_case(*connection);
    if (word.find("close") != word.npos) request.keep_alive = false;
  }
  if (const std::string* expect = request.header("expect")) {
    if (lower_case(*expect) != "100-continue") throw HttpError(417, "only Expect: 100-continue is known");
    request.expects_continue = true;
  }
  return request;
}

const char* status_words(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string format_response_head(const HttpResponse& response, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, status_words(response.status));
  if (response.status != 204 && response.status != 304)
    head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", response.media_type,
                        response.content().size());
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  head += "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace causcale::serve
