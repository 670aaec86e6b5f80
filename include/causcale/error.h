// The one family of exceptions. The command line maps each kind to its exit code.
#pragma once

#include <stdexcept>
#include <string>

#include "causcale/export.h"

namespace causcale {

class CAUSCALE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // 1: the input is wrong, 2: usage, 3: internal.
  virtual int exit_code() const { return 3; }
};

// The data, a file or a model is not what it should be. The message names the file, line, column or key.
class CAUSCALE_API InputError : public Error {
 public:
  using Error::Error;
  int exit_code() const override { return 1; }
};

// An option or an argument is not acceptable, whatever the data.
class CAUSCALE_API UsageError : public Error {
 public:
  using Error::Error;
  int exit_code() const override { return 2; }
};

}  // namespace causcale
