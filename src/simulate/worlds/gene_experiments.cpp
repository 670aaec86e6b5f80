#include "simulate/worlds/gene_experiments.h"

#include <algorithm>
#include <cmath>

namespace causcale {

std::vector<WorldSetting> gene_experiment_settings() {
  return {word_setting_of(
              "perturbations", "knockout,knockout,knockdown,both,both,overexpression,none",
              {"knockout", "knockdown", "both", "overexpression", "none"},
              "knockout: production stops (but for the residual); knockdown: to 20-70 %; both: rows of each; "
              "overexpression: two- to tenfold"),
          number_setting_of("treated", SettingKind::kNumber, "0.5:1", 0, 1, "share of the genes perturbed"),
          number_setting_of("rows_per_target", SettingKind::kWhole, "1:3", 1, 1e9, "rows per perturbation"),
          number_setting_of("residual", SettingKind::kNumber, "0:0.1", 0, 1,
                            "share of production that a knock-out leaves")};
}

GeneExperiments plan_gene_experiments(WorldDraw& draw, int genes, int rows) {
  GeneExperiments result;
  result.residual.push_back(1.0);
  result.plan.regime_of_row.assign(rows, 0);
  const std::string word = draw.word("perturbations");
  if (word == "none") return result;
  const int treated = std::clamp(static_cast<int>(std::lround(draw.number("treated") * genes)), 1, genes);
  const int per_target = draw.whole("rows_per_target");
  const double residual = draw.number("residual");
  RandomStream random = draw.stream(Purpose::kWorldTreatments);
  const std::vector<int> order = random_permutation(genes, random);
  std::vector<int> regime_of_row;
  const auto add = [&](int gene, double factor) {
    if (static_cast<int>(regime_of_row.size()) >= rows - 1) return;
    const int left = rows - 1 - static_cast<int>(regime_of_row.size());
    regime_of_row.insert(regime_of_row.end(), std::min(per_target, left),
                         static_cast<int>(result.plan.hits.size()));
    result.plan.hits.push_back({{gene, TreatmentEffect::kHard}});
    result.plan.named.push_back({gene});
    result.residual.push_back(factor);
  };
  for (int k = 0; k < treated; ++k) {
    if (word == "knockout" || word == "both") add(order[k], residual);
    if (word == "knockdown" || word == "both") add(order[k], random.uniform(0.2, 0.7));
    if (word == "overexpression") add(order[k], random.uniform(2.0, 10.0));
  }
  const std::vector<int> place = random_permutation(rows, random);
  for (std::size_t k = 0; k < regime_of_row.size(); ++k)
    result.plan.regime_of_row[place[k]] = regime_of_row[k];
  return result;
}

}  // namespace causcale
