#include "report/png.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "causcale/error.h"
#include "report/cairo_library.h"
#include "report/drawing.h"

namespace causcale {

namespace {

// Two pixels a unit look sharp on paper and on dense screens; very large drawings get fewer.
constexpr double kScale = 2;
constexpr double kMostPixelsASide = 12'000;

// Cairo's functions beside what they paint on.
struct Painter {
  const CairoLibrary& cairo;
  CairoContext* context;
};

void set_color(const Painter& painter, Rgb color) {
  painter.cairo.set_source_rgb(painter.context, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

// The mark at an end; a plain end has none.
void paint_end(const Painter& painter, const DrawnCurve& curve, bool at_end) {
  const Mark mark = at_end ? curve.at_end : curve.at_start;
  painter.cairo.new_path(painter.context);
  if (mark == Mark::kArrow) {
    for (const LayoutPoint& corner : arrowhead(curve, at_end))
      painter.cairo.line_to(painter.context, corner.x, corner.y);
    painter.cairo.close_path(painter.context);
    painter.cairo.fill(painter.context);
  } else if (mark == Mark::kCircle) {
    const DrawnCircle circle = end_circle(curve, at_end);
    painter.cairo.arc(painter.context, circle.center.x, circle.center.y, circle.radius, 0, 2 * M_PI);
    set_color(painter, {0xFF, 0xFF, 0xFF});
    painter.cairo.fill_preserve(painter.context);
    set_color(painter, curve.color);
    painter.cairo.set_line_width(painter.context, 1.2);
    painter.cairo.stroke(painter.context);
  }
}

void paint_curve(const Painter& painter, const DrawnCurve& curve) {
  set_color(painter, curve.color);
  painter.cairo.set_line_width(painter.context, curve.width);
  const auto& p = curve.points;
  painter.cairo.move_to(painter.context, p[0].x, p[0].y);
  for (std::size_t k = 1; k + 2 < p.size(); k += 3)
    painter.cairo.curve_to(painter.context, p[k].x, p[k].y, p[k + 1].x, p[k + 1].y, p[k + 2].x, p[k + 2].y);
  painter.cairo.stroke(painter.context);
  for (const bool at_end : {false, true}) paint_end(painter, curve, at_end);
}

void paint_box(const Painter& painter, const DrawnBox& box) {
  const double left = box.center.x - box.width / 2, top = box.center.y - box.height / 2, radius = 7;
  const double right = left + box.width, bottom = top + box.height;
  painter.cairo.new_path(painter.context);
  painter.cairo.arc(painter.context, right - radius, top + radius, radius, -M_PI / 2, 0);
  painter.cairo.arc(painter.context, right - radius, bottom - radius, radius, 0, M_PI / 2);
  painter.cairo.arc(painter.context, left + radius, bottom - radius, radius, M_PI / 2, M_PI);
  painter.cairo.arc(painter.context, left + radius, top + radius, radius, M_PI, 1.5 * M_PI);
  painter.cairo.close_path(painter.context);
  set_color(painter, {0xF6, 0xF8, 0xFB});
  painter.cairo.fill_preserve(painter.context);
  set_color(painter, {0x33, 0x41, 0x5C});
  painter.cairo.set_line_width(painter.context, 1);
  painter.cairo.stroke(painter.context);

  // The font may be wider than estimated; then the text is made smaller rather than cut.
  CairoTextExtents extents;
  painter.cairo.set_font_size(painter.context, kDrawingFontSize);
  painter.cairo.text_extents(painter.context, box.text.c_str(), &extents);
  const double shrink = std::min(1.0, (box.width - 8) / std::max(1.0, extents.x_advance));
  painter.cairo.set_font_size(painter.context, kDrawingFontSize * shrink);
  set_color(painter, {0x11, 0x18, 0x27});
  painter.cairo.move_to(painter.context, box.center.x - shrink * extents.x_advance / 2,
                        box.center.y + 0.35 * kDrawingFontSize);
  painter.cairo.show_text(painter.context, box.text.c_str());
}

int append_bytes(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return kCairoSuccess;
}

}  // namespace

bool png_is_available() {
  return find_cairo() != nullptr;
}

std::string format_png(const ShownGraph& graph, const Knowledge& knowledge) {
  const CairoLibrary* cairo = find_cairo();
  if (!cairo) throw UsageError(kNoCairo);
  const Drawing drawing = make_drawing(graph, knowledge);
  const double scale = std::min(kScale, kMostPixelsASide / std::max(drawing.width, drawing.height));
  const auto destroy_surface = [&](CairoSurface* surface) { cairo->surface_destroy(surface); };
  const auto destroy_context = [&](CairoContext* context) { cairo->destroy(context); };
  const std::unique_ptr<CairoSurface, decltype(destroy_surface)> surface(
      cairo->image_surface_create(kCairoRgb24, static_cast<int>(std::ceil(drawing.width * scale)),
                                  static_cast<int>(std::ceil(drawing.height * scale))),
      destroy_surface);
  const std::unique_ptr<CairoContext, decltype(destroy_context)> context(cairo->create(surface.get()),
                                                                         destroy_context);
  const Painter painter{*cairo, context.get()};
  painter.cairo.scale(painter.context, scale, scale);
  painter.cairo.set_source_rgb(painter.context, 1, 1, 1);
  painter.cairo.paint(painter.context);
  painter.cairo.set_line_cap(painter.context, kCairoRoundCap);
  painter.cairo.select_font_face(painter.context, "sans-serif", kCairoPlainFont, kCairoPlainFont);
  for (const DrawnCurve& curve : drawing.curves) paint_curve(painter, curve);
  for (const DrawnBox& box : drawing.boxes) paint_box(painter, box);
  painter.cairo.set_font_size(painter.context, kDrawingNoteSize);
  set_color(painter, {0x4B, 0x55, 0x63});
  for (const DrawnText& text : drawing.texts) {
    painter.cairo.move_to(painter.context, text.start.x, text.start.y);
    painter.cairo.show_text(painter.context, text.text.c_str());
  }
  std::string bytes;
  int status = cairo->surface_write_to_png_stream(surface.get(), append_bytes, &bytes);
  if (status == kCairoSuccess) status = painter.cairo.status(painter.context);
  if (status != kCairoSuccess)
    throw InputError(fmt::format("The PNG drawing failed in Cairo: {}", cairo->status_to_string(status)));
  return bytes;
}

}  // namespace causcale
