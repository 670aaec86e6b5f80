// A hundred clients at once: every job is either refused with 429 or done, and memory stays within its
// bounds.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "serve/sample_client.h"

namespace causcale::serve {
namespace {

using test::Answer;
using test::Client;
using test::kJson;

TEST(ServerLoad, AHundredClientsLoseNoJob) {
  constexpr int kClients = 100, kJobs = 3, kMostTries = 2000;
  ApiOptions api;
  api.queue.workers = 2;
  api.queue.most_waiting = 20;  // fewer than there are clients: some must be refused and come again
  api.queue.most_bytes = 4 << 20;
  ServerOptions options;
  options.most_connections = kClients + 10;
  // However slow the computer is, nobody is sent away for being slow.
  options.limits.idle_time = options.limits.head_time = options.limits.body_time = options.limits.write_time =
      std::chrono::minutes(10);
  std::atomic<int> worked{0};
  std::atomic<std::size_t> most_bytes{0};
  test::RunningServer server(options, api,
                             [&](const TableRequest& request, const JobProgress& progress) -> JobAnswer {
                               progress("echo", 0.5);
                               ++worked;
                               return "\"" + request.name + "\"";
                             });
  std::atomic<int> done{0}, refused{0}, wrong{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c)
    clients.emplace_back([&, c] {
      try {
        Client client(server.port());
        for (int k = 0; k < kJobs; ++k) {
          const std::string name = std::to_string(c) + "-" + std::to_string(k);
          const std::string body =
              nlohmann::json({{"name", name}, {"table", std::string(10'000, 'x')}}).dump();
          Answer posted;
          for (int tries = 0; tries < kMostTries; ++tries) {
            posted = client.ask("POST", "/api/v1/jobs", body, kJson);
            if (posted.status != 429) break;
            ++refused;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
          if (posted.status != 202) {
            ++wrong;
            return;
          }
          const std::string job = nlohmann::json::parse(posted.body)["job"];
          for (int tries = 0; tries < kMostTries; ++tries) {
            const Answer status = client.ask("GET", job);
            if (status.status != 200) break;
            if (nlohmann::json::parse(status.body)["state"] == "done") break;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
          std::size_t seen = most_bytes;
          const std::size_t now = server.api().jobs().counts().bytes;
          while (now > seen && !most_bytes.compare_exchange_weak(seen, now)) continue;
          const bool right = client.ask("GET", job + "/result").body == "\"" + name + "\"";
          ++(right ? done : wrong);
          client.ask("DELETE", job);
        }
      } catch (const std::exception&) {
        ++wrong;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(done, kClients * kJobs);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(worked, kClients * kJobs);
  EXPECT_LE(most_bytes, api.queue.most_bytes);
  const JobQueue::Counts left = server.api().jobs().counts();
  EXPECT_EQ(left.waiting + left.running + left.finished, 0u);
  EXPECT_EQ(left.bytes, 0u);
}

}  // namespace
}  // namespace causcale::serve
