#include "base/work_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "causcale/error.h"

namespace causcale {
namespace {

using Variables = std::function<const char*(const char* name)>;

std::optional<std::size_t> whole(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::size_t> read(const Variables& variable, const char* name) {
  const char* text = variable(name);
  if (!text || !*text) return std::nullopt;
  const auto value = whole(text);
  if (!value) throw UsageError(fmt::format("{}={}: a whole number from 0 on is expected", name, text));
  return value;
}

// One number and how many there are; nothing unless both are set.
std::optional<WorkShare> numbered(const Variables& variable, const char* rank, const char* size) {
  const auto index = read(variable, rank), count = read(variable, size);
  if (!index || !count) return std::nullopt;
  if (*index >= *count) throw UsageError(fmt::format("{}={}, but {}={}", rank, *index, size, *count));
  return WorkShare{*index, *count, rank};
}

std::optional<WorkShare> array_task(const Variables& variable) {
  const auto id = read(variable, "SLURM_ARRAY_TASK_ID"), count = read(variable, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const std::size_t least = read(variable, "SLURM_ARRAY_TASK_MIN").value_or(0),
                    step = read(variable, "SLURM_ARRAY_TASK_STEP").value_or(1);
  // Arrays such as 1,5,9-12 have no step that holds throughout; those numbers still differ.
  const std::size_t index = *id >= least && step > 0 ? (*id - least) / step : *id;
  return WorkShare{index % std::max<std::size_t>(*count, 1), std::max<std::size_t>(*count, 1),
                   "SLURM_ARRAY_TASK_ID"};
}

}  // namespace

WorkShare parse_work_share(const std::string& text, const std::string& option) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view all = text;
  const auto index = whole(all.substr(0, slash));
  const auto count = whole(all.substr(std::min(slash + 1, all.size())));
  if (index && count && *index < *count) return {*index, *count, option};
  throw UsageError(fmt::format("{} {}: K/N is expected, process K of N, where K counts from 0, such as 0/4",
                               option, text));
}

WorkShare work_share_of_launcher(const Variables& variable) {
  std::optional<WorkShare> rank = numbered(variable, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  if (!rank) rank = numbered(variable, "PMI_RANK", "PMI_SIZE");
  if (!rank) rank = numbered(variable, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
  const std::optional<WorkShare> task = array_task(variable);
  if (!task) return rank.value_or(WorkShare{});
  if (!rank) return *task;
  return {task->index * rank->count + rank->index, task->count * rank->count,
          task->source + " and " + rank->source};
}

WorkShare work_share_of_launcher() {
  return work_share_of_launcher([](const char* name) { return std::getenv(name); });
}

std::vector<std::size_t> work_order(const WorkShare& share, std::size_t pieces) {
  std::vector<std::size_t> order;
  order.reserve(pieces);
  for (std::size_t k = share.index; k < pieces; k += share.count) order.push_back(k);
  for (std::size_t other = 1; other < share.count && order.size() < pieces; ++other)
    for (std::size_t k = (share.index + other) % share.count; k < pieces; k += share.count)
      order.push_back(k);
  return order;
}

}  // namespace causcale
