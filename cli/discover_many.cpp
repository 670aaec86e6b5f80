#include "discover_many.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/file_claim.h"
#include "base/parallel.h"
#include "base/standard_error.h"
#include "base/work_share.h"
#include "causcale/error.h"
#include "table_key.h"

namespace causcale::cli {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string status = "failed";  // done, skipped, failed
  std::size_t rows = 0, columns = 0, edges = 0, warnings = 0;
  double seconds = 0;
  std::string message;
  bool by_another = false;  // another process at work on the same tables has done it, or failed
};

fs::path result_file(const ManyOptions& options, const std::string& name, const std::string& format) {
  return options.folder / (name + "." + format);
}

std::string summary_name(const ManyOptions& options) {
  if (options.share == "auto") return "summary.csv";
  const WorkShare share = parse_work_share(options.share, "--share");
  return fmt::format("summary-{}-of-{}.csv", share.index, share.count);
}

// Several processes may work on the same tables and folder. Each claims a table before it looks whether it is
// done, so that none is done twice, and comes back to what others had claimed: a claim ends with its process.
class Batch {
 public:
  Batch(const ManyOptions& options, const std::function<TableInputs(const fs::path&)>& inputs,
        const std::function<FileResult(const fs::path&, int)>& work)
      : options_(options),
        inputs_(inputs),
        work_(work),
        names_(result_names(options.tables)),
        share_(options.share == "auto" ? work_share_of_launcher()
                                       : parse_work_share(options.share, "--share")),
        is_fixed_(options.share != "auto"),
        lines_(options.tables.size()) {
    for (const std::size_t k : work_order(share_, lines_.size()))
      if (!is_fixed_ || share_.owns(k)) tables_.push_back(k);
  }

  void run() {
    started_ = folder_time();
    const int jobs = std::max(1, std::min<int>(options_.jobs, static_cast<int>(tables_.size())));
    const int threads = std::max(1, resolve_threads(options_.threads) / jobs);
    std::vector<std::size_t> open = tables_;
    while (!open.empty()) {
      std::vector<char> settled(open.size(), 0);
      parallel_for(open.size(), jobs, [&](std::size_t at) { settled[at] = one(open[at], threads); });
      std::vector<std::size_t> busy;
      for (std::size_t at = 0; at < open.size(); ++at)
        if (!settled[at]) busy.push_back(open[at]);
      // Others are at work on all that is left: wait for them to finish, or to die.
      if (busy.size() == open.size()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      open = std::move(busy);
    }
    if (!is_fixed_) clear_claims();
    std::ranges::sort(tables_);
    write_file_atomically(summary_file(), summary_csv());
    report();
  }

 private:
  // False where another process holds the table.
  bool one(std::size_t k, int threads) {
    const auto start = std::chrono::steady_clock::now();
    Line& line = lines_[k];
    try {
      TableKey key(inputs_(options_.tables[k]));
      // What another process has done needs no claim.
      if (!done_before(k, key, line)) {
        const std::optional<FileClaim> claim = claimed(k);
        if (!is_fixed_ && !claim) return false;
        try {
          if (!done_before(k, key, line)) work_on(k, key, threads, start, line);
        } catch (const std::exception& error) {
          line.message = error.what();
          note_failure(k, key, line);
        }
      }
    } catch (const std::exception& error) {  // nothing could be claimed, read or noted
      line.message = error.what();
    }
    if (line.seconds == 0) line.seconds = seconds_since(start);
    const std::lock_guard guard(lock_);
    ++finished_;
    if (options_.quiet || options_.json) return true;
    const char* const where = line.by_another ? " in another process" : "";
    const std::string outcome = line.status == "failed"
                                    ? fmt::format("failed{}: {}", where, line.message)
                                    : fmt::format("{}{}, {} edges", line.status, where, line.edges);
    print_error("[{}/{}] {}: {} ({:.1f} s)\n", finished_, tables_.size(), names_[k], outcome, line.seconds);
    return true;
  }

  std::optional<FileClaim> claimed(std::size_t k) const {
    if (is_fixed_) return std::nullopt;
    return FileClaim::take(options_.folder / ".claims" / names_[k]);
  }

  // A process that was killed between the record of a table and the end of its claim leaves the claim's file.
  void clear_claims() const {
    std::error_code none;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(options_.folder / ".claims", none))
      left.push_back(entry.path());
    for (const fs::path& path : left) FileClaim::take(path);  // and gives it up, unless it is somebody's
  }

  void work_on(std::size_t k, TableKey& key, int threads, std::chrono::steady_clock::time_point start,
               Line& line) const {
    key.content();  // of the files as they are before they are read
    const FileResult file = work_(options_.tables[k], threads);
    for (const std::string& format : options_.formats) {
      if (format == "npy")
        write_matrix(output(k, format), file.result);
      else
        write_result(output(k, format), file.result, file.record);
    }
    line.status = "done";
    line.rows = file.result.rows;
    line.columns = file.result.names.size();
    line.edges = file.result.graph.edge_count();
    line.warnings = file.result.applicability.size();
    line.seconds = seconds_since(start);
    remember(k, key, line);
  }

  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  // By the clock that gives the folder's files their times, which need not be this machine's.
  fs::file_time_type folder_time() const {
    const fs::path probe = options_.folder / fmt::format(".started-{}-{}", share_.index, getpid());
    write_file_atomically(probe, "");
    const fs::file_time_type now = fs::last_write_time(probe);
    fs::remove(probe);
    return now;
  }
  bool is_of_this_run(const fs::path& record) const {
    std::error_code gone;
    const fs::file_time_type time = fs::last_write_time(record, gone);
    return !gone && time > started_;
  }
  fs::path summary_file() const { return options_.folder / summary_name(options_); }

  fs::path output(std::size_t k, const std::string& format) const {
    return result_file(options_, names_[k], format);
  }
  fs::path record(std::size_t k) const { return options_.folder / ".done" / (names_[k] + ".json"); }

  bool done_before(std::size_t k, TableKey& key, Line& line) const {
    if (!fs::exists(record(k))) return false;
    const auto known = nlohmann::json::parse(MappedFile(record(k)).text(), nullptr, false);
    const bool is_new = is_of_this_run(record(k));
    try {
      if (!known.is_object() || !key.fits(known)) return false;
      if (known.contains("failed")) {  // in a later run it is tried again
        if (!is_new) return false;
        line.message = known.value("failed", "");
        return line.by_another = true;
      }
      const auto formats = known.value("formats", std::vector<std::string>{});
      for (const std::string& format : options_.formats)
        if (std::ranges::find(formats, format) == formats.end() || !fs::exists(output(k, format)))
          return false;
      Line before;
      before.status = is_new ? "done" : "skipped";
      before.by_another = is_new;
      if (is_new) before.seconds = known.value("seconds", 0.0);
      before.rows = known.value("rows", std::size_t{0});
      before.columns = known.value("columns", std::size_t{0});
      before.edges = known.value("edges", std::size_t{0});
      before.warnings = known.value("warnings", std::size_t{0});
      line = std::move(before);
    } catch (const nlohmann::json::exception&) {  // a damaged record: the table is done again
      return false;
    }
    return true;
  }

  void remember(std::size_t k, TableKey& key, const Line& line) const {
    write_record(k, key,
                 {{"rows", line.rows},
                  {"columns", line.columns},
                  {"edges", line.edges},
                  {"warnings", line.warnings},
                  {"seconds", line.seconds},
                  {"formats", options_.formats}});
  }
  void note_failure(std::size_t k, TableKey& key, const Line& line) const {
    write_record(k, key, {{"failed", line.message}});
  }
  void write_record(std::size_t k, TableKey& key, const nlohmann::ordered_json& outcome) const {
    nlohmann::ordered_json known = key.for_record();
    known["data"] = options_.tables[k].string();
    known.update(outcome);
    write_file_atomically(record(k),
                          known.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }

  std::string summary_csv() const {
    std::string out = "name,data,status,rows,columns,edges,warnings,seconds,message\n";
    for (const std::size_t k : tables_) {
      const Line& line = lines_[k];
      out += fmt::format("{},{},{},{},{},{},{},{:.2f},{}\n", csv_cell(names_[k]),
                         csv_cell(options_.tables[k].string()), line.status, line.rows, line.columns,
                         line.edges, line.warnings, line.seconds, csv_cell(line.message));
    }
    return out;
  }

  void report() const {
    std::map<std::string, std::size_t> count;
    for (const std::size_t k : tables_) ++count[lines_[k].status];
    if (options_.json) {
      nlohmann::ordered_json out = {{"folder", options_.folder.string()},
                                    {"done", count["done"]},
                                    {"skipped", count["skipped"]},
                                    {"failed", count["failed"]}};
      for (const std::size_t k : tables_)
        out["tables"].push_back({{"name", names_[k]},
                                 {"data", options_.tables[k].string()},
                                 {"status", lines_[k].status},
                                 {"edges", lines_[k].edges},
                                 {"warnings", lines_[k].warnings},
                                 {"message", lines_[k].message}});
      fmt::print("{}\n", out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else if (!options_.quiet) {
      fmt::print("{}: {} done, {} skipped as done before, {} failed; see {}\n", options_.folder.string(),
                 count["done"], count["skipped"], count["failed"], summary_file().string());
    }
    if (count["failed"] == 0) return;
    for (const std::size_t k : tables_)
      if (lines_[k].status == "failed")
        throw InputError(fmt::format("{} of {} tables failed, the first of them {}: {}", count["failed"],
                                     tables_.size(), options_.tables[k].string(), lines_[k].message));
  }

  const ManyOptions& options_;
  const std::function<TableInputs(const fs::path&)>& inputs_;
  const std::function<FileResult(const fs::path&, int)>& work_;
  std::vector<std::string> names_;
  WorkShare share_;
  bool is_fixed_;                    // nothing but the share is done, and nothing is claimed
  std::vector<std::size_t> tables_;  // that concern this process
  std::vector<Line> lines_;          // of all tables
  fs::file_time_type started_;
  std::mutex lock_;
  std::size_t finished_ = 0;
};

}  // namespace

void add_many_options(CLI::App& command, ManyOptions& options) {
  const std::string group = "Many tables";
  command
      .add_option("--out-dir", options.folder,
                  "Folder for the results of any number of tables; what is done already is skipped. In the "
                  "paths of --interventions and --targets, {dir} and {stem} stand for the table's own")
      ->group(group);
  command
      .add_option(
          "--format", options.formats,
          "Files for each table: csv, json, html, svg, png, dot, graphml, gml, txt, npz, mtx, npy (the whole "
          "matrix)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->group(group);
  command.add_option("--jobs", options.jobs, "Tables at a time; they share the threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--share", options.share,
                  "auto: any number of processes with the same tables and folder share them by claims, each "
                  "beginning with its own part under srun, mpirun or a SLURM array; K/N: only every N-th "
                  "table from the K-th on, without claims")
      ->type_name("auto|K/N")
      ->capture_default_str()
      ->group(group);
}

void check_many_options(const ManyOptions& options) {
  if (options.share != "auto") parse_work_share(options.share, "--share");
  for (const std::string& format : options.formats)
    if (format != "npy") check_output_name("result." + format);
  result_names(options.tables);
}

void discover_many(const ManyOptions& options, const std::function<TableInputs(const fs::path&)>& inputs,
                   const std::function<FileResult(const fs::path&, int)>& work) {
  Batch(options, inputs, work).run();
}

std::vector<fs::path> result_files(const ManyOptions& options) {
  std::vector<fs::path> files = {options.folder / summary_name(options)};
  for (const std::string& name : result_names(options.tables))
    for (const std::string& format : options.formats)
      for (const fs::path& file : files_written(result_file(options, name, format))) files.push_back(file);
  return files;
}

fs::path fill_in(const fs::path& pattern, const fs::path& table) {
  std::string text = pattern.string();
  const fs::path folder = table.parent_path().empty() ? "." : table.parent_path();
  for (const auto& [mark, value] : {std::pair<std::string, std::string>{"{dir}", folder.string()},
                                    std::pair<std::string, std::string>{"{stem}", table.stem().string()}})
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  return text;
}

std::vector<std::string> result_names(const std::vector<fs::path>& tables) {
  std::vector<fs::path> rest;  // the folders not used yet
  std::vector<std::string> names;
  std::set<fs::path> given;
  std::map<fs::path, int> same_stem;
  for (const fs::path& table : tables) {
    const fs::path whole = fs::absolute(table).lexically_normal();
    if (!given.insert(whole).second) throw UsageError(fmt::format("{} is given twice", table.string()));
    ++same_stem[fs::path(whole).replace_extension()];
  }
  for (const fs::path& table : tables) {
    const fs::path whole = fs::absolute(table).lexically_normal();
    const bool needs_extension = same_stem[fs::path(whole).replace_extension()] > 1;
    names.push_back((needs_extension ? whole.filename() : whole.stem()).string());
    // Files of that name are ours.
    if (names.back() == "summary" || names.back().starts_with("summary-")) names.back() += "_data";
    rest.push_back(whole.parent_path());
  }
  while (true) {
    std::map<std::string, int> uses;
    for (const std::string& name : names) ++uses[name];
    bool changed = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (uses[names[k]] == 1) continue;
      changed = true;
      if (rest[k].has_relative_path()) {
        names[k] = rest[k].filename().string() + "_" + names[k];
        rest[k] = rest[k].parent_path();
      } else {
        names[k] += fmt::format("_{}", k);
      }
    }
    if (!changed) return names;
  }
}

}  // namespace causcale::cli
