// Small pictures for reports: lines or bars with axes, labels and a legend, as SVG.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace causcale {

struct PlotPoint {
  double x = 0.0;  // of bars: the index of the category
  double y = 0.0;
  double deviation = 0.0;  // drawn as a whisker; 0 or NaN: none
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false;                   // lines only; all x must be positive
  std::vector<std::string> categories;  // bars only
  std::vector<PlotSeries> series;
  double most_y = std::numeric_limits<double>::infinity();  // no number can be larger: whiskers end there
};

// Points whose numbers are not finite are left out. The y axis begins at 0 unless something lies below.
std::string format_line_plot(const Plot& plot);
std::string format_bar_plot(const Plot& plot);

// Between 4 and 11 round numbers from at most `low` to at least `high`.
std::vector<double> axis_ticks(double low, double high);

}  // namespace causcale
