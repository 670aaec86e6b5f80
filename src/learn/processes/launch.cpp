#include "learn/processes/launch.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "causcale/error.h"

namespace causcale {

namespace {

constexpr int kDefaultPort = 29500;

class Variables {
 public:
  explicit Variables(const EnvironmentLookup& lookup) : lookup_(lookup) {}

  std::optional<std::string> text(const std::string& name) const {
    const std::optional<std::string> value = lookup_(name);
    return value && !value->empty() ? value : std::nullopt;
  }
  std::optional<int> number(const std::string& name) const {
    const std::optional<std::string> value = text(name);
    if (!value) return std::nullopt;
    int result = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), result);
    if (error != std::errc{} || end != value->data() + value->size() || result < 0)
      throw UsageError(fmt::format("environment variable {} is \"{}\", expected a whole number of at least 0",
                                   name, *value));
    return result;
  }
  int required(const std::string& name, const std::string& because) const {
    const std::optional<int> value = number(name);
    if (!value)
      throw UsageError(fmt::format(
          "environment variable {} is set but {} is not: both come from the launcher", because, name));
    return *value;
  }

 private:
  const EnvironmentLookup& lookup_;
};

struct Names {
  const char *rank, *size, *local_rank, *local_size;
};

constexpr Names kTorchrun{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kOpenMpi{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                         "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kPmi{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};

LaunchEnvironment read_ranks(const Variables& variables, const Names& names) {
  LaunchEnvironment launch;
  launch.rank = variables.required(names.rank, names.size);
  launch.size = variables.required(names.size, names.rank);
  // Without a local rank all processes are taken to be on one machine, which the address will contradict.
  launch.local_rank = variables.number(names.local_rank).value_or(launch.rank);
  launch.local_size = variables.number(names.local_size).value_or(launch.size);
  return launch;
}

// srun gives a step its number of tasks; a batch script outside srun has SLURM's other variables, too, but
// is one process.
bool started_by_srun(const Variables& variables) {
  return variables.text("SLURM_PROCID") &&
         (variables.text("SLURM_STEP_NUM_TASKS") || variables.text("SLURM_STEP_ID"));
}

LaunchEnvironment read_slurm(const Variables& variables) {
  LaunchEnvironment launch;
  launch.rank = variables.required("SLURM_PROCID", "SLURM_STEP_ID");
  const std::optional<int> tasks = variables.number("SLURM_STEP_NUM_TASKS");
  launch.size = tasks ? *tasks : variables.required("SLURM_NTASKS", "SLURM_PROCID");
  launch.local_rank = variables.number("SLURM_LOCALID").value_or(0);
  // "4(x2)" or "4,3": those of this node are at most the first number, good enough to share out cores.
  const std::string per_node = variables.text("SLURM_STEP_TASKS_PER_NODE")
                                   .value_or(variables.text("SLURM_TASKS_PER_NODE").value_or("1"));
  launch.local_size = std::max(1, std::atoi(per_node.c_str()));
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"})
    if (launch.address.empty()) launch.address = first_host(variables.text(name).value_or(""));
  // On one node its name, which need not be the machine's, is not asked for.
  if (launch.local_size == launch.size) launch.address.clear();
  // Jobs that share a machine, and steps of one job that run side by side, get different ports.
  if (const std::optional<int> job = variables.number("SLURM_JOB_ID"))
    launch.port = 20000 + (*job % 10000 + 97 * (variables.number("SLURM_STEP_ID").value_or(0) % 100)) % 10000;
  return launch;
}

}  // namespace

std::string first_host(const std::string& slurm_node_list) {
  std::string host;
  for (std::size_t i = 0; i < slurm_node_list.size() && slurm_node_list[i] != ','; ++i) {
    if (slurm_node_list[i] != '[') {
      host += slurm_node_list[i];
      continue;
    }
    const std::size_t close = slurm_node_list.find(']', i);
    const std::size_t end = std::min(slurm_node_list.find_first_of("-,]", i), slurm_node_list.size());
    host += slurm_node_list.substr(i + 1, end - i - 1);
    if (close == std::string::npos) break;
    i = close;
  }
  return host;
}

LaunchEnvironment launch_from_environment(const EnvironmentLookup& lookup) {
  const Variables variables(lookup);
  LaunchEnvironment launch;
  if (variables.text("RANK") || variables.text("WORLD_SIZE")) {
    launch = read_ranks(variables, kTorchrun);
    launch.store_exists = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
    launch.attempt = variables.text("TORCHELASTIC_RESTART_COUNT").value_or("");
  } else if (variables.text("OMPI_COMM_WORLD_RANK")) {
    launch = read_ranks(variables, kOpenMpi);
  } else if (variables.text("PMI_RANK")) {
    launch = read_ranks(variables, kPmi);
  } else if (started_by_srun(variables)) {
    launch = read_slurm(variables);
  }
  if (launch.size < 1 || launch.rank >= launch.size)
    throw UsageError(fmt::format("the launcher says this is process {} of {}: the first must be smaller",
                                 launch.rank, launch.size));
  if (!launch.several()) return LaunchEnvironment{};

  if (const auto address = variables.text("MASTER_ADDR")) launch.address = *address;
  if (const auto port = variables.number("MASTER_PORT")) launch.port = *port;
  if (launch.port == 0) launch.port = kDefaultPort;
  if (launch.port > 65535)
    throw UsageError(fmt::format("MASTER_PORT is {}, expected 1 to 65535", launch.port));
  if (launch.address.empty()) {
    if (launch.local_size < launch.size)
      throw UsageError(
          fmt::format("{} processes on several machines: set MASTER_ADDR to the name of the machine "
                      "that runs process 0 (and MASTER_PORT, if {} is taken)",
                      launch.size, launch.port));
    launch.address = "127.0.0.1";
  }
  return launch;
}

LaunchEnvironment launch_from_environment() {
  return launch_from_environment([](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  });
}

}  // namespace causcale
