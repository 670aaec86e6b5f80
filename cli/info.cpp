#include <fmt/format.h>
#include <sys/utsname.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/own_file.h"
#include "causcale/error.h"
#include "commands.h"
#include "core/cpu/kernels.h"
#include "core/cuda_library.h"
#include "core/installed.h"
#include "core/train_library.h"

namespace causcale::cli {
namespace {

nlohmann::ordered_json instruction_sets() {
  auto names = nlohmann::ordered_json::array();
  for (const core::Isa isa : core::available_isas()) names.push_back(core::isa_name(isa));
  return names;
}

// "Linux 6.1.0 x86_64"
std::string system_in_words() {
  utsname system{};
  if (uname(&system) != 0) return "unknown";
  return fmt::format("{} {} {}", system.sysname, system.release, system.machine);
}

// The GPU and the kernels for it, or why there are none.
void add_gpu(nlohmann::ordered_json& info, const TrainLibrary::Devices& training) {
  const CudaLibrary* library = nullptr;
  std::string problem = "not installed";
  try {
    library = find_cuda_library();
  } catch (const Error& error) {
    problem = error.what();
  }
  const CudaDevice gpu = library ? library->device() : CudaDevice{};
  info["gpu"] = !gpu.name.empty() ? gpu.name : training.gpu.empty() ? "none" : training.gpu;
  if (!library)
    info["gpu_kernels"] = problem;
  else if (!gpu.why_not.empty())
    info["gpu_kernels"] = "none: " + gpu.why_not;
  else
    info["gpu_kernels"] = gpu.kernels() + (gpu.multiplies_bf16() ? ", bf16 and fp32" : ", fp32");
}

nlohmann::ordered_json collect() {
  nlohmann::ordered_json info;
  info["version"] = CAUSCALE_VERSION;
  info["compiler"] = __VERSION__;
#ifdef NDEBUG
  info["build"] = "release";
#else
  info["build"] = "debug";
#endif
  info["system"] = system_in_words();
  info["library"] = own_file().string();
  const core::Isa isa = core::chosen_isa();
  info["kernels"] = core::isa_name(isa);
  info["precision"] = core::multiplies_bf16(isa) ? "bf16" : "fp32";
  info["instruction_sets"] = instruction_sets();
  const TrainLibrary* training = find_train_library();
  const TrainLibrary::Devices devices = training ? training->devices() : TrainLibrary::Devices{};
  info["libtorch"] = training ? devices.torch_version : "not installed";
  add_gpu(info, devices);
  info["cores"] = std::thread::hardware_concurrency();
  auto formats = nlohmann::ordered_json::array({"csv", "tsv", "npy", "npz"});
#ifdef CAUSCALE_HDF5
  formats.push_back("h5ad");
#endif
  info["formats"] = formats;
  auto folders = nlohmann::ordered_json::array();
  for (const std::filesystem::path& folder : model_folders()) folders.push_back(folder.string());
  info["model_folders"] = folders;
  return info;
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "Version, build, libraries, processor and GPU");
  command->footer("Example:\n  causcale info --json");
  auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options, kJson);
  command->callback([options] {
    const auto info = collect();
    if (options->json) {
      fmt::print("{}\n", info.dump(2));
      return;
    }
    for (const auto& [key, value] : info.items())
      fmt::print("{:<17} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  });
}

}  // namespace causcale::cli
