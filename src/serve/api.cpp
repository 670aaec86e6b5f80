#include "serve/api.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "causcale/error.h"
#include "causcale/version.h"
#include "core/installed.h"
#include "discover/loaded_model.h"
#include "service/result_formats.h"

namespace causcale::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRoot = "/api/v1", kJobs = "/api/v1/jobs";
constexpr const char* kRetrySeconds = "5";

HttpResponse json_response(int status, const Json& document) {
  HttpResponse response;
  response.status = status;
  response.body = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

const char* kind_of(int status) {
  if (status == 401 || status == 403 || status == 421) return "access";
  if (status == 413 || status == 429 || status == 503) return "limit";
  return status >= 500 ? "internal" : "usage";
}

const char* state_name(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return "queued";
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
  }
  return "";
}

// In a time that does not tell how much of it is right.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() != b.size();
  for (std::size_t k = 0; k < a.size(); ++k)
    different |=
        static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[k % b.size()]);
  return different == 0;
}

// "localhost:8080" without its port.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

void require_method(const HttpRequest& request, std::string_view accepted) {
  if (request.method != accepted && !(request.method == "HEAD" && accepted == "GET"))
    throw HttpError(405, fmt::format("{} takes {} only", request.path, accepted));
}

// Models that have been asked for, each loaded once.
class ModelStore {
 public:
  LoadedModel get(const std::string& name) {
    const std::lock_guard guard(lock_);
    const auto found = models_.find(name);
    if (found != models_.end()) return found->second;
    return models_.emplace(name, load_for_discover({.model = name, .device = Device::kCpu})).first->second;
  }

 private:
  std::mutex lock_;
  std::map<std::string, LoadedModel> models_;
};

JobQueue::Work network_work(const JobLimits& limits) {
  const auto models = std::make_shared<ModelStore>();
  return [limits, models](const TableRequest& request, const JobProgress& progress) -> JobAnswer {
    progress(request.audit_only ? "audit" : "model", 0.0);
    if (request.audit_only) return audit_json(request, limits);
    const std::string name = request.discover.model.empty() ? default_model_name() : request.discover.model;
    return discover_table(request, models->get(name), limits, progress);
  };
}

}  // namespace

Api::Api(const ApiOptions& options, StaticFiles page)
    : Api(options, std::move(page), network_work(options.limits)) {}

Api::Api(const ApiOptions& options, StaticFiles page, JobQueue::Work work)
    : options_(options), page_(std::move(page)), jobs_(options.queue, std::move(work)) {}

ServerCalls Api::calls() {
  return {[this](const HttpRequest& request) { check_head(request); },
          [this](HttpRequest& request) { return answer(request); }, refuse};
}

HttpResponse Api::refuse(const HttpError& error) {
  HttpResponse response = json_response(
      error.status(), {{"error", {{"kind", kind_of(error.status())}, {"message", error.what()}}}});
  if (error.status() == 429 || error.status() == 503)
    response.headers.emplace_back("Retry-After", kRetrySeconds);
  if (error.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

void Api::check_head(const HttpRequest& request) const {
  const std::string* host = request.header("host");
  // A page of another site can make a browser send requests here under that site's name.
  if (options_.loopback && host) {
    const std::string_view name = host_name(*host);
    if (name != "localhost" && name != "[::1]" && !name.starts_with("127."))
      throw HttpError(421, "this server answers requests to localhost only");
  }
  if (request.content_length > options_.most_body_bytes)
    throw HttpError(413, fmt::format("the body has {} bytes, and {} are accepted", request.content_length,
                                     options_.most_body_bytes));
  if (!request.path.starts_with(kRoot)) {
    if (request.content_length > 0) throw HttpError(400, "no body is expected here");
    return;
  }
  if (const std::string* origin = request.header("origin"))
    if (!host || (*origin != "http://" + *host && *origin != "https://" + *host))
      throw HttpError(403, "pages of other sites may not ask");
  if (!options_.token.empty()) {
    const std::string* given = request.header("authorization");
    if (!given || !given->starts_with("Bearer ") ||
        !same_secret(std::string_view(*given).substr(7), options_.token))
      throw HttpError(401, "a token is needed: Authorization: Bearer TOKEN");
  }
}

HttpResponse Api::answer(HttpRequest& request) {
  try {
    if (request.path == kRoot || request.path.starts_with(std::string(kRoot) + "/"))
      return answer_api(request);
    require_method(request, "GET");
    if (request.path == "/openapi.yaml") {
      HttpResponse response;
      response.media_type = "application/yaml";
      response.shared_body = openapi_text();
      return response;
    }
    return page_file(request);
  } catch (const UsageError& error) {
    throw HttpError(400, error.what());
  } catch (const InputError& error) {
    throw HttpError(400, error.what());
  }
}

HttpResponse Api::answer_api(HttpRequest& request) {
  const std::string_view path = request.path;
  if (path == kRoot || path == std::string(kRoot) + "/") {
    require_method(request, "GET");
    return describe();
  }
  if (path == kJobs) {
    require_method(request, "POST");
    return submit(request);
  }
  if (path.starts_with(std::string(kJobs) + "/")) {
    const std::string_view rest = path.substr(kJobs.size() + 1);
    const std::string id(rest.substr(0, rest.find('/')));
    if (rest.size() == id.size()) {
      if (request.method == "DELETE") {
        if (!jobs_.remove(id)) throw HttpError(404, "there is no such job (any more)");
        HttpResponse response;
        response.status = 204;
        return response;
      }
      require_method(request, "GET");
      return describe_job(id);
    }
    if (rest.substr(id.size()) == "/result") {
      require_method(request, "GET");
      return result(id, request);
    }
  }
  throw HttpError(404, fmt::format("there is nothing at {}", request.path));
}

HttpResponse Api::submit(HttpRequest& request) {
  const std::string* type = request.header("content-type");
  if (!type || !type->starts_with("application/json"))
    throw HttpError(415, "send the request as Content-Type: application/json");
  TableRequest table = parse_table_request(request.body);
  request.body = {};
  if (table.table.empty()) throw HttpError(400, "\"table\" is missing or empty");
  const std::string extension = std::filesystem::path(table.name).extension().string();
  for (const char* binary : {".npy", ".npz", ".h5ad", ".h5"})
    if (extension == binary)
      throw HttpError(400, fmt::format("{}: only tables of text are accepted here", table.name));
  const std::string id = jobs_.submit(std::move(table));
  const std::string place = fmt::format("{}/{}", kJobs, id);
  HttpResponse response =
      json_response(202, {{"id", id}, {"state", "queued"}, {"job", place}, {"result", place + "/result"}});
  response.headers.emplace_back("Location", place);
  return response;
}

HttpResponse Api::describe_job(const std::string& id) {
  const std::optional<JobStatus> status = jobs_.status(id);
  if (!status) throw HttpError(404, "there is no such job (any more)");
  Json document = {{"id", id}, {"state", state_name(status->state)}};
  if (status->state == JobState::kQueued) document["before"] = status->before;
  if (status->state == JobState::kRunning) document["stage"] = status->stage;
  document["share"] = status->share;
  if (status->state == JobState::kFailed)
    document["error"] = {{"kind", status->error_kind}, {"message", status->error_message}};
  return json_response(200, document);
}

HttpResponse Api::result(const std::string& id, const HttpRequest& request) {
  const std::optional<JobStatus> status = jobs_.status(id);
  const std::shared_ptr<const JobAnswer> answer = jobs_.answer(id);
  if (!status) throw HttpError(404, "there is no such job (any more)");
  if (!answer)
    throw HttpError(409, status->state == JobState::kFailed
                             ? "the job has failed: " + status->error_message
                             : fmt::format("the job is {}: ask again later", state_name(status->state)));
  HttpResponse response;
  response.headers.emplace_back("Cache-Control", "no-store");
  if (const auto* audit = std::get_if<std::string>(answer.get())) {
    response.body = *audit;
    return response;
  }
  const std::string* wanted = request.query_value("format");
  const ResultFormat format = result_format_named(wanted ? *wanted : "json");
  const auto& [found, record] = std::get<TableResult>(*answer);
  response.body = format_result(found, record, format.name);
  response.media_type = format.media_type;
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"{}\"", format.file));
  return response;
}

HttpResponse Api::describe() const {
  auto models = Json::array();
  for (const InstalledModel& model : installed_models()) models.push_back(model.name);
  auto formats = Json::array();
  for (const ResultFormat& format : result_formats()) formats.push_back(format.name);
  return json_response(200, {{"version", CAUSCALE_VERSION},
                             {"models", models},
                             {"default_model", default_model_name()},
                             {"formats", formats},
                             {"limits",
                              {{"body_bytes", options_.most_body_bytes},
                               {"columns", options_.limits.most_columns},
                               {"waiting_jobs", options_.queue.most_waiting},
                               {"seconds_per_job", options_.queue.most_seconds.count()},
                               {"seconds_kept", options_.queue.keep.count()}}}});
}

HttpResponse Api::page_file(const HttpRequest& request) const {
  const StaticFile* file = page_.find(request.path);
  HttpResponse response;
  if (!file && request.path == "/") {
    response.media_type = "text/plain; charset=utf-8";
    response.body =
        "This server has no page in it (build it with: make page); its JSON API is at /api/v1, described in "
        "/openapi.yaml.\n";
    return response;
  }
  if (!file) throw HttpError(404, fmt::format("there is nothing at {}", request.path));
  // Isolated from other origins, as threads in WebAssembly require; and nothing may come from elsewhere.
  response.headers = {{"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Embedder-Policy", "require-corp"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"X-Frame-Options", "DENY"},
                      {"Cache-Control", "no-cache"},
                      {"ETag", file->tag}};
  const std::string* known = request.header("if-none-match");
  if (known && *known == file->tag) {
    response.status = 304;
    return response;
  }
  response.media_type = file->media_type;
  response.shared_body = file->content;
  return response;
}

}  // namespace causcale::serve
