#include "methods/strata.h"

namespace causcale {

void Strata::refine(const CodedColumn& column, Strata& finer) const {
  constexpr std::uint32_t kUnseen = 0xffffffff;
  const std::size_t width = static_cast<std::size_t>(column.width());
  std::vector<std::uint32_t> number(static_cast<std::size_t>(count) * width, kUnseen);
  finer.of_row.resize(of_row.size());
  finer.count = 0;
  for (std::size_t r = 0; r < of_row.size(); ++r) {
    if (of_row[r] == count || column.codes[r] == column.levels) {
      finer.of_row[r] = kUnseen;
      continue;
    }
    std::uint32_t& of_cell = number[of_row[r] * width + column.codes[r]];
    if (of_cell == kUnseen) of_cell = finer.count++;
    finer.of_row[r] = of_cell;
  }
  for (std::uint32_t& stratum : finer.of_row)
    if (stratum == kUnseen) stratum = finer.count;
}

Strata strata_of(std::span<const CodedColumn> columns, std::span<const int> members, std::size_t rows) {
  Strata strata(rows), finer;
  for (const int member : members) {
    strata.refine(columns[member], finer);
    std::swap(strata, finer);
  }
  return strata;
}

}  // namespace causcale
