// Which of how many processes this is, as torchrun, mpirun and SLURM tell their children by environment
// variables.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace causcale {

struct LaunchEnvironment {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // among the processes of this machine
  int local_size = 1;
  std::string address;  // of the machine of process 0; empty when there is one process only
  int port = 0;
  bool store_exists = false;  // torchrun itself listens on address:port
  std::string attempt;        // torchrun's count of restarts: a new attempt must not see the old one's keys

  bool several() const { return size > 1; }
};

using EnvironmentLookup = std::function<std::optional<std::string>(const std::string&)>;

// Looks at torchrun's variables first, then at Open MPI's, PMI's and those of srun; one process when none are
// set. Throws UsageError when they contradict one another or process 0 cannot be found from them.
LaunchEnvironment launch_from_environment(const EnvironmentLookup& lookup);
LaunchEnvironment launch_from_environment();

// "gpu[003-005,9],login1" -> "gpu003".
std::string first_host(const std::string& slurm_node_list);

}  // namespace causcale
