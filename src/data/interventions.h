// Interventions from every form in which people write them down to the one form the program works with
// (causcale::Interventions): distinct regimes, sorted, the observational one first, and the regime of each
// row.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale {

enum class InterventionKind {
  kAuto,          // by file extension and content
  kMask,          // a table of the data's shape, 1 = intervened
  kLines,         // one line per row: comma-separated names or indices, empty = observational
  kEnvironments,  // JSON: targets and rows of each environment, or targets and target_index
  kRegimeIndex,   // one regime number per row, plus a list of the targets of each regime
};

// What to do with a target that is no variable of the table.
enum class UnknownTargets {
  kError,   // stop and name it
  kIgnore,  // take it off the list of targets; the row stays
  kDrop,    // drop the rows that were made under it
};

struct InterventionOptions {
  std::filesystem::path file;  // empty: no file
  InterventionKind kind = InterventionKind::kAuto;
  bool inverted = false;               // masks only: 0 = intervened
  std::filesystem::path targets_file;  // for kRegimeIndex: one line per regime, or a JSON list of lists
  int index_base = 0;                  // what the first variable (and the first regime) is called by number
  std::vector<std::string> control_labels{"obs", "observational", "control", "ctrl", "non-targeting", "none"};
  UnknownTargets unknown = UnknownTargets::kError;
};

// What a target may be called: the variables of the file and the column each has in the table after
// selection (-1: not selected, so that its interventions are left out).
struct TargetNames {
  std::vector<std::string> variables;
  std::vector<int> column;
};
TargetNames target_names(const std::vector<std::string>& names);  // nothing left out

// Interventions before the rows of unknown targets have been dropped, and what was noticed on the way.
struct ParsedInterventions {
  Interventions interventions;
  std::vector<std::size_t> dropped_rows;      // ascending; kDrop only
  std::vector<std::string> unknown_targets;   // distinct, in order of appearance; kIgnore and kDrop only
  std::vector<std::string> unseen_regimes;    // listed, but no row was made under it
  std::vector<std::string> excluded_targets;  // variables intervened on that were not selected
};

// Regimes sorted and unique, the observational one first, none without a row.
Interventions canonical_interventions(std::vector<std::vector<int>> targets_of_row);

// Those of the given rows, in the given order; a default-constructed value counts as observational.
Interventions interventions_of_rows(const Interventions& interventions, std::span<const std::size_t> rows);

// `name` stands for the source in error messages. Every parser throws InputError when the number of rows
// differs from `rows` or a target is unknown.
ParsedInterventions interventions_from_mask(const Matrix<double>& mask, std::size_t rows,
                                            const TargetNames& names, const InterventionOptions& options,
                                            const std::string& name);
ParsedInterventions interventions_from_lines(std::string_view text, std::size_t rows,
                                             const TargetNames& names, const InterventionOptions& options,
                                             const std::string& name);
ParsedInterventions interventions_from_labels(std::span<const std::string> labels, const TargetNames& names,
                                              const InterventionOptions& options, const std::string& name);
ParsedInterventions interventions_from_json(std::string_view text, std::size_t rows, const TargetNames& names,
                                            const InterventionOptions& options, const std::string& name);
ParsedInterventions interventions_from_regimes(std::span<const double> regime_of_row,
                                               std::string_view targets, std::size_t rows,
                                               const TargetNames& names, const InterventionOptions& options,
                                               const std::string& name);
// Reads options.file (and options.targets_file) and calls the right one of the above.
ParsedInterventions read_interventions(std::size_t rows, const TargetNames& names,
                                       const InterventionOptions& options);

// One line per row, names separated by commas, empty = observational: what interventions_from_lines reads.
std::string format_intervention_lines(const Interventions& interventions,
                                      const std::vector<std::string>& names);

}  // namespace causcale
