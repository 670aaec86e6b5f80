// The server over real connections on this computer.
#include "serve/server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "causcale/version.h"
#include "serve/sample_client.h"
#include "support/temp_folder.h"

namespace causcale::serve {
namespace {

using causcale::test::TempFolder;
using test::Answer;
using test::Client;
using test::echo;
using test::kJson;
using test::RunningServer;

std::string finished_state(Client& client, const std::string& job, const std::string& headers = "") {
  for (;;) {
    const Answer answer = client.ask("GET", job, "", headers);
    if (answer.status != 200) return std::to_string(answer.status);
    const std::string state = nlohmann::json::parse(answer.body)["state"];
    if (state == "done" || state == "failed") return state;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Server, TakesAJobThroughItsLife) {
  RunningServer server({}, {}, echo);
  Client client(server.port());
  const Answer posted = client.ask("POST", "/api/v1/jobs", R"({"name": "mine", "table": "a,b\n"})", kJson);
  ASSERT_EQ(posted.status, 202) << posted.body;
  const std::string job = nlohmann::json::parse(posted.body)["job"];
  EXPECT_NE(posted.head.find("Location: " + job), std::string::npos);
  EXPECT_EQ(finished_state(client, job), "done");
  const Answer result = client.ask("GET", job + "/result");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, "\"mine\"");
  EXPECT_EQ(client.ask("DELETE", job).status, 204);
  EXPECT_EQ(client.ask("GET", job).status, 404);
  EXPECT_EQ(client.ask("GET", job + "/result").status, 404);
  EXPECT_EQ(client.ask("DELETE", job).status, 404);
}

TEST(Server, TellsWhatIsWrong) {
  RunningServer server({}, {}, [](const TableRequest&, const JobProgress&) -> JobAnswer {
    throw InputError("table.csv: line 3");
  });
  Client client(server.port());
  const auto status = [&](const std::string& method, const std::string& path, const std::string& body = "",
                          const std::string& headers = "") {
    const Answer answer = client.ask(method, path, body, headers);
    EXPECT_NO_THROW(nlohmann::json::parse(answer.body)["error"]["message"].get<std::string>()) << answer.body;
    return answer.status;
  };
  EXPECT_EQ(status("POST", "/api/v1/jobs", R"({"tabel": ""})", kJson), 400);
  EXPECT_EQ(status("POST", "/api/v1/jobs", R"({"table": ""})", kJson), 400);
  EXPECT_EQ(status("POST", "/api/v1/jobs", R"({"table": "x", "name": "x.npy"})", kJson), 400);
  EXPECT_EQ(status("POST", "/api/v1/jobs", R"({"table": "x"})", "Content-Type: text/plain\r\n"), 415);
  EXPECT_EQ(status("GET", "/api/v1/jobs"), 405);
  EXPECT_EQ(status("PUT", "/api/v1/jobs/1"), 405);
  EXPECT_EQ(status("GET", "/api/v1/nothing"), 404);
  EXPECT_EQ(status("GET", "/nothing"), 404);
  EXPECT_EQ(status("POST", "/"), 405);

  const Answer posted = client.ask("POST", "/api/v1/jobs", R"({"table": "x"})", kJson);
  const std::string job = nlohmann::json::parse(posted.body)["job"];
  EXPECT_EQ(finished_state(client, job), "failed");
  const auto told = nlohmann::json::parse(client.ask("GET", job).body);
  EXPECT_EQ(told["error"]["message"], "table.csv: line 3");
  EXPECT_EQ(told["error"]["kind"], "input");
  EXPECT_EQ(status("GET", job + "/result"), 409);
}

TEST(Server, DescribesItself) {
  RunningServer server({}, {}, echo);
  Client client(server.port());
  const auto about = nlohmann::json::parse(client.ask("GET", "/api/v1").body);
  EXPECT_EQ(about["version"], CAUSCALE_VERSION);
  EXPECT_FALSE(about["formats"].empty());
  const Answer text = client.ask("GET", "/openapi.yaml");
  EXPECT_TRUE(text.body.starts_with("openapi: 3"));
  EXPECT_EQ(text.body, openapi_text());
}

TEST(Server, RefusesBodiesThatAreTooLarge) {
  ApiOptions api;
  api.most_body_bytes = 1000;
  ServerOptions options;
  options.limits.body_bytes = 1000;
  RunningServer server(options, api, echo);
  Client client(server.port());
  const Answer answer = client.ask("POST", "/api/v1/jobs", std::string(100'000, 'x'), kJson);
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find("100000 bytes"), std::string::npos);
  Client announced(server.port());
  announced.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n");
  EXPECT_EQ(announced.receive().status, 413);
  Client head(server.port());
  EXPECT_EQ(head.ask("GET", "/", "", "X: " + std::string(100'000, 'x') + "\r\n").status, 431);
}

TEST(Server, AFullQueueGetsAClearAnswer) {
  std::atomic<bool> open{false};
  ApiOptions api;
  api.queue.most_waiting = 1;
  RunningServer server({}, api, [&](const TableRequest&, const JobProgress& progress) -> JobAnswer {
    while (!open) {
      progress("waiting", 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return "1";
  });
  Client client(server.port());
  int refused = 0;
  for (int k = 0; k < 5; ++k) {
    const Answer answer = client.ask("POST", "/api/v1/jobs", R"({"table": "x"})", kJson);
    if (answer.status != 429) continue;
    ++refused;
    EXPECT_NE(answer.head.find("Retry-After: "), std::string::npos);
  }
  EXPECT_GE(refused, 3);
  open = true;
}

TEST(Server, AsksForTheToken) {
  ApiOptions api;
  api.token = "secret";
  api.loopback = false;
  RunningServer server({}, api, echo);
  Client client(server.port());
  EXPECT_EQ(client.ask("GET", "/api/v1", "", "Host: example.org\r\nAuthorization: Bearer secret\r\n").status,
            200);
  for (const char* header :
       {"", "Authorization: Bearer secreT\r\n", "Authorization: Bearer secretsecret\r\n",
        "Authorization: Bearer \r\n", "Authorization: Basic secret\r\n", "Authorization: secret\r\n"})
    EXPECT_EQ(Client(server.port()).ask("GET", "/api/v1", "", header).status, 401) << header;
  EXPECT_EQ(Client(server.port()).ask("GET", "/openapi.yaml").status, 200);
}

TEST(Server, PagesOfOtherSitesGetNothing) {
  RunningServer server({}, {}, echo);
  const auto status = [&](const std::string& headers) {
    return Client(server.port()).ask("GET", "/api/v1", "", headers).status;
  };
  EXPECT_EQ(status("Host: localhost:80\r\nOrigin: http://localhost:80\r\n"), 200);
  EXPECT_EQ(status("Origin: https://example.org\r\n"), 403);
  EXPECT_EQ(status("Origin: null\r\n"), 403);
  EXPECT_EQ(status("Host: example.org\r\n"), 421);  // a name that was made to lead here
  EXPECT_EQ(status("Host: 127.0.0.1:80\r\n"), 200);
  EXPECT_EQ(status("Host: [::1]:80\r\n"), 200);
  const Answer answer = Client(server.port()).ask("OPTIONS", "/api/v1/jobs");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.head.find("Access-Control-Allow"), std::string::npos);
}

TEST(Server, DeliversThePageAndNothingElse) {
  const TempFolder folder;
  folder.write("index.html", "<!doctype html>");
  folder.write("module.wasm", "\0asm");
  const TempFolder elsewhere;
  elsewhere.write("model", "weights");
  std::filesystem::create_symlink(elsewhere / "model", folder / "weights.bin");
  RunningServer server({}, {}, echo, StaticFiles(folder / ""));
  Client client(server.port());
  const Answer page = client.ask("GET", "/");
  EXPECT_EQ(page.body, "<!doctype html>");
  for (const char* header : {"Content-Type: text/html", "Cross-Origin-Opener-Policy: same-origin",
                             "Cross-Origin-Embedder-Policy: require-corp", "X-Content-Type-Options: nosniff"})
    EXPECT_NE(page.head.find(header), std::string::npos) << header;
  EXPECT_NE(client.ask("GET", "/module.wasm").head.find("Content-Type: application/wasm"), std::string::npos);
  EXPECT_EQ(client.ask("GET", "/weights.bin").body, "weights") << "a link, as packages have it";
  const auto tag = page.head.substr(page.head.find("ETag: ") + 6, 34);
  EXPECT_EQ(client.ask("GET", "/", "", "If-None-Match: " + tag + "\r\n").status, 304);
  const Answer head = client.ask("HEAD", "/");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(client.ask("GET", "/index.html").body, "<!doctype html>") << "HEAD left something behind";
  for (const char* path : {"/../index.html", "/etc/passwd", "//etc/passwd", "/%2e%2e/x", "/index.html/"})
    EXPECT_EQ(Client(server.port()).ask("GET", path).status, 404) << path;
}

TEST(Server, WeightsOfThePageMayBeThoseOfTheModel) {
  const TempFolder folder;
  for (const char* name : {"page", "models"}) std::filesystem::create_directory(folder / name);
  folder.write("page/index.html", "<!doctype html>");
  folder.write("page/manifest.json", R"({"model": {"file": "general.safetensors"}})");
  folder.write("models/general.safetensors", "weights");
  folder.write("models/other.safetensors", "others");
  folder.write("secret", "nobody's business");
  {
    RunningServer server({}, {}, echo, StaticFiles(folder / "page"));
    Client client(server.port());
    EXPECT_EQ(client.ask("GET", "/general.safetensors").body, "weights");
    EXPECT_EQ(client.ask("GET", "/other.safetensors").status, 404);
  }
  folder.write("page/general.safetensors", "its own");
  EXPECT_EQ(StaticFiles(folder / "page").find("/general.safetensors")->content, "its own");
  for (const char* manifest : {"", "[]", "{}", R"({"model": {}})", R"({"model": {"file": 1}})",
                               R"({"model": {"file": "../secret"}})", R"({"model": {"file": "absent"}})"}) {
    folder.write("page/manifest.json", manifest);
    const StaticFiles files(folder / "page");
    EXPECT_FALSE(files.find("/../secret") || files.find("/secret") || files.find("/absent")) << manifest;
  }
}

TEST(Server, SlowClientsAreSentAway) {
  ServerOptions options;
  options.limits.idle_time = options.limits.head_time = options.limits.body_time =
      std::chrono::milliseconds(50);
  RunningServer server(options, {}, echo);
  Client silent(server.port());
  EXPECT_EQ(silent.receive().status, 0);
  Client half(server.port());
  half.send("GET / HTTP/1.1\r\nHost: ");
  EXPECT_EQ(half.receive().status, 408);
  Client body(server.port());
  body.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(body.receive().status, 408);
  Client gone(server.port());
  gone.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  gone.stop_sending();
  const int status = gone.receive().status;
  EXPECT_TRUE(status == 400 || status == 408) << status;
}

TEST(Server, TellsClientsToSendTheirBody) {
  RunningServer server({}, {}, echo);
  Client client(server.port());
  const std::string body = R"({"table": "x"})";
  client.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n" +
              std::string(kJson) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send(body);
  EXPECT_EQ(client.receive().status, 202);
}

TEST(Server, RequestsMayFollowEachOtherAtOnce) {
  RunningServer server({}, {}, echo);
  Client client(server.port());
  client.send(
      "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 404);
}

TEST(Server, ConnectionsAreCounted) {
  ServerOptions options;
  options.most_connections = 2;
  RunningServer server(options, {}, echo);
  Client one(server.port()), two(server.port());
  EXPECT_EQ(one.ask("GET", "/api/v1").status, 200);
  EXPECT_EQ(two.ask("GET", "/api/v1").status, 200);
  EXPECT_EQ(Client(server.port()).receive().status, 503);
}

TEST(Server, EndsWithClientsConnected) {
  auto server = std::make_unique<RunningServer>(ServerOptions{}, ApiOptions{}, echo);
  Client client(server->port());
  EXPECT_EQ(client.ask("GET", "/api/v1").status, 200);
  server.reset();
  EXPECT_EQ(client.ask("GET", "/api/v1").status, 0);
}

TEST(Server, SaysWhyItCannotListen) {
  RunningServer server({}, {}, echo);
  ServerOptions taken;
  taken.port = server.port();
  EXPECT_THROW(Server(taken, {}), UsageError);
  ServerOptions nowhere;
  nowhere.host = "not an address";
  EXPECT_THROW(Server(nowhere, {}), UsageError);
}

}  // namespace
}  // namespace causcale::serve
