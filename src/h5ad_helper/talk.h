// The helper's end of the talk with the reader (data/h5ad_messages.h), over its standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/h5ad_messages.h"

namespace causcale::h5ad_helper {

// Sends end the process, silently, where the reader has gone.
void send(H5adMessage kind, std::span<const std::byte> bytes = {});
void send_texts(const std::vector<std::string>& texts);
void send_rows(std::uint64_t rows);
void send_values(std::span<const double> values);  // any number of them, in portions
std::vector<std::uint64_t> receive_kept();

}  // namespace causcale::h5ad_helper
