// causcale serve: the page and a JSON API over HTTP.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/byte_size.h"
#include "base/standard_error.h"
#include "causcale/error.h"
#include "commands.h"
#include "serve/api.h"
#include "serve/server.h"
#include "serve/static_files.h"

namespace causcale::cli {
namespace {

struct ServeCommand {
  CommonOptions common;
  std::string host = "127.0.0.1", token, max_body = "64MiB", max_memory = "4GiB";
  std::filesystem::path page;
  int port = 8765, workers = 1, queue = 64, connections = 128, max_seconds = 600, keep = 900;
  bool no_page = false;

  static std::string random_token() {
    std::array<unsigned char, 24> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      throw Error("the system gives no random numbers for a token");
    std::string token;
    for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
    return token;
  }

  serve::StaticFiles page_files() const {
    if (no_page) return {};
    const std::filesystem::path folder = page.empty() ? serve::installed_page() : page;
    return folder.empty() ? serve::StaticFiles() : serve::StaticFiles(folder);
  }

  void run() {
    const bool loopback = serve::is_loopback(host);
    bool made_token = false;
    if (token.empty())
      if (const char* given = std::getenv("CAUSCALE_TOKEN")) token = given;
    if (token.empty() && !loopback) {
      token = random_token();
      made_token = true;
    }
    serve::ApiOptions api_options;
    api_options.token = token;
    api_options.loopback = loopback;
    api_options.most_body_bytes = static_cast<std::size_t>(parse_byte_size(max_body, "--max-body"));
    api_options.limits = {.max_memory = parse_byte_size(max_memory, "--max-memory"),
                          .threads = common.threads};
    api_options.queue.workers = workers;
    api_options.queue.most_waiting = static_cast<std::size_t>(queue);
    api_options.queue.most_seconds = std::chrono::seconds(max_seconds);
    api_options.queue.keep = std::chrono::seconds(keep);
    serve::StaticFiles files = page_files();
    const bool has_page = !files.empty();

    serve::ServerOptions server_options;
    server_options.host = host;
    server_options.port = port;
    server_options.most_connections = static_cast<std::size_t>(connections);
    server_options.limits.body_bytes = api_options.most_body_bytes;
    server_options.most_body_bytes = 4 * api_options.most_body_bytes;

    // Every thread that is started from here on leaves these signals to this one.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    serve::Api api(api_options, std::move(files));
    serve::Server server(server_options, api.calls());
    const std::string shown_host = host.find(':') == host.npos ? host : "[" + host + "]";
    fmt::print("http://{}:{}/\n", shown_host, server.port());
    std::fflush(stdout);
    if (!common.quiet) {
      if (!has_page) print_error("The page is not part of this build: only the API is served.\n");
      if (made_token) print_error("Token for the API (Authorization: Bearer ...): {}\n", token);
      print_error("Ends with Ctrl-C.\n");
    }
    std::thread loop([&] { server.run(); });
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
    loop.join();
  }
};

}  // namespace

void add_serve(CLI::App& app) {
  const auto command = std::make_shared<ServeCommand>();
  CLI::App* sub = app.add_subcommand("serve", "Serve the page for browsers and a JSON API");
  sub->add_option("--port", command->port, "Port to listen on; 0 = any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  sub->add_option("--host", command->host,
                  "Address to listen on; other computers reach only addresses that are not loopback, and "
                  "need a token for the API then")
      ->capture_default_str();
  sub->add_option("--token", command->token,
                  "Secret that clients of the API must send; also in CAUSCALE_TOKEN, which other users of "
                  "this computer do not see. Without one, and not on loopback, one is made and printed");
  sub->add_option("--page", command->page, "Folder of the page, instead of the installed one");
  sub->add_flag("--no-page", command->no_page, "The API only");
  sub->add_option("--workers", command->workers, "Jobs that run at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_option("--queue", command->queue, "Jobs that may wait; more get the answer 429")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  sub->add_option("--connections", command->connections, "Connections at the same time")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub->add_option("--max-body", command->max_body, "Largest request; larger ones get the answer 413")
      ->capture_default_str();
  sub->add_option("--max-memory", command->max_memory, "Working memory of the network for one job")
      ->capture_default_str();
  sub->add_option("--max-seconds", command->max_seconds, "Longest time that a job may run")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--keep", command->keep, "Seconds for which results are kept")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_common_options(*sub, command->common, kThreads | kQuiet);
  sub->footer(
      "Examples:\n"
      "  causcale serve                                  # then open http://127.0.0.1:8765/\n"
      "  CAUSCALE_TOKEN=... causcale serve --host 0.0.0.0 --workers 2 --threads 4\n"
      "  jq -n --rawfile t data.csv '{table: $t}' | curl -d @- -H 'Content-Type: application/json' \\\n"
      "    http://127.0.0.1:8765/api/v1/jobs\n"
      "The first line printed is the address. /openapi.yaml describes the API.");
  sub->callback([command] { command->run(); });
}

}  // namespace causcale::cli
