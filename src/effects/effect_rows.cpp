#include "effects/effect_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace causcale {
namespace {

constexpr double kWeakInstrument = 10.0;  // F statistic below which two-stage estimates are biased
constexpr std::size_t kCurveRows = 20;    // without interventions, that an average is taken over
constexpr std::size_t kSlopeRows = 20;    // of an experiment whose cause was set to different values

bool is_number(VariableForm form) {
  return form == VariableForm::kNumber || form == VariableForm::kTwoValues;
}

}  // namespace

EffectEstimation::EffectEstimation(const EffectTable& table, int cause, int outcome, std::vector<int> causal)
    : table_(table), cause_(cause), outcome_(outcome), causal_(std::move(causal)) {}

std::string EffectEstimation::obstacle() const {
  if (table_.rows() == 0) return "no data were given";
  std::vector<std::size_t> all(table_.rows());
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
  const auto& names = table_.dataset().table.names;
  for (const int variable : {cause_, outcome_}) {
    const VariableForm form = table_.variable(variable, all).form;
    if (form == VariableForm::kConstant)
      return fmt::format("{} has the same value in all rows", names[static_cast<std::size_t>(variable)]);
    if (form == VariableForm::kCategories)
      return fmt::format("{} has categories without an order, so that no single number is its effect",
                         names[static_cast<std::size_t>(variable)]);
  }
  return "";
}

EffectEstimation::Rows EffectEstimation::usable_rows(std::span<const int> needed) const {
  Rows plain, wide;
  for (std::size_t r = 0; r < table_.rows(); ++r) {
    if (!table_.complete(r, needed)) continue;
    const std::span<const int> targets = table_.targets(r);
    if (targets.empty() || (targets.size() == 1 && targets[0] == cause_)) plain.rows.push_back(r);
    if (std::ranges::none_of(causal_, [&](int node) { return std::ranges::binary_search(targets, node); }))
      wide.rows.push_back(r);
  }
  const bool enough = plain.rows.size() >= 2 * needed.size() + 20;
  wide.within_regimes = true;
  Rows& chosen = enough || wide.rows.size() == plain.rows.size() ? plain : wide;
  chosen.rows = spaced_rows(std::move(chosen.rows));
  return std::move(chosen);
}

EffectSample EffectEstimation::sample_of(const Rows& chosen, std::span<const int> set) const {
  EffectSample sample;
  const Variable cause = table_.variable(cause_, chosen.rows),
                 outcome = table_.variable(outcome_, chosen.rows);
  if (!is_number(cause.form) || !is_number(outcome.form)) return sample;
  sample.cause = cause.columns.front();
  sample.outcome = outcome.columns.front();
  sample.two_valued_cause = cause.form == VariableForm::kTwoValues;
  for (const int variable : set)
    for (Column& column : table_.variable(variable, chosen.rows).columns)
      sample.covariates.push_back(std::move(column));
  if (!chosen.within_regimes) return sample;
  const std::vector<int>& regime_of_row = table_.dataset().interventions.regime_of_row;
  std::map<int, std::vector<std::size_t>> members;
  for (std::size_t k = 0; k < chosen.rows.size(); ++k) members[regime_of_row[chosen.rows[k]]].push_back(k);
  const auto centre = [&](Column& column) {
    for (const auto& [regime, own] : members) {
      double sum = 0.0;
      for (const std::size_t k : own) sum += column[k];
      for (const std::size_t k : own) column[k] -= sum / static_cast<double>(own.size());
    }
  };
  centre(sample.cause);
  centre(sample.outcome);
  for (Column& column : sample.covariates) centre(column);
  return sample;
}

EffectEstimate EffectEstimation::described(const std::string& estimator, const std::string& name,
                                           std::span<const int> set, const EffectSample& sample,
                                           const SizeEstimate& found) const {
  EffectEstimate estimate;
  estimate.estimator = estimator;
  estimate.set = name;
  estimate.adjustment.assign(set.begin(), set.end());
  estimate.rows = sample.rows();
  estimate.size = found.size;
  estimate.low = found.low;
  estimate.high = found.high;
  const double outcome = sample.rows() > 0 ? deviation_of(sample.outcome) : 0.0;
  if (outcome > 0) estimate.standardized = found.size * deviation_of(sample.cause) / outcome;
  if (!(found.size == found.size))
    estimate.note = "not estimable: too few rows, or the cause is a combination of what is adjusted for";
  return estimate;
}

EffectEstimate EffectEstimation::linear(const std::string& name, std::span<const int> set) const {
  std::vector<int> needed(set.begin(), set.end());
  needed.insert(needed.end(), {cause_, outcome_});
  const Rows chosen = usable_rows(needed);
  const EffectSample sample = sample_of(chosen, set);
  const SizeEstimate found =
      sample.rows() > 2 ? linear_estimate(sample) : SizeEstimate{kNoNumber, kNoNumber, kNoNumber};
  EffectEstimate estimate = described("linear", name, set, sample, found);
  if (chosen.within_regimes && estimate.note.empty())
    estimate.note = "too few rows without other interventions: from differences within regimes";
  return estimate;
}

EffectEstimate EffectEstimation::front_door(std::span<const int> mediators) const {
  std::vector<int> needed(mediators.begin(), mediators.end());
  needed.insert(needed.end(), {cause_, outcome_});
  const Rows chosen = usable_rows(needed);
  const EffectSample sample = sample_of(chosen, mediators);
  SizeEstimate found{kNoNumber, kNoNumber, kNoNumber};
  if (sample.rows() > 2 && !sample.covariates.empty()) found = front_door_estimate(sample, sample.covariates);
  return described("front_door", "mediators", mediators, sample, found);
}

EffectEstimate EffectEstimation::instrument(const Instrument& instrument) const {
  std::vector<int> named{instrument.variable};
  named.insert(named.end(), instrument.given.begin(), instrument.given.end());
  std::vector<int> needed = named;
  needed.insert(needed.end(), {cause_, outcome_});
  const Rows chosen = usable_rows(needed);
  EffectSample sample = sample_of(chosen, named);
  InstrumentEstimate found{{kNoNumber, kNoNumber, kNoNumber}, kNoNumber};
  // A variable of several categories would be several instruments.
  const bool one_column = table_.variable(instrument.variable, chosen.rows).columns.size() == 1;
  if (sample.rows() > 2 && !sample.covariates.empty() && one_column) {
    const Column first = std::move(sample.covariates.front());
    sample.covariates.erase(sample.covariates.begin());
    found = instrument_estimate(sample, first);
  }
  EffectEstimate estimate = described("instrument", "instrument", named, sample, found);
  if (!one_column)
    estimate.note = "not estimable: the instrument has categories without an order";
  else if (found.strength < kWeakInstrument)
    estimate.note = fmt::format(
        "a weak instrument (F = {:.1f}, less than {}): neither size nor interval can be relied upon",
        found.strength, kWeakInstrument);
  return estimate;
}

void EffectEstimation::add_others(const std::string& name, std::span<const int> set, std::uint64_t seed,
                                  std::vector<EffectEstimate>& estimates) const {
  std::vector<int> needed(set.begin(), set.end());
  needed.insert(needed.end(), {cause_, outcome_});
  Rows chosen = usable_rows(needed);
  if (chosen.within_regimes) return;
  const EffectSample sample = sample_of(chosen, set);
  if (sample.rows() < 3) return;
  if (sample.two_valued_cause)
    estimates.push_back(described("doubly_robust", name, set, sample, doubly_robust_estimate(sample)));
  chosen.rows = spaced_rows(std::move(chosen.rows), 20'000);
  EffectSample fewer = sample_of(chosen, set);
  if (!fewer.two_valued_cause) {
    // The mean slope of a curve depends on where the cause lies, and an intervention may put it elsewhere.
    std::vector<char> observational;
    for (const std::size_t r : chosen.rows) observational.push_back(table_.targets(r).empty());
    if (static_cast<std::size_t>(std::ranges::count(observational, 1)) >= kCurveRows)
      fewer.averaged = std::move(observational);
  }
  estimates.push_back(described("flexible", name, set, fewer, flexible_estimate(fewer, seed)));
}

void EffectEstimation::add_experiments(std::vector<EffectEstimate>& estimates) const {
  if (!table_.experimental()) return;
  const int needed[] = {cause_, outcome_};
  std::vector<std::size_t> rows, here;
  for (std::size_t r = 0; r < table_.rows(); ++r) {
    if (!table_.complete(r, needed)) continue;
    const std::span<const int> targets = table_.targets(r);
    if (targets.empty()) here.push_back(r);
    if (targets.size() == 1 && targets[0] == cause_) rows.push_back(r);
  }
  if (rows.size() < 3) return;
  const std::size_t there = rows.size();
  rows.insert(rows.end(), here.begin(), here.end());
  const EffectSample both = sample_of({rows, false}, {});
  if (both.rows() == 0) return;
  const std::span x(both.cause), y(both.outcome);
  if (here.size() >= 3) {
    EffectEstimate estimate =
        described("experiment", "none", {}, both,
                  experiment_estimate(x.first(there), y.first(there), x.subspan(there), y.subspan(there)));
    if (!(estimate.size == estimate.size)) estimate.note = "the intervention did not clearly move the cause";
    estimates.push_back(std::move(estimate));
  }
  EffectSample own;
  own.cause.assign(both.cause.begin(), both.cause.begin() + static_cast<std::ptrdiff_t>(there));
  own.outcome.assign(both.outcome.begin(), both.outcome.begin() + static_cast<std::ptrdiff_t>(there));
  if (there < kSlopeRows || deviation_of(own.cause) == 0.0) return;
  estimates.push_back(described("experiment_slope", "none", {}, own, linear_estimate(own)));
  if (estimates.back().note.empty())
    estimates.back().note = "if the values of the cause were set irrespective of anything else";
}

}  // namespace causcale
