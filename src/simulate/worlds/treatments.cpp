#include "simulate/worlds/treatments.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "simulate/worlds/marginals.h"

namespace causcale {
namespace {

TreatmentEffect effect_of(const std::string& word) {
  if (word == "soft") return TreatmentEffect::kSoft;
  if (word == "incomplete") return TreatmentEffect::kIncomplete;
  if (word == "drug") return TreatmentEffect::kDrug;
  return TreatmentEffect::kHard;
}

struct Level {
  double mean, deviation;
};

Level level_of(std::span<const double> values) {
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  const double mean = sum / static_cast<double>(values.size());
  for (const double x : values) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
  return {mean, deviation > 0 && std::isfinite(deviation) ? deviation : 1.0};
}

// Set values: one value for all rows, or any shape, around a level that may lie far from the usual.
std::vector<double> set_values(std::size_t rows, Level natural, RandomStream& random) {
  const double centre = natural.mean + natural.deviation * random.normal() * (random.coin() ? 0.7 : 2.5);
  std::vector<double> values(rows, centre);
  if (random.coin(0.35)) return values;
  auto shape = static_cast<Shape>(random.below(kShapeNames.size()));
  if (shape == Shape::kRowNumber) shape = Shape::kUniform;
  const double spread = natural.deviation * random.factor(4.0);
  std::vector<double> around(rows);
  fill_noise(shape, random, around);
  for (std::size_t r = 0; r < rows; ++r) values[r] += spread * around[r];
  return values;
}

// Set states: one for all rows, or any of them with probabilities of their own. Of a column that may only
// have its own values, any four of those are the states.
std::vector<double> set_states(std::size_t rows, int states, std::span<const double> own,
                               RandomStream& random) {
  std::vector<double> value_of(states == kOwnValues ? 4 : states);
  for (std::size_t s = 0; s < value_of.size(); ++s)
    value_of[s] = states == kOwnValues ? own[random.below(static_cast<std::uint32_t>(own.size()))]
                                       : static_cast<double>(s);
  states = static_cast<int>(value_of.size());
  const double fixed = value_of[random.below(states)];
  if (random.coin()) return std::vector<double>(rows, fixed);
  std::vector<double> weight(states);
  double total = 0;
  for (double& w : weight) total += w = random.exponential();
  std::vector<double> values(rows);
  for (double& value : values) {
    double remaining = random.uniform() * total;
    int state = 0;
    while (state + 1 < states && (remaining -= weight[state]) > 0) ++state;
    value = value_of[state];
  }
  return values;
}

void treat(TreatmentEffect effect, int states, Level natural, const std::vector<int>& rows,
           RandomStream& random, std::span<double> measured, std::span<double> seen) {
  const double strength = effect == TreatmentEffect::kHard ? 1.0 : random.uniform(0.3, 0.95);
  const bool shifts = states == 0 && (effect == TreatmentEffect::kSoft || effect == TreatmentEffect::kDrug);
  if (shifts) {
    const double shift = natural.deviation * random.normal() * 2.0;
    for (const int r : rows) {
      const double moved = natural.mean + (1 - strength) * (measured[r] - natural.mean) + shift;
      if (effect == TreatmentEffect::kSoft) measured[r] = moved;
      seen[r] = moved;
    }
    return;
  }
  const std::vector<double> values = states == 0 ? set_values(rows.size(), natural, random)
                                                 : set_states(rows.size(), states, measured, random);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (strength < 1 && !random.coin(strength)) continue;
    if (effect != TreatmentEffect::kDrug) measured[rows[k]] = values[k];
    seen[rows[k]] = values[k];
  }
}

}  // namespace

std::vector<std::vector<int>> TreatmentPlan::rows_of_regimes() const {
  std::vector<std::vector<int>> rows(hits.size());
  for (std::size_t r = 0; r < regime_of_row.size(); ++r)
    rows[regime_of_row[r]].push_back(static_cast<int>(r));
  return rows;
}

TreatmentPlan plan_treatments(WorldDraw& draw, std::span<const int> candidates, int rows) {
  static const std::vector<std::string> kinds{"hard", "soft", "incomplete", "off_target", "unknown", "drug"};
  TreatmentPlan plan;
  plan.regime_of_row.assign(rows, 0);
  const std::string word = draw.word("interventions");
  if (word == "none" || candidates.empty()) return plan;
  const double treated = draw.number("treated");
  const int per_target = draw.whole("rows_per_target"), targets = draw.whole("targets");
  RandomStream random = draw.stream(Purpose::kWorldTreatments);

  const int count = static_cast<int>(candidates.size());
  const std::vector<int> order = random_permutation(count, random);
  const int most = std::max(1, static_cast<int>(0.9 * rows));
  const int regimes = std::min(
      {std::max(1, static_cast<int>(std::lround(treated * count))), most, std::max(1, most / per_target)});
  std::vector<int> assigned;
  for (int lead = 0; lead < regimes; ++lead) {
    const std::string& kind = word == "mixed" ? kinds[random.below(kinds.size())] : word;
    std::vector<int> named{candidates[order[lead]]};
    for (int extra = 1; extra < std::min(targets, count); ++extra) {
      const int other = candidates[random.below(count)];
      if (std::ranges::find(named, other) == named.end()) named.push_back(other);
    }
    std::vector<TreatmentHit> hits;
    for (const int node : named) hits.push_back({node, effect_of(kind)});
    if (kind == "off_target")
      for (int extra = 1 + static_cast<int>(random.below(2)); extra > 0; --extra) {
        const int other = candidates[random.below(count)];
        if (std::ranges::find(hits, other, &TreatmentHit::node) == hits.end())
          hits.push_back({other, TreatmentEffect::kSoft});
      }
    if (kind == "unknown") std::erase_if(named, [&](int) { return random.coin(0.6); });
    std::ranges::sort(named);
    assigned.insert(assigned.end(), std::min(per_target, most - static_cast<int>(assigned.size())),
                    static_cast<int>(plan.hits.size()));
    plan.hits.push_back(std::move(hits));
    plan.named.push_back(std::move(named));
  }
  const std::vector<int> place = random_permutation(rows, random);
  for (std::size_t k = 0; k < assigned.size(); ++k) plan.regime_of_row[place[k]] = assigned[k];
  return plan;
}

void apply_treatments(const TreatmentPlan& plan, const std::vector<std::vector<int>>& rows_of_regimes,
                      int node, int states, RandomStream random, std::span<double> measured,
                      std::span<double> seen) {
  Level natural{};
  bool known = false;
  for (std::size_t regime = 1; regime < plan.hits.size(); ++regime)
    for (const TreatmentHit& hit : plan.hits[regime])
      if (hit.node == node && !rows_of_regimes[regime].empty()) {
        // Of all rows before any of them is treated.
        if (!known) natural = level_of(measured);
        known = true;
        treat(hit.effect, states, natural, rows_of_regimes[regime], random, measured, seen);
      }
}

Interventions interventions_of(const TreatmentPlan& plan, std::span<const int> column) {
  Interventions result;
  std::map<std::vector<int>, int> number;
  std::vector<int> regime_number;
  for (const std::vector<int>& named : plan.named) {
    std::vector<int> columns;
    for (const int node : named)
      if (column[node] >= 0) columns.push_back(column[node]);
    std::ranges::sort(columns);
    const auto [found, added] = number.emplace(columns, static_cast<int>(result.regimes.size()));
    if (added) result.regimes.push_back(columns);
    regime_number.push_back(found->second);
  }
  for (const int regime : plan.regime_of_row) result.regime_of_row.push_back(regime_number[regime]);
  return result;
}

}  // namespace causcale
