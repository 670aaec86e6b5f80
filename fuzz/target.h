// What a fuzz target consists of: libFuzzer's entry point, and inputs to start from for the stand-alone
// driver. A target lets causcale::Error pass as the right answer to a bad input; anything else that escapes
// is a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace causcale::fuzz {

// Valid inputs, from which the driver makes invalid ones.
std::vector<std::string> seed_inputs();

// Pieces of the format worth inserting; may be empty.
std::vector<std::string> dictionary();

}  // namespace causcale::fuzz
