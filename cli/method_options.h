// What the commands around competing methods share: settings as typed, progress, the list of names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "commands.h"
#include "methods/method.h"

namespace causcale::cli {

// "key=value" -> {key, value}; throws UsageError naming the option.
std::pair<std::string, std::string> parse_setting(const std::string& text);

// Every word that stands for a method: their names, "causcale" for the network, and "all".
std::vector<std::string> method_words();

// --method-timeout, in the given group of the help.
void add_method_timeout(CLI::App& command, double& seconds, const std::string& group);

// Draws a method's progress on standard error until it is destroyed.
class MethodProgress {
 public:
  MethodProgress(const std::string& label, bool quiet);
  void operator()(const std::string& stage, double share);

 private:
  Progress bar_;
  std::size_t shown_ = 0;
};

}  // namespace causcale::cli
