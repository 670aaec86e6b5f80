// What the page calls: a few C functions. Texts go in as pointer and length; an answer is JSON or the bytes
// of a file, at causcale_answer() until the next call. One worker of the page has one module: no call runs
// beside another.
#include <emscripten.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/parallel.h"
#include "causcale/error.h"
#include "causcale/version.h"
#include "core/cpu/kernels.h"
#include "discover/loaded_model.h"
#include "discover/settings.h"
#include "service/result_formats.h"
#include "service/table_job.h"
#include "service/table_request.h"

// clang-format off
// The page hears of the progress while the worker is busy.
EM_JS(void, report_progress, (const char* stage, double share), {
  if (Module["onProgress"]) Module["onProgress"](UTF8ToString(stage), share);
});
// clang-format on

namespace {

using causcale::JobLimits;
using causcale::TableRequest;
using Json = nlohmann::ordered_json;

struct Session {
  std::optional<causcale::LoadedModel> model;
  std::optional<causcale::TableResult> found;
  // However many columns: what decides is the memory that the page shows. unwind.cpp says why one thread
  // reads.
  JobLimits limits{.most_columns = 1'000'000, .reading_threads = 1};
  std::string answer;
};

Session& session() {
  static Session one;
  return one;
}

std::string dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// 0, or the exit code that the program would have; then the answer is the message.
template <class Work>
int answered(Work work) {
  std::string& answer = session().answer;
  try {
    answer = work();
    return 0;
  } catch (const causcale::Error& error) {
    answer = error.what();
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    answer = "the browser gives no more memory";
  } catch (const std::exception& error) {
    answer = std::string("internal error: ") + error.what();
  }
  return 3;
}

TableRequest request_of(const char* json, std::size_t json_bytes, const char* table,
                        std::size_t table_bytes) {
  TableRequest request = causcale::parse_table_request({json, json_bytes});
  request.table.assign(table, table_bytes);
  return request;
}

// What the network would need for the table.
Json plan_of(const causcale::Dataset& dataset, const TableRequest& request) {
  const std::size_t rows = dataset.table.rows(), columns = dataset.table.cols();
  if (rows < 2 || columns < 2 || !session().model) return nullptr;
  causcale::DiscoverOptions options = request.discover;
  options.threads = session().limits.threads;
  const causcale::DiscoverPlan plan = causcale::plan_discover(rows, columns, options, *session().model);
  return {{"rows", plan.rows},
          {"columns", plan.columns},
          {"passes", plan.passes},
          {"peak_bytes", plan.peak_bytes + static_cast<std::int64_t>(24 * rows * columns)},
          {"tera_flops", plan.tera_flops}};
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* causcale_answer() {
  return session().answer.data();
}
EMSCRIPTEN_KEEPALIVE std::size_t causcale_answer_bytes() {
  return session().answer.size();
}

// Version, instruction set, threads and formats.
EMSCRIPTEN_KEEPALIVE int causcale_describe() {
  return answered([] {
    auto formats = Json::array();
    for (const causcale::ResultFormat& format : causcale::result_formats())
      formats.push_back({{"name", format.name}, {"file", format.file}, {"media_type", format.media_type}});
    return dump({{"version", CAUSCALE_VERSION},
                 {"kernels", causcale::core::isa_name(causcale::core::chosen_isa())},
                 {"formats", formats}});
  });
}

// The weights lie in the module's file system at `path`.
EMSCRIPTEN_KEEPALIVE int causcale_load_model(const char* path, int threads) {
  return answered([&] {
    session().limits.threads = threads;
    session().model = causcale::load_for_discover({.model = path, .device = causcale::Device::kCpu});
    return dump({{"model", session().model->name}, {"sha256", session().model->sha256}});
  });
}

// The audit of a table, what the network would need, and the command that does the same.
EMSCRIPTEN_KEEPALIVE int causcale_audit(const char* json, std::size_t json_bytes, const char* table,
                                        std::size_t table_bytes) {
  return answered([&] {
    const TableRequest request = request_of(json, json_bytes, table, table_bytes);
    Json document = {{"command", causcale::equivalent_command(request)}};
    try {
      const causcale::ExaminedTable examined = causcale::examine_table(request, session().limits);
      document["audit"] = Json::parse(examined.audit.to_json());
      document["plan"] = plan_of(examined.dataset, request);
    } catch (const causcale::InputError& error) {
      document["unreadable"] = error.what();
    }
    return dump(document);
  });
}

// Finds the graph and keeps it for causcale_format(). The answer is how long each part took.
EMSCRIPTEN_KEEPALIVE int causcale_discover(const char* json, std::size_t json_bytes, const char* table,
                                           std::size_t table_bytes) {
  return answered([&] {
    session().found.reset();
    if (!session().model) throw causcale::UsageError("the weights have not been loaded");
    const TableRequest request = request_of(json, json_bytes, table, table_bytes);
    session().found = causcale::discover_table(
        request, *session().model, session().limits,
        [](const std::string& stage, double share) { report_progress(stage.c_str(), share); });
    Json seconds = Json::object();
    for (const auto& [stage, time] : session().found->result.seconds) seconds[stage] = time;
    return dump({{"seconds", seconds}});
  });
}

EMSCRIPTEN_KEEPALIVE int causcale_format(const char* format) {
  return answered([&] {
    if (!session().found) throw causcale::UsageError("there is no result yet");
    return causcale::format_result(session().found->result, session().found->record, format);
  });
}

}  // extern "C"
