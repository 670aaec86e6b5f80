#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#ifdef CAUSCALE_WITH_TORCH
#include "model/device.h"
#endif

namespace causcale::cli {
namespace {

nlohmann::ordered_json cpu_features() {
  auto features = nlohmann::ordered_json::array();
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) features.push_back("avx2");
  if (__builtin_cpu_supports("fma")) features.push_back("fma");
  if (__builtin_cpu_supports("avx512f")) features.push_back("avx512f");
  if (__builtin_cpu_supports("avx512bf16")) features.push_back("avx512bf16");
#endif
  return features;
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
#ifdef CAUSCALE_WITH_TORCH
  const DeviceInfo device = device_info();
  info["libtorch"] = device.torch_version;
  info["gpu"] = device.gpu.empty() ? "none" : device.gpu;
#else
  info["libtorch"] = "not built in";
  info["gpu"] = "none";
#endif
#ifdef CAUSCALE_CUDA
  info["cuda_kernels"] = true;
#else
  info["cuda_kernels"] = false;
#endif
  info["cores"] = std::thread::hardware_concurrency();
  info["cpu_features"] = cpu_features();
  auto formats = nlohmann::ordered_json::array({"csv", "tsv", "npy"});
#ifdef CAUSCALE_LIBZIP
  formats.push_back("npz");
#endif
#ifdef CAUSCALE_HDF5
  formats.push_back("h5ad");
#endif
  info["formats"] = formats;
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
      fmt::print("{:<14} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  });
}

}  // namespace causcale::cli
