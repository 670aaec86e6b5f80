#include "learn/run/state_file.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <map>

#include "base/safetensors.h"
#include "causcale/error.h"

namespace causcale {

namespace {

// States of the first format may lack the hash, which came later.
constexpr const char* kFormat = "causcale training state 2";
constexpr const char* kFirstFormat = "causcale training state 1";

std::string type_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "F32";
    case at::kDouble:
      return "F64";
    default:
      throw Error(fmt::format("training state of type {} cannot be stored", at::toString(type)));
  }
}

class Metadata {
 public:
  Metadata(const std::map<std::string, std::string>& values, std::string file)
      : values_(values), file_(std::move(file)) {}

  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw InputError(fmt::format("{}: metadata lack \"{}\"", file_, key));
    return found->second;
  }
  template <class Number>
  Number number(const std::string& key) const {
    const std::string& value = text(key);
    Number result{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc{} || end != value.data() + value.size())
      throw InputError(fmt::format("{}: metadata \"{}\" is \"{}\", expected a number", file_, key, value));
    return result;
  }

 private:
  const std::map<std::string, std::string>& values_;
  std::string file_;
};

std::filesystem::path previous_of(const std::filesystem::path& path) {
  return path.string() + ".previous";
}

// A second name for the state that is about to be replaced; at no moment is there none under `path`. Where
// the file system knows no such names, the state before is not kept.
void keep_previous(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path link = path.string() + fmt::format(".part-{}", getpid());
  std::filesystem::create_hard_link(path, link, error);
  if (!error) std::filesystem::rename(link, previous_of(path), error);
}

// Throws InputError where a bit has changed since the state was saved.
void check_hash(const SafetensorsContent& content, const std::filesystem::path& path) {
  const auto stored = content.metadata.find("sha256"), format = content.metadata.find("format");
  const bool may_lack = format != content.metadata.end() && format->second == kFirstFormat;
  if (stored == content.metadata.end() ? may_lack : stored->second == content_sha256(content)) return;
  std::error_code error;
  const std::filesystem::path previous = previous_of(path);
  throw InputError(
      fmt::format("{}: the training state is damaged: it does not have the SHA-256 that it was "
                  "saved with{}",
                  path.string(),
                  std::filesystem::exists(previous, error)
                      ? fmt::format("; the state before it is in {}", previous.string())
                      : ""));
}

}  // namespace

void save_training_state(const std::filesystem::path& path, Learner& learner, const RunPosition& position,
                         std::uint64_t seed, const std::string& resume_key) {
  SafetensorsContent content;
  content.metadata = {
      {"format", kFormat},
      {"resume_key", resume_key},
      {"seed", std::to_string(seed)},
      {"step", std::to_string(position.step)},
      {"next_dataset", std::to_string(position.next_dataset)},
      {"seconds", fmt::format("{}", position.seconds)},  // shortest text that reads back equal
      {"graphs", std::to_string(position.graphs)}};
  std::vector<at::Tensor> kept;
  for (const auto& [name, tensor] : learner.state()) {
    kept.push_back(tensor.detach().to(at::kCPU).contiguous());
    content.tensors.push_back(
        {name,
         type_name(tensor.scalar_type()),
         tensor.sizes().vec(),
         {static_cast<const std::byte*>(kept.back().data_ptr()), kept.back().nbytes()}});
  }
  content.metadata["sha256"] = content_sha256(content);
  keep_previous(path);
  write_safetensors(path, content);
}

SavedRun load_training_state(const std::filesystem::path& path, Learner& learner,
                             const std::string& resume_key) {
  const SafetensorsFile file(path);
  check_hash(file.content(), path);
  const Metadata metadata(file.content().metadata, path.string());
  if (metadata.text("format") != kFormat && metadata.text("format") != kFirstFormat)
    throw InputError(fmt::format("{}: format is \"{}\", expected \"{}\"", path.string(),
                                 metadata.text("format"), kFormat));
  if (metadata.text("resume_key") != resume_key)
    throw InputError(fmt::format("{}: this state belongs to another configuration.\n  there: {}\n  here:  {}",
                                 path.string(), metadata.text("resume_key"), resume_key));
  std::map<std::string, const TensorView*> stored;
  for (const TensorView& view : file.content().tensors) stored[view.name] = &view;
  const c10::NoGradGuard no_grad;
  for (auto& [name, tensor] : learner.state()) {
    auto found = stored.find(name);
    // A run that had no moving average can get one: it starts from the weights.
    if (found == stored.end() && name == "average") found = stored.find("masters");
    if (found == stored.end())
      throw InputError(fmt::format("{}: tensor \"{}\" is missing", path.string(), name));
    const TensorView& view = *found->second;
    if (view.dtype != type_name(tensor.scalar_type()) || at::IntArrayRef(view.shape) != tensor.sizes())
      throw InputError(fmt::format("{}: tensor \"{}\" is {} [{}], expected {} [{}]", path.string(), name,
                                   view.dtype, fmt::join(view.shape, ", "), type_name(tensor.scalar_type()),
                                   fmt::join(tensor.sizes(), ", ")));
    at::Tensor host = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
    std::memcpy(host.data_ptr(), view.bytes.data(), view.bytes.size());
    tensor.copy_(host);
  }
  learner.restored();
  SavedRun run;
  run.seed = metadata.number<std::uint64_t>("seed");
  run.position.step = metadata.number<std::int64_t>("step");
  run.position.next_dataset = metadata.number<std::uint64_t>("next_dataset");
  run.position.seconds = metadata.number<double>("seconds");
  run.position.graphs = metadata.number<std::int64_t>("graphs");
  return run;
}

}  // namespace causcale
