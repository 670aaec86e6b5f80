// What `causcale serve` answers: the JSON API (docs/openapi.yaml) and the page.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "serve/http_message.h"
#include "serve/job_queue.h"
#include "serve/server.h"
#include "serve/static_files.h"

namespace causcale::serve {

struct ApiOptions {
  std::string token;     // empty: none is asked for
  bool loopback = true;  // only requests to this computer's own names are answered
  std::size_t most_body_bytes = std::size_t{64} << 20;
  JobLimits limits;
  QueueOptions queue;
};

// Safe from several threads.
class Api {
 public:
  Api(const ApiOptions& options, StaticFiles page);
  // With other work than discover, for tests.
  Api(const ApiOptions& options, StaticFiles page, JobQueue::Work work);

  ServerCalls calls();
  JobQueue& jobs() { return jobs_; }

  void check_head(const HttpRequest& request) const;
  HttpResponse answer(HttpRequest& request);
  static HttpResponse refuse(const HttpError& error);

 private:
  HttpResponse answer_api(HttpRequest& request);
  HttpResponse submit(HttpRequest& request);
  HttpResponse describe_job(const std::string& id);
  HttpResponse result(const std::string& id, const HttpRequest& request);
  HttpResponse describe() const;
  HttpResponse page_file(const HttpRequest& request) const;

  const ApiOptions options_;
  const StaticFiles page_;
  JobQueue jobs_;
};

// The text of docs/openapi.yaml.
std::string_view openapi_text();

}  // namespace causcale::serve
