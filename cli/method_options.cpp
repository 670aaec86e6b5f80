#include "method_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "causcale/error.h"

namespace causcale::cli {

std::pair<std::string, std::string> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(fmt::format("--set {}: write key=value, such as alpha=0.01", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> method_words() {
  std::vector<std::string> words = {"causcale", "all"};
  for (const Method& method : classical_methods()) words.push_back(method.name);
  words.insert(words.end(), kTensorMethodNames.begin(), kTensorMethodNames.end());
  words.insert(words.end(), kPretrainedMethodNames.begin(), kPretrainedMethodNames.end());
  return words;
}

void add_method_timeout(CLI::App& command, double& seconds, const std::string& group) {
  command
      .add_option("--method-timeout", seconds,
                  "Seconds that a method other than the network may take, 0 = no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
}

MethodProgress::MethodProgress(const std::string& label, bool quiet) : bar_(label, 100, quiet) {}

void MethodProgress::operator()(const std::string&, double share) {
  const auto now = static_cast<std::size_t>(100 * std::clamp(share, 0.0, 1.0));
  if (now <= shown_) return;
  bar_.advance(now - shown_);
  shown_ = now;
}

}  // namespace causcale::cli
