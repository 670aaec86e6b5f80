// The outcome of a study for people, for documents, for programs and as a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "benchmark/plot.h"
#include "benchmark/study.h"

namespace causcale {

// Every metric has a column "paper" beside it where the paper reports it for one of the rows. Cells read
// mean ± deviation over the graphs (the mean alone where all agree); a row without result says why in the
// place of its first figure.
std::string format_study_text(const Study& study, const StudyOutcome& outcome);
std::string format_study_markdown(const Study& study, const StudyOutcome& outcome);
nlohmann::ordered_json study_to_json(const Study& study, const StudyOutcome& outcome);

// Where the paper has figures they make a series of their own.
std::string format_study_picture(const Study& study, const StudyOutcome& outcome);

}  // namespace causcale
