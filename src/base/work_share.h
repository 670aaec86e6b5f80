// Which part of a list of pieces of work is this process' own, among several that have the same list.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace causcale {

struct WorkShare {
  std::size_t index = 0, count = 1;  // this is process `index` of `count`
  std::string source;                // the variables that said so; empty: none

  bool owns(std::size_t piece) const { return piece % count == index; }
  bool operator==(const WorkShare&) const = default;
};

// "2/8": the third of eight. Throws UsageError that begins with `option`.
WorkShare parse_work_share(const std::string& text, const std::string& option);

// What the launcher's variables say: those of a SLURM array (SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT), and
// of ranks within it: Open MPI (OMPI_COMM_WORLD_RANK, _SIZE), MPICH and Intel MPI (PMI_RANK, PMI_SIZE), srun
// (SLURM_PROCID, SLURM_STEP_NUM_TASKS); the first kind of rank that is set counts. `variable` returns null
// for one that is not set. Throws UsageError naming a variable that is no number or out of range.
WorkShare work_share_of_launcher(const std::function<const char*(const char* name)>& variable);
WorkShare work_share_of_launcher();  // of the environment

// All pieces 0 .. pieces-1: own ones first, then the others, beginning behind the own share so that helpers
// do not all begin with the same piece.
std::vector<std::size_t> work_order(const WorkShare& share, std::size_t pieces);

}  // namespace causcale
