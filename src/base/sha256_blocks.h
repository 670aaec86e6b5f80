// The inner loop of SHA-256, in plain C++ and with the instructions that some processors have for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace causcale {

using Sha256State = std::array<std::uint32_t, 8>;

// Takes `count` blocks of 64 bytes into the state. Every version gives the same bits.
using Sha256Blocks = void (*)(Sha256State& state, const std::byte* blocks, std::size_t count);

void sha256_blocks_plain(Sha256State& state, const std::byte* blocks, std::size_t count);

// With the processor's instructions (SHA-NI), about six times as fast; null where it has none.
Sha256Blocks sha256_blocks_fast();

}  // namespace causcale
