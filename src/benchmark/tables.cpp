#include "benchmark/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "benchmark/paper_figures.h"

namespace causcale {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestFailure = 28;

const PaperFigure* figure_of(const Study& study, const StudyRow& row, const StudyColumn& column) {
  if (row.paper_setting.empty() || row.contender.paper_name.empty()) return nullptr;
  return paper_figure(study.name, row.paper_setting, row.contender.paper_name, column.metric);
}

bool paper_reports(const Study& study, const StudyColumn& column) {
  return std::ranges::any_of(study.rows,
                             [&](const StudyRow& row) { return figure_of(study, row, column) != nullptr; });
}

std::string number(double mean, double deviation, int decimals) {
  if (decimals < 0)
    decimals =
        mean == 0.0 ? 1 : std::clamp(3 - static_cast<int>(std::floor(std::log10(std::abs(mean)))), 0, 4);
  // A figure that is the same for every graph, such as one by formula, needs no deviation.
  if (!std::isfinite(deviation) || deviation <= 1e-12 * std::abs(mean))
    return fmt::format("{:.{}f}", mean, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", mean, decimals, deviation, decimals);
}

// Text of every cell, the first line being the header.
using Grid = std::vector<std::vector<std::string>>;

Grid make_grid(const Study& study, const StudyOutcome& outcome) {
  Grid grid(1, study.headings);
  for (const StudyColumn& column : study.columns) {
    grid[0].push_back(column.label);
    if (paper_reports(study, column)) grid[0].push_back("paper");
  }
  for (std::size_t r = 0; r < study.rows.size(); ++r) {
    std::vector<std::string> line = study.rows[r].labels;
    bool explained = outcome[r].failure.empty();
    for (const StudyColumn& column : study.columns) {
      const auto found = outcome[r].metrics.find(column.metric);
      if (found != outcome[r].metrics.end()) {
        line.push_back(number(column.factor * found->second.mean, column.factor * found->second.deviation,
                              column.decimals));
        explained = true;
      } else {
        line.push_back(explained ? "-" : outcome[r].failure.substr(0, kLongestFailure));
        explained = true;
      }
      if (!paper_reports(study, column)) continue;
      const PaperFigure* figure = figure_of(study, study.rows[r], column);
      line.push_back(figure ? number(figure->mean, figure->deviation, column.decimals) : "");
    }
    grid.push_back(std::move(line));
  }
  return grid;
}

std::vector<std::string> notes(const Study& study, const StudyOutcome& outcome) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < study.rows.size(); ++r)
    if (!outcome[r].failure.empty())
      lines.push_back(fmt::format("{}: {} of {} data sets without result: {}",
                                  fmt::join(study.rows[r].labels, ", "), outcome[r].failed,
                                  outcome[r].failed + outcome[r].finished, outcome[r].failure));
  lines.insert(lines.end(), study.remarks.begin(), study.remarks.end());
  if (const std::string_view remark = paper_remark(study.name); !remark.empty()) lines.emplace_back(remark);
  return lines;
}

// Columns a terminal needs for a UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string blanks(std::size_t width, const std::string& text) {
  const std::size_t used = width_of(text);
  return std::string(used < width ? width - used : 0, ' ');
}

ordered_json finite(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

}  // namespace

std::string format_study_text(const Study& study, const StudyOutcome& outcome) {
  const Grid grid = make_grid(study, outcome);
  std::vector<std::size_t> widths(grid[0].size(), 0);
  for (const auto& line : grid)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  std::string text = study.title + "\n\n";
  for (std::size_t r = 0; r < grid.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < grid[r].size(); ++c) {
      if (c > 0) line += "  ";
      const std::string& cell = grid[r][c];
      line += c < study.headings.size() ? cell + blanks(widths[c], cell) : blanks(widths[c], cell) + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (r == 0) {
      std::size_t total = 2 * (widths.size() - 1);
      for (const std::size_t width : widths) total += width;
      text += std::string(total, '-') + '\n';
    }
  }
  for (const std::string& note : notes(study, outcome)) text += "\n" + note;
  return text + "\n";
}

std::string format_study_markdown(const Study& study, const StudyOutcome& outcome) {
  const Grid grid = make_grid(study, outcome);
  std::string text = fmt::format("### {}\n\n", study.title);
  for (std::size_t r = 0; r < grid.size(); ++r) {
    text += fmt::format("| {} |\n", fmt::join(grid[r], " | "));
    if (r == 0) {
      text += "|";
      for (std::size_t c = 0; c < grid[0].size(); ++c) text += c < study.headings.size() ? "---|" : "---:|";
      text += '\n';
    }
  }
  for (const std::string& note : notes(study, outcome)) text += fmt::format("\n{}\n", note);
  return text;
}

ordered_json study_to_json(const Study& study, const StudyOutcome& outcome) {
  ordered_json table{{"title", study.title}, {"seed", study.seed}, {"graphs", study.graphs}};
  ordered_json& rows = table["rows"] = ordered_json::array();
  for (std::size_t r = 0; r < study.rows.size(); ++r) {
    ordered_json row = ordered_json::object();
    for (std::size_t h = 0; h < study.headings.size(); ++h) row[study.headings[h]] = study.rows[r].labels[h];
    row["finished"] = outcome[r].finished;
    if (!outcome[r].failure.empty()) {
      row["failed"] = outcome[r].failed;
      row["failure"] = outcome[r].failure;
    }
    for (const StudyColumn& column : study.columns) {
      ordered_json cell = ordered_json::object();
      if (const auto found = outcome[r].metrics.find(column.metric); found != outcome[r].metrics.end()) {
        cell["mean"] = finite(column.factor * found->second.mean);
        cell["deviation"] = finite(column.factor * found->second.deviation);
      }
      if (const PaperFigure* figure = figure_of(study, study.rows[r], column)) {
        cell["paper_mean"] = figure->mean;
        if (std::isfinite(figure->deviation)) cell["paper_deviation"] = figure->deviation;
      }
      row[column.metric] = std::move(cell);
    }
    rows.push_back(std::move(row));
  }
  table["notes"] = notes(study, outcome);
  return table;
}

std::string format_study_picture(const Study& study, const StudyOutcome& outcome) {
  Plot plot{study.title, study.picture.x_label, study.picture.y_label, study.picture.log_x, {}, {}};
  const auto column = std::ranges::find(study.columns, study.picture.metric, &StudyColumn::metric);
  plot.most_y = column->factor == 100.0 ? 100.0 : std::numeric_limits<double>::infinity();
  const auto series_named = [&](const std::string& name) -> PlotSeries& {
    const auto found = std::ranges::find(plot.series, name, &PlotSeries::name);
    if (found != plot.series.end()) return *found;
    return plot.series.emplace_back(PlotSeries{name, {}});
  };
  for (std::size_t r = 0; r < study.rows.size(); ++r) {
    const StudyRow& row = study.rows[r];
    double x = row.x;
    if (!study.picture.lines) {
      const auto place = std::ranges::find(plot.categories, row.category);
      x = static_cast<double>(place - plot.categories.begin());
      if (place == plot.categories.end()) plot.categories.push_back(row.category);
    }
    if (const auto found = outcome[r].metrics.find(column->metric); found != outcome[r].metrics.end())
      series_named(row.series)
          .points.push_back(
              {x, column->factor * found->second.mean, column->factor * found->second.deviation});
    if (const PaperFigure* figure = figure_of(study, row, *column))
      series_named(row.series + " (paper)").points.push_back({x, figure->mean, figure->deviation});
  }
  return study.picture.lines ? format_line_plot(plot) : format_bar_plot(plot);
}

}  // namespace causcale
