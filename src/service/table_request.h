// What a program that has no files asks for, as JSON: the page in the browser and the clients of `causcale
// serve`. docs/openapi.yaml describes the form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "causcale/discover.h"
#include "data/reader.h"

namespace causcale {

// Background knowledge by the names of the variables, which are known when the table has been read.
struct NamedKnowledge {
  std::vector<std::pair<std::string, std::string>> required, forbidden;  // source, target
  std::vector<std::vector<std::string>> tiers;                           // earliest first
};

struct TableRequest {
  std::string name = "table.csv";  // for messages; its extension says the format
  std::string table;               // the content
  std::string interventions;       // content of a file with the interventions; empty: none
  bool audit_only = false;
  ReadOptions read;
  DiscoverOptions discover;  // without knowledge; `model` is the name of an installed model
  NamedKnowledge knowledge;
};

// Throws UsageError that names the key. Nothing in a request can name a file.
TableRequest parse_table_request(std::string_view json);

// Throws InputError naming what is no variable.
Knowledge resolve_knowledge(const NamedKnowledge& knowledge, const std::vector<std::string>& names);

// The command that does the same with files.
std::string equivalent_command(const TableRequest& request);

}  // namespace causcale
