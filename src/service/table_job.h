// From the bytes of a table to its audit or its graph, without a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "causcale/discover.h"
#include "data/audit.h"
#include "discover/loaded_model.h"
#include "report/report.h"
#include "service/table_request.h"

namespace causcale {

// What one job may take.
struct JobLimits {
  std::size_t most_columns = 2000;
  std::int64_t max_memory = 0;  // of the network's working memory; 0: no limit
  int threads = 0;
  int reading_threads = 0;  // for the table; 0: as many as `threads` says
};

struct ExaminedTable {
  Dataset dataset;
  AuditReport audit;
};

// Reads the table and looks it over. Messages call it by the request's name. Throws InputError or UsageError
// where it cannot be read at all, or has more columns than `limits` allow.
ExaminedTable examine_table(const TableRequest& request, const JobLimits& limits);

// The audit as JSON; a table that cannot be read is a finding, too.
std::string audit_json(const TableRequest& request, const JobLimits& limits);

struct TableResult {
  DiscoverResult result;
  RunRecord record;
};
// `progress` as in DiscoverOptions; it may throw, which ends the work.
using JobProgress = std::function<void(const std::string& stage, double share)>;

// Throws InputError where the audit finds an error.
TableResult discover_table(const TableRequest& request, const LoadedModel& model, const JobLimits& limits,
                           const JobProgress& progress);

}  // namespace causcale
