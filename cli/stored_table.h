// The table that a stored result was made of, read again.
#pragma once

#include "causcale/table.h"
#include "input_options.h"
#include "report/read_result.h"

namespace causcale::cli {

// The columns with these names in this order; others are left out. A name without a column goes to `absent`
// and the others move up; without such a list it is an InputError. What `absent` holds then is numbered
// behind the columns where interventions act on it.
Dataset with_columns(Dataset dataset, const std::vector<std::string>& wanted, const std::string& file,
                     std::vector<std::string>* absent = nullptr);

// The file named by `options.data` ("-": standard input) or, where that is empty, the one that the result
// names, read as the stored command line read it unless the options say how. Columns are brought into the
// order of the result's variables, and logarithms taken where the result was made of logarithms. Warns when
// the file is not the one of the result. Throws InputError when a variable of the result is missing and there
// is no list of absent ones to put it in, UsageError when no file is known.
Dataset read_stored_table(const StoredResult& stored, InputOptions options, bool quiet,
                          std::vector<std::string>* absent = nullptr);

}  // namespace causcale::cli
