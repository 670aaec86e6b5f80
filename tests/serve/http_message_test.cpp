#include "serve/http_message.h"

#include <gtest/gtest.h>

namespace causcale::serve {
namespace {

constexpr const char* kHost = "Host: localhost\r\n";

int status_of(const std::string& head) {
  try {
    parse_request_head(head);
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

TEST(HttpMessage, ReadsARequest) {
  const HttpRequest request = parse_request_head(
      "POST /api/v1/jobs/a%20b/result?format=csv&x=1+2%21&empty HTTP/1.1\r\nHost: localhost:80\r\n"
      "Content-Length: 12\r\nX-Odd:  two words \t\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/jobs/a b/result");
  EXPECT_EQ(*request.query_value("format"), "csv");
  EXPECT_EQ(*request.query_value("x"), "1 2!");
  EXPECT_EQ(*request.query_value("empty"), "");
  EXPECT_EQ(request.query_value("none"), nullptr);
  EXPECT_EQ(*request.header("x-odd"), "two words");
  EXPECT_EQ(request.content_length, 12u);
  EXPECT_TRUE(request.keep_alive);
  EXPECT_TRUE(request.expects_continue);
}

TEST(HttpMessage, KnowsWhenAConnectionEnds) {
  EXPECT_FALSE(parse_request_head("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_FALSE(parse_request_head("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n").keep_alive);
}

TEST(HttpMessage, RefusesWhatIsNoHttp) {
  for (const char* head :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "G\x01T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n",
        "GET / SPDY\r\nHost: a\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nspace : b\r\n\r\n",
        "GET /a%2fb HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a%4 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n"})
    EXPECT_EQ(status_of(head), 400) << head;
  EXPECT_EQ(status_of(std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 29)), 400);
}

TEST(HttpMessage, RefusesDoubtfulLengths) {
  const auto with = [](const std::string& header) {
    return status_of(std::string("POST / HTTP/1.1\r\n") + kHost + header + "\r\n");
  };
  EXPECT_EQ(with("Content-Length: 5\r\n"), 200);
  EXPECT_EQ(with("Content-Length: 5\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: -5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 5, 5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 18446744073709551616\r\n"), 400);
  EXPECT_EQ(with("Content-Length: \r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\n"), 411);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 411);
  EXPECT_EQ(with("Expect: the-unexpected\r\n"), 417);
}

TEST(HttpMessage, RefusesOtherVersionsAndTooManyHeaders) {
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int k = 0; k < 200; ++k) head += "X: y\r\n";
  EXPECT_EQ(status_of(head + "\r\n"), 431);
}

TEST(HttpMessage, FindsTheEndOfAHead) {
  EXPECT_EQ(find_head_end("GET / HTTP/1.1\r\nHost: a\r\n"), std::nullopt);
  EXPECT_EQ(find_head_end("a\r\n\r\nbody"), 5u);
}

TEST(HttpMessage, WritesAnAnswer) {
  HttpResponse response;
  response.body = "{}";
  response.headers.emplace_back("X-Own", "1");
  const std::string head = format_response_head(response, false);
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(head.find("Content-Length: 2\r\n"), head.npos);
  EXPECT_NE(head.find("X-Own: 1\r\n"), head.npos);
  EXPECT_NE(head.find("Connection: close\r\n"), head.npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace causcale::serve
