// What the studies share: sizes, mechanisms and contenders as asked for.
#pragma once

#include <string>
#include <vector>

#include "benchmark/studies.h"

namespace causcale {

inline constexpr int kPaperRows = 1000, kPaperSergioRows = 20000;

// The sizes asked for, in this order; the paper's when nothing is said. A plain number selects the paper's
// size of that many variables; one that is in `elsewhere` (sizes of the study's other part) is left out.
std::vector<GraphSize> requested_sizes(const StudyRequest& request, const std::vector<GraphSize>& paper,
                                       const std::vector<GraphSize>& elsewhere = {});

struct MechanismChoice {
  std::vector<Mechanism> synthetic;
  bool sergio = false;
};
// The paper's four, and SERGIO where the study has it.
MechanismChoice requested_mechanisms(const StudyRequest& request, bool sergio);
std::string mechanism_label(Mechanism mechanism);  // "sigmoid" for sigmoid_add

int requested_graphs(const StudyRequest& request, int paper = 5);
int requested_rows(const StudyRequest& request);  // throws UsageError when several are given
int requested_sergio_rows(const StudyRequest& request);

SyntheticOptions synthetic_setting(const StudyRequest& request, GraphSize size, Mechanism mechanism);
SergioOptions sergio_setting(const StudyRequest& request, GraphSize size);

// "linear_n100_e400": as in paper_figures.h.
std::string setting_name(const std::string& mechanism, GraphSize size);
std::string size_label(GraphSize size);  // "n=100 E=400"

// The network, then the competing methods. `sergio`: for SERGIO data.
std::vector<Contender> requested_contenders(const StudyRequest& request, bool sergio);
// Methods of the paper that are not among them: rows without measurement.
std::vector<Contender> paper_only_contenders(const StudyRequest& request,
                                             const std::vector<Contender>& present);

// Throws UsageError when competing methods are asked for, or the network is not wanted.
void require_network_only(const StudyRequest& request, const std::string& study);

// A study with what all have in common filled in.
Study new_study(const StudyRequest& request, const std::string& name, const std::string& title);
std::vector<StudyColumn> accuracy_columns();  // mAP, SHD, AUC, OA, time

}  // namespace causcale
