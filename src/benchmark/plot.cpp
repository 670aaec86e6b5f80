#include "benchmark/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "exchange/escape.h"

namespace causcale {
namespace {

constexpr double kLeft = 64, kTop = 44, kWidth = 620, kHeight = 320, kLegendLine = 20;
// Okabe and Ito's colours, which stay apart for colour-blind readers.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000", "#999999"};

const char* colour(std::size_t series) {
  return kColours[series % kColours.size()];
}

bool drawable(const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

double whisker(const PlotPoint& point) {
  return std::isfinite(point.deviation) ? point.deviation : 0.0;
}

class Canvas {
 public:
  Canvas(const Plot& plot, double low, double high) : plot_(plot), ticks_(axis_ticks(low, high)) {}

  double y(double value) const {
    return kTop + kHeight * (1 - (value - ticks_.front()) / (ticks_.back() - ticks_.front()));
  }

  void line(double x1, double y1, double x2, double y2, const char* stroke, double width) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
        x1, y1, x2, y2, stroke, width);
  }
  void text(double x, double y, const char* anchor, const std::string& content, const char* more = "") {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
        xml_escaped(content));
  }
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(body_), form, std::forward<Arguments>(arguments)...);
  }

  void draw_error(double x, const PlotPoint& point, const char* stroke) {
    const double half = whisker(point);
    if (half <= 0) return;
    const double low = y(std::max(point.y - half, ticks_.front())),
                 high = y(std::min(point.y + half, ticks_.back()));
    line(x, low, x, high, stroke, 1);
    line(x - 3, low, x + 3, low, stroke, 1);
    line(x - 3, high, x + 3, high, stroke, 1);
  }

  void draw_y_axis() {
    for (const double tick : ticks_) {
      line(kLeft, y(tick), kLeft + kWidth, y(tick), "#dddddd", 1);
      text(kLeft - 8, y(tick) + 4, "end", fmt::format("{:g}", tick));
    }
    line(kLeft, kTop, kLeft, kTop + kHeight, "#333333", 1);
    line(kLeft, kTop + kHeight, kLeft + kWidth, kTop + kHeight, "#333333", 1);
  }

  // `below`: room that the labels of the x axis take.
  std::string finish(double below) {
    text(kLeft + kWidth / 2, 24, "middle", plot_.title, " font-size=\"15\" font-weight=\"bold\"");
    text(kLeft + kWidth / 2, kTop + kHeight + below - 4, "middle", plot_.x_label);
    const double middle = kTop + kHeight / 2;
    const std::string turned = fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle);
    text(18, middle, "middle", plot_.y_label, turned.c_str());
    double longest = 0;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const double at = kTop + 10 + kLegendLine * static_cast<double>(s);
      add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"10\" fill=\"{}\"/>\n", kLeft + kWidth + 16,
          at - 9, colour(s));
      text(kLeft + kWidth + 36, at, "start", plot_.series[s].name);
      longest = std::max(longest, static_cast<double>(plot_.series[s].name.size()));
    }
    const double width = kLeft + kWidth + 50 + 7.2 * longest;
    const double height = std::max(kTop + kHeight + below + 8,
                                   kTop + 20 + kLegendLine * static_cast<double>(plot_.series.size()));
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} "
        "{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n<rect width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
        width, height, fmt::to_string(body_));
  }

 private:
  const Plot& plot_;
  std::vector<double> ticks_;
  fmt::memory_buffer body_;
};

std::pair<double, double> y_range(const Plot& plot) {
  double low = 0, high = 0;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      if (drawable(point)) {
        low = std::min(low, point.y);
        high = std::max(high, point.y + whisker(point));
      }
  return {low, std::min(high, plot.most_y)};
}

}  // namespace

std::vector<double> axis_ticks(double low, double high) {
  if (!(high > low)) high = low + 1;
  const double rough = (high - low) / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0})
    if (factor * power >= rough * 0.999) step = factor * power;
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  for (double k = first; k <= last; ++k) ticks.push_back(k * step);
  return ticks;
}

std::string format_line_plot(const Plot& plot) {
  std::vector<double> places;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      if (drawable(point)) places.push_back(point.x);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto scaled = [&](double x) { return plot.log_x ? std::log(x) : x; };
  const double first = places.empty() ? 0 : scaled(places.front());
  const double span = places.size() < 2 ? 1 : scaled(places.back()) - first;
  const auto across = [&](double x) { return kLeft + 20 + (kWidth - 40) * (scaled(x) - first) / span; };

  const auto [low, high] = y_range(plot);
  Canvas canvas(plot, low, high);
  canvas.draw_y_axis();
  for (const double place : places) {
    canvas.line(across(place), kTop + kHeight, across(place), kTop + kHeight + 5, "#333333", 1);
    canvas.text(across(place), kTop + kHeight + 20, "middle", fmt::format("{:g}", place));
  }
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    std::string path;
    for (const PlotPoint& point : plot.series[s].points) {
      if (!drawable(point)) continue;
      path += fmt::format("{:.1f},{:.1f} ", across(point.x), canvas.y(point.y));
      canvas.draw_error(across(point.x), point, colour(s));
      canvas.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", across(point.x),
                 canvas.y(point.y), colour(s));
    }
    canvas.add("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, colour(s));
  }
  return canvas.finish(44);
}

std::string format_bar_plot(const Plot& plot) {
  const auto [low, high] = y_range(plot);
  Canvas canvas(plot, low, high);
  canvas.draw_y_axis();
  const double slot = kWidth / static_cast<double>(std::max<std::size_t>(1, plot.categories.size()));
  const double bar = 0.8 * slot / static_cast<double>(std::max<std::size_t>(1, plot.series.size()));
  std::size_t longest = 0;
  for (std::size_t c = 0; c < plot.categories.size(); ++c) {
    const double x = kLeft + slot * (static_cast<double>(c) + 0.5), y = kTop + kHeight + 14;
    const std::string turned = fmt::format(" transform=\"rotate(-35 {:.1f} {:.1f})\"", x, y);
    canvas.text(x, y, "end", plot.categories[c], turned.c_str());
    longest = std::max(longest, plot.categories[c].size());
  }
  for (std::size_t s = 0; s < plot.series.size(); ++s)
    for (const PlotPoint& point : plot.series[s].points) {
      if (!drawable(point)) continue;
      const double x = kLeft + slot * (point.x + 0.1) + bar * static_cast<double>(s);
      const double top = canvas.y(std::max(point.y, 0.0)), bottom = canvas.y(std::min(point.y, 0.0));
      canvas.add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, top,
                 0.92 * bar, bottom - top, colour(s));
      canvas.draw_error(x + 0.46 * bar, point, "#333333");
    }
  return canvas.finish(40 + 3.9 * static_cast<double>(longest));
}

}  // namespace causcale
