#include "report/png.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "causcale/error.h"
#include "report/drawing.h"

#ifdef CAUSCALE_CAIRO
#include <cairo.h>
#endif

namespace causcale {

#ifdef CAUSCALE_CAIRO
namespace {

// Two pixels a unit look sharp on paper and on dense screens; very large drawings get fewer.
constexpr double kScale = 2;
constexpr double kMostPixelsASide = 12'000;

struct DestroyCairo {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

void set_color(cairo_t* cr, Rgb color) {
  cairo_set_source_rgb(cr, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

// The mark at an end; a plain end has none.
void paint_end(cairo_t* cr, const DrawnCurve& curve, bool at_end) {
  const Mark mark = at_end ? curve.at_end : curve.at_start;
  cairo_new_path(cr);
  if (mark == Mark::kArrow) {
    for (const LayoutPoint& corner : arrowhead(curve, at_end)) cairo_line_to(cr, corner.x, corner.y);
    cairo_close_path(cr);
    cairo_fill(cr);
  } else if (mark == Mark::kCircle) {
    const DrawnCircle circle = end_circle(curve, at_end);
    cairo_arc(cr, circle.center.x, circle.center.y, circle.radius, 0, 2 * M_PI);
    set_color(cr, {0xFF, 0xFF, 0xFF});
    cairo_fill_preserve(cr);
    set_color(cr, curve.color);
    cairo_set_line_width(cr, 1.2);
    cairo_stroke(cr);
  }
}

void paint_curve(cairo_t* cr, const DrawnCurve& curve) {
  set_color(cr, curve.color);
  cairo_set_line_width(cr, curve.width);
  const auto& p = curve.points;
  cairo_move_to(cr, p[0].x, p[0].y);
  for (std::size_t k = 1; k + 2 < p.size(); k += 3)
    cairo_curve_to(cr, p[k].x, p[k].y, p[k + 1].x, p[k + 1].y, p[k + 2].x, p[k + 2].y);
  cairo_stroke(cr);
  for (const bool at_end : {false, true}) paint_end(cr, curve, at_end);
}

void paint_box(cairo_t* cr, const DrawnBox& box) {
  const double left = box.center.x - box.width / 2, top = box.center.y - box.height / 2, radius = 7;
  const double right = left + box.width, bottom = top + box.height;
  cairo_new_path(cr);
  cairo_arc(cr, right - radius, top + radius, radius, -M_PI / 2, 0);
  cairo_arc(cr, right - radius, bottom - radius, radius, 0, M_PI / 2);
  cairo_arc(cr, left + radius, bottom - radius, radius, M_PI / 2, M_PI);
  cairo_arc(cr, left + radius, top + radius, radius, M_PI, 1.5 * M_PI);
  cairo_close_path(cr);
  set_color(cr, {0xF6, 0xF8, 0xFB});
  cairo_fill_preserve(cr);
  set_color(cr, {0x33, 0x41, 0x5C});
  cairo_set_line_width(cr, 1);
  cairo_stroke(cr);

  // The font may be wider than estimated; then the text is made smaller rather than cut.
  cairo_text_extents_t extents;
  cairo_set_font_size(cr, kDrawingFontSize);
  cairo_text_extents(cr, box.text.c_str(), &extents);
  const double shrink = std::min(1.0, (box.width - 8) / std::max(1.0, extents.x_advance));
  cairo_set_font_size(cr, kDrawingFontSize * shrink);
  set_color(cr, {0x11, 0x18, 0x27});
  cairo_move_to(cr, box.center.x - shrink * extents.x_advance / 2, box.center.y + 0.35 * kDrawingFontSize);
  cairo_show_text(cr, box.text.c_str());
}

cairo_status_t append_bytes(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

bool png_is_available() {
  return true;
}

std::string format_png(const ShownGraph& graph, const Knowledge& knowledge) {
  const Drawing drawing = make_drawing(graph, knowledge);
  const double scale = std::min(kScale, kMostPixelsASide / std::max(drawing.width, drawing.height));
  const std::unique_ptr<cairo_surface_t, DestroyCairo> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(drawing.width * scale)),
                                 static_cast<int>(std::ceil(drawing.height * scale))));
  const std::unique_ptr<cairo_t, DestroyCairo> context(cairo_create(surface.get()));
  cairo_t* cr = context.get();
  cairo_scale(cr, scale, scale);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  for (const DrawnCurve& curve : drawing.curves) paint_curve(cr, curve);
  for (const DrawnBox& box : drawing.boxes) paint_box(cr, box);
  cairo_set_font_size(cr, kDrawingNoteSize);
  set_color(cr, {0x4B, 0x55, 0x63});
  for (const DrawnText& text : drawing.texts) {
    cairo_move_to(cr, text.start.x, text.start.y);
    cairo_show_text(cr, text.text.c_str());
  }
  std::string bytes;
  cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append_bytes, &bytes);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_status(cr);
  if (status != CAIRO_STATUS_SUCCESS)
    throw InputError(fmt::format("The PNG drawing failed in Cairo: {}", cairo_status_to_string(status)));
  return bytes;
}

#else

bool png_is_available() {
  return false;
}

std::string format_png(const ShownGraph&, const Knowledge&) {
  throw UsageError(
      "This program was built without Cairo, which .png output needs: use .svg, or install libcairo2-dev and "
      "build again");
}

#endif

}  // namespace causcale
