// What the reader of .h5ad files and its helper process say to each other, over a socket.
//
// reader -> helper   kKept: positions of the variables wanted (64-bit numbers)
// helper -> reader   kTexts: texts, each with its length (32 bits) in front; an empty message ends the list
//                    kRows: the number of rows (64 bits), then kValues: doubles, row by row
//                    kAlive: nothing but a sign of progress; kError: why the file cannot be read; kDone
// In order: texts (names of variables), kept, rows, values, texts (labels, if asked for), done.
#pragma once

#include <cstddef>
#include <cstdint>

namespace causcale {

enum class H5adMessage : std::uint32_t { kAlive, kTexts, kKept, kRows, kValues, kError, kDone };

struct H5adMessageHead {
  H5adMessage kind;
  std::uint32_t size;  // of what follows
};

constexpr std::size_t kLargestH5adMessage = std::size_t{1} << 24;

}  // namespace causcale
