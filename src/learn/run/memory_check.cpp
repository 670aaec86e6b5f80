#include "learn/run/memory_check.h"

#include <fmt/format.h>

#include "causcale/error.h"
#include "core/cost.h"
#include "learn/data/batches.h"

namespace causcale {

void check_training_memory(const TrainConfig& config, std::int64_t bytes) {
  constexpr double kGiB = 1 << 30;
  // SEA keeps a few estimates and n x n pairs of a table, whose rows its network never sees.
  if (config.model.architecture == Architecture::kSea) return;
  for (const Stage& stage : config.stages) {
    const std::int64_t needed = training_bytes(config.model, largest_batch(stage));
    if (needed <= bytes) continue;
    const std::int64_t fitting = bytes / training_bytes(config.model, 1);
    throw InputError(fmt::format(
        "stage '{}': its largest batches need about {:.0f} GiB on the CPU, and this computer has {:.0f}; "
        "\"tokens\" or tables of at most {} cells (graphs * rows * variables) would fit, or a GPU",
        stage.name, static_cast<double>(needed) / kGiB, static_cast<double>(bytes) / kGiB, fitting));
  }
}

}  // namespace causcale
