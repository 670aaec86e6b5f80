// Excel workbooks (.xlsx): the first sheet as comma-separated text, which then is read as any other.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace causcale {

// A zip archive that holds a workbook.
bool is_workbook(std::span<const std::byte> bytes);

// Line k is row k of the sheet. Values are as stored and not as shown; dates are written 2024-01-31, with the
// time where there is one; words with line breaks have blanks instead. Throws InputError, naming `source`,
// where the file is damaged, protected or would take more than `most_bytes`.
std::string workbook_text(std::span<const std::byte> bytes, const std::string& source,
                          std::size_t most_bytes);

}  // namespace causcale
