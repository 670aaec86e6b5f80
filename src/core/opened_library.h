// Libraries of ours that are opened when something asks for them, beside this one or wherever the system
// looks.
#pragma once

#include <string>

namespace causcale {

// They use the code of libcauscale: a program or Python module that holds this code itself would then have it
// twice.
bool is_self_contained();

// A function of such a library; null where the library is not installed, or is_self_contained(). Throws Error
// when the library is there and cannot be used.
void* find_function(const std::string& file, const char* function);

[[noreturn]] void refuse_version(const std::string& file, const char* version);

// The library itself: `entry` is its function that takes a version and returns null where its own is another
// one.
template <class Library>
const Library* find_library(const std::string& file, const char* entry, const char* version) {
  void* function = find_function(file, entry);
  if (!function) return nullptr;
  const Library* library = reinterpret_cast<const Library* (*)(const char*)>(function)(version);
  if (!library) refuse_version(file, version);
  return library;
}

}  // namespace causcale
