// The program as a user meets it: what it prints and how it exits.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace causcale::test {

struct Outcome {
  int code = -1;
  std::string output;  // standard output and standard error together
};

// Runs causcale through a shell, so arguments with blanks need quotes.
inline Outcome run_program(const std::string& arguments) {
  Outcome outcome;
  FILE* pipe = popen(("'" CAUSCALE_BINARY "' " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) return outcome;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), count);
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

}  // namespace causcale::test
