#include "benchmark/run_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "benchmark/network.h"
#include "causcale/error.h"
#include "graph/convert.h"

namespace causcale {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr double kThreshold = 0.5;
constexpr const char* kOutOfMemory = "out of memory";
constexpr const char* kOutOfTime = "time limit";

// libtorch's messages carry a stack trace; the first line says what happened.
std::string short_message(const std::string& message) {
  for (const char* sign : {"out of memory", "can't allocate memory", "not enough memory"})
    if (message.find(sign) != std::string::npos) return kOutOfMemory;
  return message.substr(0, message.find('\n'));
}

class StudyRun {
 public:
  StudyRun(const Study& study, const RunStudyOptions& options, RecordFile& records)
      : study_(study), options_(options), records_(records) {
    for (const StudyRow& row : study.rows)
      total_ += row.sources.size() * static_cast<std::size_t>(study.graphs);
  }

  StudyOutcome run() {
    StudyOutcome outcome;
    for (const StudyRow& row : study_.rows) outcome.push_back(run_row(row));
    records_.save();
    return outcome;
  }

 private:
  BenchmarkNetwork& network(const Contender& contender) {
    auto& place = networks_[{contender.model, static_cast<int>(contender.prior_units)}];
    if (!place)
      place = std::make_unique<BenchmarkNetwork>(contender.model, contender.prior_units, options_.device,
                                                 options_.precision, options_.threads);
    return *place;
  }

  json describe(const Contender& contender) {
    if (!contender.method.empty()) return {{"method", contender.method}};
    json description = network(contender).describe();
    if (contender.prior_rows) description["prior_rows"] = *contender.prior_rows;
    if (contender.views > 0) description["views"] = contender.views;
    if (!contender.one_pass || contender.max_samples > 0 || contender.ensemble > 0)
      description["passes"] = {{"max_samples", contender.max_samples}, {"ensemble", contender.ensemble}};
    return description;
  }

  Measures measure_network(const StudyRow& row, const KnownDataset& known, std::uint32_t graph) {
    NetworkAnswer answer = network(row.contender).answer(known.dataset, row.contender, study_.seed + graph);
    Measures measures = std::move(answer.measures);
    measures.merge(measure_prediction(answer.probabilities, graph_above(answer.probabilities, kThreshold),
                                      known.graph, resolve_threads(options_.threads), answer.feedback));
    measures.merge(calibration_measures(answer.probabilities, known.graph));
    if (options_.answered) options_.answered(row, graph, answer.probabilities);
    return measures;
  }

  Measures measure_method(const StudyRow& row, const KnownDataset& known, std::uint32_t graph) {
    MethodOptions options;
    options.seed = study_.seed;
    options.threads = options_.threads;
    const Clock::time_point begin = Clock::now();
    options.seconds = options_.method_seconds;
    MethodResult result;
    try {
      result = run_method(method_named(row.contender.method), known.dataset, options);
    } catch (const OutOfTime&) {
      throw Error(kOutOfTime);
    }
    const double seconds = seconds_since(begin);
    Measures measures = measure_prediction(result.scores, judged_graph(result, known.graph), known.graph,
                                           resolve_threads(options_.threads));
    // A symmetric answer has no opinion on directions.
    if (result.graph_class == GraphClass::kUndirected)
      measures["oa"] = std::numeric_limits<double>::quiet_NaN();
    measures["ece"] = std::numeric_limits<double>::quiet_NaN();  // scores are a ranking
    measures["seconds"] = seconds;
    measures["rows"] = static_cast<double>(known.dataset.table.rows());
    if (options_.answered) options_.answered(row, graph, result.scores);
    return measures;
  }

  Record work(const StudyRow& row, const TestSource& source, std::uint32_t graph, json task) {
    Record record{std::move(task), {}, {}, 0.0};
    try {
      const KnownDataset known =
          make_test_data(source, study_.seed, graph, resolve_threads(options_.threads));
      record.measures = row.contender.method.empty() ? measure_network(row, known, graph)
                                                     : measure_method(row, known, graph);
    } catch (const std::bad_alloc&) {
      record.error = kOutOfMemory;
    } catch (const std::exception& error) {
      record.error = short_message(error.what());
      if (record.error == kOutOfTime) record.limit_seconds = options_.method_seconds;
    }
    return record;
  }

  bool has_columns(const Record& record) const {
    return !record.error.empty() || std::ranges::all_of(study_.columns, [&](const StudyColumn& column) {
      return record.measures.contains(column.metric);
    });
  }

  Record settle_task(const StudyRow& row, const TestSource& source, std::uint32_t graph) {
    json task{{"data", describe_source(source, study_.seed, graph)}, {"contender", describe(row.contender)}};
    const Record* known = records_.find(task);
    if (!known) known = records_.find_out_of_time(task, options_.method_seconds);
    if (known && has_columns(*known)) {
      ++found_;
      return *known;
    }
    const Clock::time_point begin = Clock::now();
    Record record = work(row, source, graph, std::move(task));
    worked_seconds_ += seconds_since(begin);
    ++worked_;
    records_.add(record);
    report(row, graph, record);
    return record;
  }

  void report(const StudyRow& row, std::uint32_t graph, const Record& record) {
    if (!options_.progress) return;
    const std::string what = fmt::format("[{}/{}] {}, graph {}", found_ + worked_ + skipped_, total_,
                                         fmt::join(row.labels, ", "), graph + 1);
    const double left = worked_seconds_ / static_cast<double>(worked_) *
                        static_cast<double>(total_ - found_ - worked_ - skipped_);
    if (record.error.empty())
      options_.progress(fmt::format("{}: mAP {:.1f}, {:.2f} s; about {:.0f} s left at this pace", what,
                                    100 * record.measures.at("map"), record.measures.at("seconds"), left));
    else
      options_.progress(fmt::format("{}: {}", what, record.error));
  }

  RowOutcome run_row(const StudyRow& row) {
    RowOutcome outcome;
    std::map<std::string, std::vector<double>> values;  // metric -> one per graph
    const auto per_graph = row.sources.size();
    for (int graph = 0; graph < study_.graphs && per_graph > 0; ++graph) {
      if (outcome.failure == kOutOfMemory || outcome.failure == kOutOfTime) {
        skipped_ += per_graph;
        ++outcome.failed;
        continue;
      }
      std::map<std::string, double> sums;
      bool complete = true;
      for (const TestSource& source : row.sources) {
        const Record record = settle_task(row, source, static_cast<std::uint32_t>(graph));
        if (!record.error.empty()) {
          complete = false;
          if (outcome.failure.empty()) outcome.failure = record.error;
          continue;
        }
        for (const auto& [name, value] : record.measures)
          sums[name] += value / static_cast<double>(per_graph);
      }
      ++(complete ? outcome.finished : outcome.failed);
      if (!complete) continue;
      for (const auto& [name, value] : sums)
        if (std::isfinite(value)) values[name].push_back(value);
    }
    for (const auto& [name, numbers] : values) outcome.metrics[name] = summarise(numbers);
    return outcome;
  }

  static Summary summarise(const std::vector<double>& numbers) {
    Summary summary{0.0, std::numeric_limits<double>::quiet_NaN(), static_cast<int>(numbers.size())};
    for (const double number : numbers) summary.mean += number / static_cast<double>(numbers.size());
    if (numbers.size() > 1) {
      double squares = 0.0;
      for (const double number : numbers) squares += (number - summary.mean) * (number - summary.mean);
      summary.deviation = std::sqrt(squares / static_cast<double>(numbers.size() - 1));
    }
    return summary;
  }

  const Study& study_;
  const RunStudyOptions& options_;
  RecordFile& records_;
  std::map<std::pair<std::string, int>, std::unique_ptr<BenchmarkNetwork>> networks_;
  std::size_t total_ = 0, found_ = 0, worked_ = 0, skipped_ = 0;
  double worked_seconds_ = 0.0;
};

}  // namespace

StudyOutcome run_study(const Study& study, const RunStudyOptions& options, RecordFile& records) {
  return StudyRun(study, options, records).run();
}

}  // namespace causcale
