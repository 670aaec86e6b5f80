#include "benchmark/plot.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every element is closed, in the right order, and no stray '<' or '&' is in a text.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      bool known = false;
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        known |= xml.compare(at, std::string(entity).size(), entity) == 0;
      if (!known) return false;
    }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || count(tag, "\"") % 2 != 0) return false;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  return open.empty();
}

Plot example() {
  Plot plot{"mAP & <rows>", "rows", "mAP \"%\"", true, {"a", "b"}, {}};
  plot.series.push_back({"ours", {{10, 50, 5}, {100, 80, 0}, {1000, 90, 2}}});
  plot.series.push_back(
      {"paper's <best>", {{10, 40, 0}, {100, std::numeric_limits<double>::quiet_NaN(), 0}}});
  return plot;
}

TEST(Plot, TicksAreRoundAndCoverTheRange) {
  EXPECT_EQ(axis_ticks(0, 100), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(axis_ticks(0, 7), (std::vector<double>{0, 2, 4, 6, 8}));
  for (const double high : {0.003, 0.97, 12.0, 99.9, 101.0, 3985.0, 1e7}) {
    const auto ticks = axis_ticks(0, high);
    EXPECT_GE(ticks.size(), 4u) << high;
    EXPECT_LE(ticks.size(), 11u) << high;
    EXPECT_EQ(ticks.front(), 0);
    EXPECT_GE(ticks.back(), high * 0.999999);
  }
  EXPECT_LE(axis_ticks(-3, 5).front(), -3);
  EXPECT_GE(axis_ticks(2, 2).size(), 2u);
}

TEST(Plot, LinesHavePointsAxesAndLegend) {
  const std::string svg = format_line_plot(example());
  EXPECT_TRUE(well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "<circle"), 4u);  // the point without number is left out
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  EXPECT_TRUE(contains(svg, "fill=\"#ffffff\""));
  EXPECT_TRUE(contains(svg, "mAP &amp; &lt;rows&gt;"));
  EXPECT_TRUE(contains(svg, "paper&#39;s &lt;best&gt;"));
  EXPECT_TRUE(contains(svg, ">1000<"));
  // On a logarithmic axis 10, 100 and 1000 are equally far apart: 84, 374 and 664.
  EXPECT_TRUE(contains(svg, "cx=\"374.0\""));
}

TEST(Plot, BarsStandInTheirCategories) {
  Plot plot = example();
  plot.series[0].points = {{0, 50, 5}, {1, 100, 0}};
  plot.series[1].points = {{1, 25, 0}};
  const std::string svg = format_bar_plot(plot);
  EXPECT_TRUE(well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "<rect"), 1 + 3 + 2u);      // background, bars, legend
  EXPECT_TRUE(contains(svg, "height=\"320.0\""));  // 100 of 100
  EXPECT_TRUE(contains(svg, "height=\"80.0\""));
}

TEST(Plot, AShareEndsAtOneHundred) {
  Plot plot = example();
  plot.series[0].points[2].deviation = 30;
  EXPECT_TRUE(contains(format_line_plot(plot), ">125<"));
  plot.most_y = 100;
  const std::string svg = format_line_plot(plot);
  EXPECT_FALSE(contains(svg, ">125<"));
  EXPECT_TRUE(contains(svg, ">100<"));
}

TEST(Plot, EmptyOnesAreStillPictures) {
  EXPECT_TRUE(well_formed(format_line_plot({})));
  EXPECT_TRUE(well_formed(format_bar_plot({})));
}

}  // namespace
}  // namespace causcale
