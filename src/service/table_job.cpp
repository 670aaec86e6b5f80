#include "service/table_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/memory_file.h"
#include "base/sha256.h"
#include "causcale/error.h"
#include "report/options_json.h"

namespace causcale {
namespace {

// Messages name the path that was read; users know the table by another name.
std::string renamed(std::string message, const std::string& path, const std::string& name) {
  for (std::size_t at = 0; (at = message.find(path, at)) != message.npos; at += name.size())
    message.replace(at, path.size(), name);
  return message;
}

std::string extension_of(const std::string& name) {
  return std::filesystem::path(name).extension().string();
}

}  // namespace

ExaminedTable examine_table(const TableRequest& request, const JobLimits& limits) {
  const MemoryFile table(request.table, extension_of(request.name));
  std::optional<MemoryFile> interventions;
  ReadOptions read = request.read;
  read.threads = limits.reading_threads > 0 ? limits.reading_threads : limits.threads;
  read.max_bytes = static_cast<std::size_t>(limits.max_memory);
  if (!request.interventions.empty()) {
    interventions.emplace(request.interventions, ".csv");
    read.interventions.file = interventions->path();
  }
  const auto told = [&](const std::exception& error) {
    std::string message = renamed(error.what(), table.path().string(), request.name);
    if (interventions) message = renamed(message, interventions->path().string(), "the interventions");
    return message;
  };
  try {
    ReadNotes notes;
    ExaminedTable examined{read_dataset(table.path(), read, &notes), {}};
    const std::size_t columns = examined.dataset.table.cols();
    if (columns > limits.most_columns)
      throw InputError(fmt::format("{}: {} columns are more than the {} that are accepted here", request.name,
                                   columns, limits.most_columns));
    examined.audit = audit(examined.dataset, request.name, &notes);
    return examined;
  } catch (const InputError& error) {
    throw InputError(told(error));
  } catch (const UsageError& error) {
    throw UsageError(told(error));
  }
}

std::string audit_json(const TableRequest& request, const JobLimits& limits) {
  try {
    return examine_table(request, limits).audit.to_json();
  } catch (const InputError& error) {
    AuditReport report;
    report.source = request.name;
    report.findings.push_back({Severity::kError, "unreadable", {}, 0, error.what(), ""});
    return report.to_json();
  }
}

TableResult discover_table(const TableRequest& request, const LoadedModel& model, const JobLimits& limits,
                           const JobProgress& progress) {
  const ExaminedTable examined = examine_table(request, limits);
  examined.audit.throw_if_errors();
  DiscoverOptions options = request.discover;
  options.knowledge = resolve_knowledge(request.knowledge, examined.dataset.table.names);
  options.threads = limits.threads;
  options.max_memory = limits.max_memory;
  options.progress = progress;
  TableResult done;
  const auto audited = nlohmann::ordered_json::parse(examined.audit.to_json());
  done.record = {.command = equivalent_command(request),
                 .data_file = request.name,
                 .data_sha256 = sha256_hex(std::as_bytes(std::span(request.table))),
                 .audit_json = audited["findings"].dump(),
                 .options_json = options_json(options).dump(),
                 .knowledge = options.knowledge,
                 .variables_json = audited["variables"].dump()};
  done.result = discover(examined.dataset, options, model);
  return done;
}

}  // namespace causcale
