// Which score a score-based method uses for a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "methods/method.h"
#include "methods/score/local_score.h"

namespace causcale {

struct ChosenScore {
  std::unique_ptr<LocalScore> score;
  std::vector<std::string> log;  // which score and why, and what happened to missing values
};

// By the setting "score", or, where that is auto, by the kinds of the columns: gaussian-bic for continuous
// tables, bdeu for discrete ones (discrete-bic where values are missing), conditional-gaussian-bic for mixed
// ones. Settings used: score, penalty, sample-size, expected-parents. Throws InputError when the table does
// not suit the score.
ChosenScore choose_score(const Table& table, const Interventions& interventions,
                         const MethodOptions& options);

// Its settings, for Method::settings.
std::vector<MethodSetting> score_settings();

}  // namespace causcale
